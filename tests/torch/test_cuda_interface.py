# SPDX-License-Identifier: MIT
"""Arrays on a GPU that have nothing but the CUDA Array Interface: read where they lie, after what their stream has queued."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tracea import arrays, ops  # noqa: E402

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device"),
]
_CLOCKS = 20_000_000  # some 10 ms


class Interface:
    """What a library shows of a tensor that it fills on a stream."""

    def __init__(self, tensor: Any, stream: Any = None) -> None:
        handle = None if stream is None else stream.cuda_stream or 1
        self.__cuda_array_interface__ = {**tensor.__cuda_array_interface__, "version": 3, "stream": handle}


def test_nothing_is_copied() -> None:
    x = torch.randn(64, 96, device="cuda", dtype=torch.float16)
    for tensor in (x, x.t(), x[3:, 8:]):
        assert arrays.adopt(Interface(tensor), "a").data_ptr() == tensor.data_ptr()
    w = torch.randn(96, 32, device="cuda", dtype=torch.float16)
    torch.testing.assert_close(ops.matmul(Interface(x), Interface(w)), x @ w, rtol=1e-2, atol=1e-2)


def test_work_of_the_producers_stream_is_waited_for() -> None:
    side, x, w = torch.cuda.Stream(), torch.zeros(64, 64, device="cuda"), torch.eye(64, device="cuda")
    ops.matmul(x, w)  # nothing is planned or compiled below
    torch.cuda.synchronize()
    with torch.cuda.stream(side):
        torch.cuda._sleep(_CLOCKS)
        x.fill_(3.0)
    assert ops.matmul(Interface(x, side), w).eq(3.0).all()
