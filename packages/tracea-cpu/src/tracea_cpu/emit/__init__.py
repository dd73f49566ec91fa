# SPDX-License-Identifier: MIT
"""The emitter: a walk over a certified semantic kernel that prints LLVM IR and decides nothing."""
