# SPDX-License-Identifier: MIT
"""``tracea::conv_transpose2d`` in PyTorch: its own checks, gradients of gradients, mapped axes, modes, and what falls back."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.nn import functional as F  # noqa: E402
from tracea_core.errors import ShapeError, UnsupportedError  # noqa: E402

import tracea.torch as tt  # noqa: E402
from tracea import ops  # noqa: E402

SETTINGS: tuple[Any, ...] = ([1, 2], [1, 0], [0, 1], [1, 1], 2)


def draw(*shape: int, dtype: Any = torch.float64) -> Any:
    return torch.randn(shape, dtype=dtype, generator=torch.Generator().manual_seed(sum(shape)))


def plain(x: Any, w: Any, b: Any = None) -> Any:
    stride, padding, extra, dilation, groups = SETTINGS
    return F.conv_transpose2d(x, w, b, stride, padding, extra, groups, dilation)


@pytest.mark.parametrize(("text", "last"), [("bias,relu", False), ("residual", True)])
def test_passes_pytorchs_checks(text: str, last: bool) -> None:
    x, w = draw(1, 4, 3, 2), draw(4, 3, 3, 2).requires_grad_()
    x = (x.to(memory_format=torch.channels_last) if last else x).requires_grad_()
    given = [(draw(6) if "bias" in text else draw(*plain(x, w).shape)).requires_grad_()]
    torch.library.opcheck(torch.ops.tracea.conv_transpose2d.default, (x, w, given, text, *SETTINGS, ""))
    assert torch.autograd.gradcheck(lambda x, w, *o: tt.conv_transpose2d(x, w, o, text, *SETTINGS), (x, w, *given))


def test_gradients_of_gradients_and_mapped_images() -> None:
    x, w = draw(1, 4, 3, 2).requires_grad_(), draw(4, 3, 3, 2).requires_grad_()
    found = []
    for function in (lambda: tt.conv_transpose2d(x, w, (), "", *SETTINGS), lambda: plain(x, w)):
        (by_x,) = torch.autograd.grad(function().square().sum(), x, create_graph=True)
        found.append(torch.autograd.grad(by_x.square().sum(), w)[0])
    assert torch.allclose(*found)
    images = draw(3, 1, 4, 3, 2)
    got = torch.vmap(lambda one: tt.conv_transpose2d(one, w.detach(), (), "relu", *SETTINGS))(images)
    assert torch.allclose(got, torch.vmap(lambda one: torch.relu(plain(one, w.detach())))(images))


def test_the_op_takes_tensors_in_pytorchs_order() -> None:
    x, w, b = draw(2, 4, 5, 3, dtype=torch.float32), draw(4, 3, 3, 2, dtype=torch.float32), draw(6, dtype=torch.float32)
    stride, padding, extra, dilation, groups = SETTINGS
    got = ops.conv_transpose2d(x, w, b, stride, padding, extra, groups, dilation, epilogue="relu", fallback="error")
    assert torch.allclose(got, torch.relu(plain(x, w, b)), atol=1e-5)
    out = torch.full_like(got, torch.nan)
    assert ops.conv_transpose2d(x, w, b, *SETTINGS[:3], groups, out=out, epilogue="relu") is out
    assert torch.equal(out, got)
    with torch.autocast("cpu", torch.bfloat16):
        assert tt.conv_transpose2d(x, w, (), "", *SETTINGS).dtype is torch.bfloat16
    twin = torch.ops.tracea._conv_transpose2d.default(x, w, [b], "bias,relu", *SETTINGS, "")
    assert torch.equal(twin, got)


def test_what_no_kernel_takes_is_pytorchs() -> None:
    x, w = draw(1, 2, 3, 3), draw(2, 3, 2, 2)
    assert torch.allclose(ops.conv_transpose2d(x, w, stride=5), F.conv_transpose2d(x, w, stride=5))
    with pytest.raises(UnsupportedError, match="convolutions"):
        ops.conv_transpose2d(x, w, stride=5, fallback="error")
    with pytest.raises(ShapeError, match="conv_transpose2d takes"):
        ops.conv_transpose2d(x, w[:1])


@pytest.mark.parametrize("last", [False, True])
def test_single_pixels_are_multiplied_at_once(last: bool) -> None:
    x, w = draw(5, 12, 1, 1, dtype=torch.float32), draw(12, 6, 4, 3, dtype=torch.float32)
    if last:
        x, w = (tensor.to(memory_format=torch.channels_last) for tensor in (x, w))
    expected = F.conv_transpose2d(x, w, None, 2)
    got = ops.conv_transpose2d(x, w, None, 2, epilogue="relu", fallback="error")
    assert torch.allclose(got, torch.relu(expected), atol=1e-5)
    out = torch.full_like(expected, torch.nan)
    ops.conv_transpose2d(x, w, None, 2, out=out, fallback="error")
    assert torch.allclose(out, expected, atol=1e-5)
