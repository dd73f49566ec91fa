# SPDX-License-Identifier: MIT
"""1×1 convolutions against float64, at sizes that divide by no tile and in several orders of memory: large ones are swept by windows."""

from __future__ import annotations

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tracea import Residual, ops  # noqa: E402

SIZES = [  # images, channels, rows, columns, filters, stride
    (5, 257, 7, 11, 67, (1, 1)), (2, 300, 13, 17, 16, (1, 1)), (3, 64, 19, 23, 65, (2, 2)), (1, 71, 9, 40, 33, (1, 3)),
    (3, 256, 10, 9, 100, (3, 1)), (7, 33, 8, 9, 31, (1, 1)), (300, 256, 1, 1, 20, (1, 1)), (2, 65, 1, 33, 17, (1, 2)),
]  # fmt: skip


@pytest.mark.parametrize("size", SIZES, ids=lambda size: "x".join(map(str, size)))
@pytest.mark.parametrize("lying", ["channels_last", "contiguous_format", "gaps"])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16], ids=str)
def test_pointwise(size: tuple[int, int, int, int, int, tuple[int, int]], lying: str, dtype: torch.dtype) -> None:
    n, c, h, w, k, stride = size
    generator = torch.Generator().manual_seed(11)
    form = torch.channels_last if lying == "channels_last" else torch.contiguous_format
    image = torch.randn(n, c, h + 2, w + 3, generator=generator).to(dtype)
    x = image[:, :, 1 : h + 1, 2 : w + 2] if lying == "gaps" else image[:, :, :h, :w].contiguous(memory_format=form)
    filters = (torch.randn(k, c, 1, 1, generator=generator) / c**0.5).to(dtype)
    exact = torch.nn.functional.conv2d(x.double(), filters.double(), stride=stride)
    residual = torch.randn(exact.shape, generator=generator).to(dtype).contiguous(memory_format=form)
    exact += residual.double()
    band = 64
    held = torch.full((exact.numel() + 2 * band,), -7.0, dtype=dtype)
    out = held[band:-band].as_strided(
        exact.shape, torch.empty(exact.shape).contiguous(memory_format=form).stride(), band
    )
    ops.conv2d(x, filters, stride=stride, epilogue=Residual(residual), out=out, fallback="error")
    assert (held[:band] == -7).all() and (held[-band:] == -7).all()
    bound = {torch.float32: 2e-5, torch.float64: 1e-13, torch.bfloat16: 4e-2}[dtype]
    np.testing.assert_allclose(out.double(), exact, atol=bound, rtol=bound)
