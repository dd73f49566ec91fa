# SPDX-License-Identifier: MIT
"""tracea: matrix kernels with a certificate, stated once and printed for every kind of machine."""

__version__ = "0.1.0"
