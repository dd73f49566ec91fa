# SPDX-License-Identifier: MIT
"""On a GPU, too, no input is copied: what a call allocates is its result and never anything as large as an input. Needs a device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)
pytestmark = pytest.mark.device
F = torch.nn.functional

import tracea  # noqa: E402
from tracea import ops  # noqa: E402

REQUESTED = "requested_bytes.all.allocated"
"""What PyTorch's allocator was asked for; blocks that it gives out may be larger."""


def draw(*shape: int, last: bool = False) -> Any:
    torch.manual_seed(sum(shape))
    made = (torch.randn(*shape, device="cuda") * 0.1).bfloat16()
    return made.to(memory_format=torch.channels_last) if last else made


def allocated(call: Callable[[], Any]) -> tuple[int, Any]:
    """Bytes that are allocated during a call that was made before, freed again or not, and what it returns."""
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    before = torch.cuda.memory_stats()[REQUESTED]
    result = call()
    return torch.cuda.memory_stats()[REQUESTED] - before, result


def beside(call: Callable[[], Any]) -> int:
    """Bytes that a call allocates beside its result."""
    total, result = allocated(call)
    return total - int(result.untyped_storage().nbytes())


def matrices(view: str) -> tuple[Any, Any]:
    rows = {
        "contiguous": lambda: draw(2048, 1024),
        "transposed": lambda: draw(1024, 2048).t(),
        "every second row": lambda: draw(4096, 1024)[::2],
        "a window": lambda: draw(2050, 1088)[1:2049, 8:1032],
    }
    return rows[view](), draw(1536, 1024)


@pytest.mark.parametrize("view", ["contiguous", "transposed", "every second row", "a window"])
def test_products_allocate_their_result(view: str) -> None:
    x, w = matrices(view)
    bias = draw(1536)
    assert beside(lambda: ops.linear(x, w, bias, epilogue="gelu", fallback="error")) < min(x.nbytes, w.nbytes) // 8
    torch.testing.assert_close(ops.linear(x, w, bias), F.linear(x, w, bias), atol=0.05, rtol=0.05)


@pytest.mark.parametrize("size", [1, 3])
def test_images_and_filters_are_read_where_they_lie(size: int) -> None:
    x, w = draw(16, 128, 56, 56, last=True), draw(256, 128, size, size, last=True)
    call = lambda: ops.conv2d(x, w, padding=size // 2, epilogue="relu", fallback="error")  # noqa: E731
    assert beside(call) < x.nbytes // 8
    torch.testing.assert_close(call(), F.relu(F.conv2d(x, w, padding=size // 2)), atol=0.05, rtol=0.05)


def test_batches_attention_groups_and_blocks() -> None:
    a, b = draw(16, 512, 256), draw(16, 256, 384)
    assert beside(lambda: ops.matmul(a, b, fallback="error")) < b.nbytes // 8
    q, k, v = (draw(4, 8, 512, 64) for _ in range(3))
    assert beside(lambda: ops.attention(q, k, v, fallback="error")) < q.nbytes // 8
    x, weights = draw(2048, 512), draw(8, 512, 384)
    ends = torch.arange(1, 9, dtype=torch.int32, device="cuda") * 256
    assert beside(lambda: ops.grouped_matmul(x, weights, ends, fallback="error")) < x.nbytes // 8
    pattern = tracea.BlockPattern.from_mask(torch.eye(16).repeat(1, 2).bool().numpy(), 64, 64)
    blocks, dense = draw(pattern.blocks, 64, 64), draw(2048, 1024)
    assert beside(lambda: ops.block_sparse_matmul(dense, blocks, pattern, fallback="error")) < blocks.nbytes // 2


def test_out_is_written_directly() -> None:
    x, w = matrices("contiguous")
    out = torch.empty(2048, 1536, dtype=torch.bfloat16, device="cuda")
    total, result = allocated(lambda: ops.linear(x, w, out=out))
    assert result is out and total < w.nbytes // 8


def test_compiled_graphs_copy_no_input() -> None:
    x, w, b = draw(2048, 1024), draw(1536, 1024), draw(1536)
    options = {"tracea.policy": "always"}
    compiled = torch.compile(lambda x: F.relu(F.linear(x, w, b)), backend="tracea", options=options)
    with torch.no_grad():
        assert beside(lambda: compiled(x)) < min(x.nbytes, w.nbytes) // 8


def test_gradients_allocate_gradients() -> None:
    x, w = draw(2048, 1024), draw(1536, 1024).requires_grad_()
    given = draw(2048, 1536)

    def step() -> Any:
        w.grad = None
        ops.linear(x, w).backward(given)
        return w.grad

    total, _ = allocated(step)
    assert total < x.shape[0] * w.shape[0] * 2 + w.nbytes + min(x.nbytes, w.nbytes) // 8


def test_a_copy_would_be_seen() -> None:
    x, w = matrices("contiguous")
    assert beside(lambda: ops.linear(x.clone(), w)) >= x.nbytes
