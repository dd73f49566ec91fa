# SPDX-License-Identifier: MIT
"""The semantic kernel: a complete schedule as data, the mathematics it is solved with, its proofs and its meaning.

Start with `tracea_core.semantic.kernel`; `layout`, `lanes`, `swizzle` and `banks` are the linear algebra under it, `verify` and
`interpret` define what correct means.
"""
