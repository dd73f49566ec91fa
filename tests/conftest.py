# SPDX-License-Identifier: MIT
"""Comparison runs belong to no distribution, so the checkout must be importable for their tests."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))
