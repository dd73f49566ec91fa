# SPDX-License-Identifier: MIT
"""CUDA C++: the words of the language for the steps of a semantic kernel."""
