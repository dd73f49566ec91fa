# SPDX-License-Identifier: MIT
"""Runs of registers: what one access may move."""

from functools import partial

import numpy as np
import pytest
from tracea_core.semantic.interpret_registers import InterpretError, check_runs


@pytest.mark.parametrize(
    ("offsets", "mask", "fault"),
    [
        ([[0, 1, 4, 5]], [[1, 1, 1, 1]], None),
        ([[0, 1, 5, 6]], [[1, 1, 1, 1]], "consecutive and aligned"),
        ([[0, 2, 4, 5]], [[1, 1, 1, 1]], "consecutive and aligned"),
        ([[0, 9, 4, 5]], [[0, 0, 1, 1]], None),
        ([[0, 1, 4, 5]], [[1, 0, 1, 1]], "masks a part"),
        ([[0, 1, 4]], [[1, 1, 1]], "registers in runs"),
    ],
)
def test_runs_are_consecutive_aligned_and_masked_together(offsets, mask, fault):
    check = partial(check_runs, 2, np.array(offsets), np.array(mask, bool), "a load")
    if fault is None:
        check()
    else:
        with pytest.raises(InterpretError, match=fault):
            check()
