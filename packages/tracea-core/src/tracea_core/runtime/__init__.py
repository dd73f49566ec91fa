# SPDX-License-Identifier: MIT
"""What runs a kernel: the interfaces of a backend's runtime, and the cache of compiled binaries."""
