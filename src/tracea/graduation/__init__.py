# SPDX-License-Identifier: MIT
"""The graduation: three rounds against PyTorch and NumPy on the device at hand, in one run, validated, nothing estimated."""
