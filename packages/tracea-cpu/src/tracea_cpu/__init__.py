# SPDX-License-Identifier: MIT
"""The CPU backend of tracea: LLVM IR through llvmlite.

Importing it loads no driver: discovery reads `plugin`, and only a probe looks at the machine.
"""

__version__ = "0.1.0"
