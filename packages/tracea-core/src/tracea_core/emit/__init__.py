# SPDX-License-Identifier: MIT
"""Emission: what every backend shares when it prints a certified semantic kernel."""
