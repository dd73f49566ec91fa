# SPDX-License-Identifier: MIT
"""Policy: the tiles a problem is cut into, the order they run in, and the configurations worth trying first."""
