# SPDX-License-Identifier: MIT
"""SYCL C++ for oneAPI: the text, and the run-time compiler of Intel's SYCL runtime."""
