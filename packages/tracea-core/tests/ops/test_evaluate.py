# SPDX-License-Identifier: MIT
"""Values of expressions at the edges: infinities, casts, arguments that were not given."""

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import OptionError
from tracea_core.ops.evaluate import evaluate
from tracea_core.ops.expr import (
    Accumulator,
    Binary,
    BinaryFn,
    Cast,
    Compare,
    CompareFn,
    Constant,
    Operand,
    Unary,
    UnaryFn,
)


def test_infinities_and_nan_spread() -> None:
    top = Binary(BinaryFn.MAXIMUM, Accumulator(), Constant(0.0))
    assert np.isnan(evaluate(top, [[np.nan]])).all()
    assert evaluate(Compare(CompareFn.NE, Accumulator(), Accumulator()), [[np.nan, 1.0]]).tolist() == [1.0, 0.0]
    assert evaluate(Unary(UnaryFn.EXP, Accumulator()), [[1000.0, -np.inf]]).tolist() == [np.inf, 0.0]


def test_casts_saturate_where_they_are_told_to() -> None:
    x = [1e6, -1e6, np.inf, np.nan]
    assert evaluate(Cast(DType.INT8, Accumulator()), [x]).tolist() == [127, -128, 127, 0]
    assert evaluate(Cast(DType.FP16, Accumulator()), [x])[:3].tolist() == [65504, -65504, 65504]
    assert evaluate(Cast(DType.FP16, Accumulator(), saturate=False), [x])[:3].tolist() == [np.inf, -np.inf, np.inf]
    assert np.isnan(evaluate(Cast(DType.FP8_E4M3, Accumulator(), saturate=False), [x])).all()
    assert evaluate(Cast(DType.INT8, Accumulator()), [[0.5, 1.5, 2.5, -0.5]]).tolist() == [0, 2, 2, 0]


def test_arguments_that_were_not_given_are_named() -> None:
    with pytest.raises(OptionError, match="operand 2; 1 were given"):
        evaluate(Operand(2), [0.0], [1.0])
    with pytest.raises(OptionError, match="accumulator 1"):
        evaluate(Accumulator(1), [0.0])
