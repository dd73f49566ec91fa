# SPDX-License-Identifier: MIT
"""Schedules: a contraction, a configuration and a device become a complete semantic kernel."""
