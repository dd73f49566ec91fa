# SPDX-License-Identifier: MIT
"""Backends and other extensions: what they promise, how they are found, and how a device or a name selects one."""
