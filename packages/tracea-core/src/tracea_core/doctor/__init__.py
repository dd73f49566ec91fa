# SPDX-License-Identifier: MIT
"""The doctor: what a device can do, which kinds of kernel exist for it, and which one a problem gets and why."""
