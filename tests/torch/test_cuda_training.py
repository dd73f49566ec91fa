# SPDX-License-Identifier: MIT
"""Compiled training on a GPU: attention by PyTorch's one call, and lookups in tables, against float64. Needs a device."""

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

_BATCH, _HEADS, _COLUMNS = 8, 4, 32


def draw(*shape: int, dtype: Any = torch.bfloat16, seed: int = 0) -> Any:
    torch.manual_seed(seed + sum(shape))
    return torch.randn(*shape, device="cuda").to(dtype)


def looked_up(table: Any, positions: int) -> Any:
    along = torch.arange(positions, device="cuda")
    places = (along[:, None] - along + positions - 1).view(-1)
    return table[places].view(positions, positions, -1).permute(2, 0, 1)[None]


def windows(q: Any, k: Any, v: Any, table: Any) -> Any:
    """As Swin: biases of relative positions, and some windows hidden from others."""
    positions = q.shape[2]
    scores = (q * _COLUMNS**-0.5) @ k.transpose(-2, -1) + looked_up(table, positions)
    shifted = torch.where(torch.arange(positions, device="cuda") < 9, -100.0, 0.0).to(q.dtype)
    scores = scores.view(4, 2, _HEADS, positions, positions) + shifted[None, None, None, None]
    return scores.view(-1, _HEADS, positions, positions).softmax(-1) @ v


def one_head_of_keys(q: Any, k: Any, v: Any, table: Any) -> Any:
    seen = torch.ones(q.shape[2], q.shape[2], device="cuda", dtype=torch.bool).tril()
    return F.scaled_dot_product_attention(q * table.mean(), k[:, :1], v[:, :1], attn_mask=seen)


def turned_bias(q: Any, k: Any, v: Any, table: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=looked_up(table, q.shape[2]))


def widened(q: Any, k: Any, v: Any, table: Any) -> Any:
    scores = (q.to(torch.float32) @ k.to(torch.float32).transpose(2, 3)) * 0.2
    return F.softmax(scores, -1).to(v.dtype) @ (v * table.mean())


def gradients(call: Callable[..., Any], given: list[Any]) -> list[Any]:
    inputs = [x.detach().clone().requires_grad_() for x in given]
    result = call(*inputs).transpose(1, 2).flatten(2)
    (result * draw(*result.shape, seed=5).to(result.dtype)).sum().backward()
    return [result.detach(), *(x.grad for x in inputs)]


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("positions", [49, 64])
@pytest.mark.parametrize("call", [windows, one_head_of_keys, turned_bias, widened])
def test_attention_in_one_call(call: Callable[..., Any], positions: int, dtype: Any) -> None:
    torch._dynamo.reset()
    given = [draw(_BATCH, positions, _HEADS, _COLUMNS, dtype=dtype, seed=s).transpose(1, 2) for s in range(3)]
    given.append(draw(2 * positions - 1, _HEADS, dtype=dtype, seed=7))
    exact = gradients(call, [x.double() for x in given]) if call is not widened else None
    eager = gradients(call, given)
    compiled = torch.compile(call, backend="tracea", options={"tracea.policy": "always"})
    for place, (mine, steps) in enumerate(zip(gradients(compiled, given), eager, strict=True)):
        assert mine.dtype is dtype
        wanted = steps.double() if exact is None else exact[place]
        error, theirs = ((x.double() - wanted).norm() / wanted.norm() for x in (mine, steps))
        assert error <= max(8 * torch.finfo(dtype).eps, 1.5 * float(theirs)), (place, float(error), float(theirs))
    (report,) = tracea.explain(call, *(x.detach().requires_grad_() for x in given), policy="always").graphs
    assert any("one call" in region.reason for region in report.regions)


def test_a_trial_takes_the_call_that_has_a_kernel() -> None:
    given = [draw(8, 512, count, 64).transpose(1, 2).requires_grad_() for count in (16, 1, 1)]
    call = lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True)  # noqa: E731
    (report,) = tracea.explain(call, *given).graphs
    (region,) = report.regions
    assert "PyTorch's one call against" in region.reason and "gradients included" in region.reason
