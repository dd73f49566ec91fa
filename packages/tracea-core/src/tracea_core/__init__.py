# SPDX-License-Identifier: MIT
"""The core of tracea: ops as data, solved schedules, their proofs, the tuner, and the plugin contract.

Importing this package loads nothing heavier than its own name: import the layer that is wanted.
"""

__version__ = "0.1.0"
