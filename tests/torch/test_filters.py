# SPDX-License-Identifier: MIT
"""Gradients of images as convolutions by filters turned round: equal to PyTorch's, differentiable again, and taken where they pay."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode  # noqa: E402
from torch.nn import functional as F  # noqa: E402
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402

import tracea.torch as tt  # noqa: E402
from tracea.torch import filters  # noqa: E402

SETTINGS: list[tuple[tuple[int, ...], tuple[int, int], tuple[int, int], int]] = [
    ((12, 1, 3, 2), (0, 1), (1, 1), 6),
    ((4, 3, 2, 3), (1, 2), (2, 1), 2),
    ((5, 6, 3, 3), (2, 0), (1, 2), 1),
]


def draw(*shape: int) -> Any:
    return torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(sum(shape)))


@pytest.mark.parametrize(("shape", "padding", "dilation", "groups"), SETTINGS)
def test_equal_to_pytorchs(shape: tuple[int, ...], padding: Any, dilation: Any, groups: int) -> None:
    x, w = draw(2, shape[1] * groups, 7, 8).requires_grad_(), draw(*shape)
    for stride in (1, 2):
        out = F.conv2d(x, w, None, stride, padding, dilation, groups)
        sums = draw(*out.shape)
        (expected,) = torch.autograd.grad(out, x, sums)
        got = filters.image_gradient(sums, w, x.shape[2:], (stride, stride), padding, dilation, groups)
        assert torch.allclose(got, expected)
    assert filters.gathers((1, 1), padding, dilation, shape[2:])


def test_a_gpu_takes_filters_turned_round(monkeypatch: pytest.MonkeyPatch) -> None:
    sums, w = (tensor.to("meta") for tensor in (draw(2, 6, 5, 5), draw(6, 2, 3, 3)))
    called: list[Any] = []
    real = filters.turned
    monkeypatch.setattr(filters, "turned", lambda weight, groups: called.append(groups) or real(weight, groups))
    got = filters.image_gradient(sums, w, (6, 7), (1, 1), (1, 0), (1, 1), 2)
    assert called == [2] and got.shape == (2, 4, 5, 7)
    strided = filters.image_gradient(sums, w, (10, 9), (2, 2), (1, 1), (1, 1), 2)
    assert called == [2] and strided.shape == (2, 4, 10, 9)


@pytest.mark.parametrize("layout", [torch.contiguous_format, torch.channels_last])
def test_a_cpu_takes_3x3_filters_turned_round(layout: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    called: list[Any] = []
    real = filters.turned
    monkeypatch.setattr(filters, "turned", lambda weight, groups: called.append(weight.shape) or real(weight, groups))
    for size, dtype, steps, groups in (
        ((3, 3), torch.float32, 1, 1), ((3, 3), torch.float64, 1, 1), ((5, 3), torch.float32, 1, 1),
        ((3, 3), torch.float32, 2, 1), ((3, 3), torch.float32, 1, 2),
    ):  # fmt: skip
        x, w = draw(2, 16, 11, 12).to(dtype).requires_grad_(), draw(24, 16 // groups, *size).to(dtype)
        padding, strides = (size[0] // 2, 0), (steps, steps)
        out = F.conv2d(x, w, None, strides, padding, 1, groups)
        sums = draw(*out.shape).to(dtype).contiguous(memory_format=layout)
        (expected,) = torch.autograd.grad(out, x, sums)
        got = filters.image_gradient(sums, w, x.shape[2:], strides, padding, (1, 1), groups)
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-3)
    assert called == [(24, 16, 3, 3)]


def test_what_does_not_gather() -> None:
    assert not filters.gathers((2, 1), (1, 1), (1, 1), (3, 3))
    assert not filters.gathers((1, 1), (3, 1), (1, 1), (3, 3))  # whole windows lie in the padding


def test_taken_where_it_pays() -> None:
    once = ((1, 1), (1, 1), (1, 1))
    last = draw(2, 6, 5, 5).contiguous(memory_format=torch.channels_last)
    assert not filters.worthwhile(last, draw(6, 1, 3, 3), *once, 6)  # PyTorch's kernels for CPUs are the faster ones
    meta = last.to("meta")
    assert filters.worthwhile(meta, draw(6, 1, 3, 3), *once, 6) and filters.worthwhile(meta, draw(6, 3, 3, 3), *once, 2)
    assert not filters.worthwhile(meta, draw(6, 6, 3, 3), *once, 1)
    assert not filters.worthwhile(meta, draw(6, 1, 3, 3), (2, 2), (1, 1), (1, 1), 6)
    assert not filters.worthwhile(torch.empty(2, 6, 5, 5, device="meta"), draw(6, 1, 3, 3), *once, 6)
    single, wide = torch.empty(2, 32, 16, 8), torch.empty(32, 16, 3, 3)
    assert not filters.worthwhile(single[:1], wide, *once, 1) and filters.worthwhile(
        single[:1], wide[..., :1, :1], *once, 1
    )
    assert filters.worthwhile(single, wide, *once, 1)
    assert filters.worthwhile(single, wide, (2, 2), (1, 1), (1, 1), 1)
    assert not filters.worthwhile(single, wide, (3, 1), (1, 1), (1, 1), 1)
    lines = single.contiguous(memory_format=torch.channels_last)
    assert filters.worthwhile(lines, wide, *once, 1) and not filters.worthwhile(lines, wide, (1, 2), (1, 1), (1, 1), 1)
    assert not filters.worthwhile(single, wide[:, :3], *once, 1) and not filters.worthwhile(single, wide, *once, 2)
    assert not filters.worthwhile(single.double(), wide.double(), *once, 1)


def test_a_gpu_that_walks_over_windows_takes_what_was_measured_to_win(monkeypatch: pytest.MonkeyPatch) -> None:
    def meta(*shape: int, dtype: Any = torch.bfloat16, last: bool = True) -> Any:
        order = torch.channels_last if last else torch.contiguous_format
        return torch.empty(shape, dtype=dtype, device="meta").contiguous(memory_format=order)

    monkeypatch.setattr(filters, "walking", lambda device: True)
    x, sums, weight = meta(2, 64, 8, 8), meta(2, 32, 8, 8), meta(32, 64, 3, 3)
    once, twice, edge = (1, 1), (2, 2), (1, 1)
    assert filters.worthwhile(sums, weight, once, edge, once, 1)
    assert filters.filters_worthwhile(x, sums, (3, 3), once, once, 1)
    assert filters.filters_worthwhile(x, sums, (3, 3), twice, once, 1) and filters.filters_worthwhile(
        x, sums, (1, 1), twice, once, 1
    )
    assert not filters.worthwhile(sums, weight, twice, edge, once, 1)
    assert not filters.worthwhile(sums, meta(32, 64, 1, 1), once, (0, 0), once, 1)
    many, point = meta(64, 32, 7, 7), meta(32, 64, 1, 1)
    assert filters.worthwhile(many, point, twice, (0, 0), once, 1)
    for other, settings in (
        (meta(63, 32, 7, 7), (twice, (0, 0), once, 1)),
        (many, (twice, (1, 1), once, 1)),
        (many, ((2, 1), (0, 0), once, 1)),
        (meta(64, 32, 7, 7, last=False), (twice, (0, 0), once, 1)),
        (meta(64, 32, 7, 7, dtype=torch.float32), (twice, (0, 0), once, 1)),
    ):
        assert not filters.worthwhile(other, point, *settings)
    assert not filters.worthwhile(meta(64, 36, 7, 7), meta(36, 64, 1, 1), twice, (0, 0), once, 1)
    assert not filters.filters_worthwhile(x, sums, (1, 1), once, once, 1)
    for other in (meta(2, 32, 8, 8, dtype=torch.float32), meta(2, 32, 8, 8, last=False), meta(2, 36, 8, 8)):
        assert not filters.filters_worthwhile(x, other, (3, 3), once, once, 1)
        assert not filters.worthwhile(other, meta(other.shape[1], 64, 3, 3), once, edge, once, 1)
    assert not filters.filters_worthwhile(meta(2, 32, 8, 8), sums, (3, 3), once, once, 1)
    assert not filters.filters_worthwhile(x, sums, (3, 3), once, twice, 1)
    assert not filters.worthwhile(meta(16, 640, 64, 64), meta(640, 320, 3, 3), once, edge, once, 1), (
        "not measured to win"
    )
    monkeypatch.undo()
    assert not filters.worthwhile(sums, weight, once, edge, once, 1), "a device that is not known takes PyTorch's"


class Calls(TorchDispatchMode):
    """Counts the operators that are called."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.counts[function.name()] += 1
        return function(*args, **(kwargs or {}))


def gradients_on_a_gpu(x: tuple[int, ...], weight: tuple[int, ...], groups: int, dtype: Any) -> dict[str, int]:
    """Return how often each operator is called for both gradients of a 3×3 convolution, padded by one, on a GPU that is not there."""
    mode = FakeTensorMode()

    def fake(*shape: int) -> Any:
        memory = torch.empty(shape, dtype=dtype, device="meta").contiguous(memory_format=torch.channels_last)
        return FakeTensor(mode, memory, torch.device("cuda:0"))

    given, sums = (fake(*x), fake(*weight)), fake(x[0], weight[0], *x[2:])
    settings = ([1, 1], [1, 1], [1, 1], groups, "")
    ctx = SimpleNamespace(settings=settings, asked=(True, True), shapes=tuple(tensor.shape for tensor in given))
    with torch.no_grad(), mode, Calls() as calls:
        found = tt.autograd._through_conv2d(ctx, sums, *given)
    assert [tensor.shape for tensor in found] == [x, weight]
    return dict(calls.counts)


def test_short_gradients_of_graphs_compiled_for_a_gpu_are_one_call_of_pytorchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "walking", lambda device: True)
    pytorchs, ours = {"aten::convolution_backward": 1}, {"tracea::conv_transpose2d": 1, "tracea::conv2d_filters": 1}
    layer, deep = (64, 56, 56), (64, 64, 3, 3)
    wide, depthwise = (96, 56, 56), (96, 1, 3, 3)
    for compiled in (False, True):
        monkeypatch.setattr(tt.autograd, "is_compiled", lambda compiled=compiled: compiled)
        for batch in (16, 128):
            short = compiled and batch == 16
            assert gradients_on_a_gpu((batch, *layer), deep, 1, torch.bfloat16) == (pytorchs if short else ours)
            got = gradients_on_a_gpu((batch, *wide), depthwise, 96, torch.bfloat16)
            assert got["aten::convolution_backward"] == 1, "that of the filters"
            assert got.get("tracea::conv2d", 0) == (0 if short else 1)


def test_how_long_a_gradient_takes_is_told_by_its_multiplications() -> None:
    sums, weight = torch.empty(128, 64, 56, 56, device="meta"), torch.empty(64, 64, 3, 3, device="meta")
    assert filters.is_long(sums, weight, 1) and not filters.is_long(sums[:86], weight, 1)
    assert filters.is_long(sums[:87], weight, 1), "1.006e10"
    few = torch.empty(64, 1, 3, 3, device="meta")
    many = torch.empty(56, 64, 56, 56, device="meta")
    assert filters.is_long(many, few, 64) and not filters.is_long(many[:55], few, 64), "1.01e8 and 0.993e8"
    assert not filters.is_long(sums[:0], weight, 1)


def test_gradients_in_planes_are_laid_out_as_images_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def refuse(sums: Any, *arguments: Any) -> bool:
        asked.append(sums.is_contiguous(memory_format=torch.channels_last))
        return False

    monkeypatch.setattr(tt.autograd.shapes, "LAID_OUT", ("cpu",))
    monkeypatch.setattr(filters, "worthwhile", refuse)
    w = draw(4, 3, 2, 2).requires_grad_()
    for last in (True, False):
        x = draw(2, 3, 5, 6)
        x = (x.contiguous(memory_format=torch.channels_last) if last else x).requires_grad_()
        out = tt.conv2d(x, w)
        slopes = draw(*out.shape)
        got = torch.autograd.grad(out, (x, w), slopes)
        expected = torch.autograd.grad(F.conv2d(x, w), (x, w), slopes)
        assert all(torch.allclose(mine, theirs) for mine, theirs in zip(got, expected, strict=True))
    assert asked == [True, False]


def test_a_gradient_of_filters_by_tracea_is_pytorchs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "filters_worthwhile", lambda *arguments: True)
    x, w = draw(2, 4, 5, 6).requires_grad_(), draw(6, 2, 3, 2).requires_grad_()
    settings = ([2, 1], [1, 0], [1, 1], 2)
    function = lambda x, w: tt.conv2d(x, w, (), "silu", *settings)  # noqa: E731
    assert torch.autograd.gradcheck(function, (x, w))
    (mine,) = torch.autograd.grad(function(x, w).sum(), w)
    (theirs,) = torch.autograd.grad(F.silu(F.conv2d(x, w, None, *settings)).sum(), w)
    assert torch.allclose(mine, theirs)


@pytest.mark.parametrize("asked", [(True, True), (True, False), (False, True)])
def test_gradients_through_the_operator(asked: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def always(sums: Any, weight: Any, stride: Any, padding: Any, dilation: Any, groups: int) -> bool:
        calls.append(groups)
        return True

    monkeypatch.setattr(filters, "worthwhile", always)
    x, w = (
        tensor.requires_grad_(wanted)
        for tensor, wanted in zip((draw(1, 2, 3, 4), draw(2, 1, 3, 2)), asked, strict=True)
    )
    settings = ([1, 1], [1, 0], [1, 1], 2)
    function = lambda x, w: tt.conv2d(x, w, (), "silu", *settings)  # noqa: E731
    assert torch.autograd.gradcheck(function, (x, w))
    if all(asked):  # the gradient is made of differentiable operators itself
        (by_x,) = torch.autograd.grad(function(x, w).sum(), x, create_graph=True)
        (again,) = torch.autograd.grad(by_x.square().sum(), w)
        (plain,) = torch.autograd.grad(F.silu(F.conv2d(x, w, None, *settings)).sum(), x, create_graph=True)
        (expected,) = torch.autograd.grad(plain.square().sum(), w)
        assert torch.allclose(again, expected)
    assert bool(calls) is asked[0]


def test_a_transposed_convolutions_image_gets_a_convolution(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(filters, "is_fast", lambda *arguments: True)
    x, w = draw(1, 2, 3, 2).requires_grad_(), draw(2, 3, 2, 2).requires_grad_()
    settings = ([1, 1], [0, 1], [1, 1], [2, 2], 1)  # the extra row is one that a window would still reach
    assert torch.autograd.gradcheck(lambda x, w: tt.conv_transpose2d(x, w, (), "", *settings), (x, w))


def test_planes_with_filters_of_their_own_are_taken_where_they_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    def meta(*shape: int, dtype: Any = torch.bfloat16) -> Any:
        return torch.empty(shape, dtype=dtype, device="meta")

    once, edge = (1, 1), (3, 3)
    sums, weight = meta(16, 96, 56, 56), meta(96, 1, 7, 7)
    assert not filters.of_planes(sums, weight, once, 96), "nobody measured other devices"
    monkeypatch.setattr(filters, "walking", lambda device: True)
    assert filters.of_planes(sums, weight, once, 96) and filters.worthwhile(sums, weight, once, edge, once, 96)
    assert filters.is_long(sums, weight, 96) and not filters.is_long(sums[:1, :, :14, :14].contiguous(), weight, 96)
    assert not filters.of_planes(sums.contiguous(memory_format=torch.channels_last), weight, once, 96)
    for other, kernel, spread, groups in (
        (sums.double(), weight.double(), once, 96),
        (sums, weight.half(), once, 96),
        (sums, meta(96, 2, 7, 7), once, 48),
        (sums, meta(96, 1, 13, 1), once, 96),
        (sums.float(), meta(96, 1, 9, 1, dtype=torch.float32), once, 96),
        (sums, weight, (2, 2), 96),
        (sums[0], weight, once, 96),
    ):
        assert not filters.of_planes(other, kernel, spread, groups)
    single = sums.float(), weight.float()
    assert filters.of_planes(*single, once, 96) and not filters.worthwhile(*single, once, edge, once, 96)
    # each plane of two filters has a gradient that is a sum of two planes
    twice = meta(192, 1, 7, 7)
    assert filters.of_planes(sums, twice, once, 96)
    assert not filters.worthwhile(meta(16, 192, 56, 56), twice, once, edge, once, 96)


def test_the_gradient_of_filters_of_planes_is_that_of_channels_last_copies() -> None:
    x, w, sums = draw(2, 6, 9, 8), draw(12, 1, 3, 3), draw(2, 12, 5, 4)
    wanted = torch.ops.aten.convolution_backward.default(
        sums, x, w, None, [2, 2], [1, 1], [1, 1], False, [0, 0], 6, [False, True, False]
    )[1]
    got = filters.filter_gradient_of_planes(x, sums, w, (2, 2), (1, 1), (1, 1), 6)
    torch.testing.assert_close(got, wanted)
    assert got.is_contiguous()
