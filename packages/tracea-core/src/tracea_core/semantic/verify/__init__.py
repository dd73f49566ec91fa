# SPDX-License-Identifier: MIT
"""Proofs about a semantic kernel: what must hold before any of it is printed."""
