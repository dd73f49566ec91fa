# SPDX-License-Identifier: MIT
"""Ops as data: what is computed, without how."""
