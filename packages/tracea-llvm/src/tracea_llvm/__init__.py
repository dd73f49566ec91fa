# SPDX-License-Identifier: MIT
"""Certified schedules as LLVM IR text: what the body of a role does, instruction by instruction.

Nothing here compiles, and LLVM need not be installed. What a kernel is given, and what runs it, is the business of the backend that
prints it: `tracea_cpu.emit` puts a body into a module for workers of a processor.
"""

__version__ = "0.1.0"
