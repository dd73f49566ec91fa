# SPDX-License-Identifier: MIT
"""The Metal backend of tracea (Apple GPUs).

Importing it loads no driver: discovery reads `plugin`, and only a probe looks at the machine.
"""

__version__ = "0.1.0"
