# SPDX-License-Identifier: MIT
"""The optimizer: which configurations there are, what they cost, how to find the best one, and how to remember it.

Searches see one callable, ``measure(configuration)``; what it compiles and runs is wired by the pipeline.
"""
