# SPDX-License-Identifier: MIT
"""tf32x3: what is refused, and that processors without such a unit multiply fp32."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.errors import OptionError

from tracea import ops


def test_a_processor_multiplies_fp32() -> None:
    a, b = (np.random.default_rng(seed).standard_normal((7, 7)).astype(np.float32) for seed in (0, 1))
    assert np.array_equal(ops.matmul(a, b, tf32x3=True), ops.matmul(a, b))
    assert np.array_equal(ops.matmul(a, b[0], tf32x3=True), ops.matmul(a, b[0]))


def test_other_types_packed_weights_and_gradients_are_refused() -> None:
    a = np.zeros((4, 4))
    with pytest.raises(OptionError, match="products of fp32"):
        ops.matmul(a, a, tf32x3=True)
    packed = ops.prepacked(a.astype(np.float32))
    with pytest.raises(OptionError, match="prepacked"):
        ops.matmul(a.astype(np.float32), packed, tf32x3=True)
    torch = pytest.importorskip("torch")
    with pytest.raises(OptionError, match="no gradients"):
        ops.matmul(torch.zeros(4, 4, requires_grad=True), torch.zeros(4, 4), tf32x3=True)
