# SPDX-License-Identifier: MIT
"""Comparison runs: tables that anyone can measure again."""
