# SPDX-License-Identifier: MIT
"""Transposed convolutions of a graph are products like others: what rides along, gradients, and what a trial compares them with."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional
nn = torch.nn

from tracea.torch.compiler import backend, trial  # noqa: E402
from tracea.torch.compiler.report import GraphReport  # noqa: E402
from tracea.torch.compiler.sketch import sketch_of  # noqa: E402

ALWAYS = {"tracea.policy": "always"}


class Decoder(nn.Module):
    """Two steps up, as decoders of images make them; groups, a stride and a row of output that only padding reaches."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.ConvTranspose2d(6, 8, 3, stride=2, padding=1, output_padding=1, groups=2)
        self.norm = nn.BatchNorm2d(8)
        self.second = nn.ConvTranspose2d(8, 4, (3, 2), padding=(1, 0), dilation=(1, 2), bias=False)

    def forward(self, x: Any) -> Any:
        y = F.relu(self.norm(self.first(x)))
        z = self.second(y)
        return z + y[:, :4].mean((2, 3), keepdim=True)


def given() -> tuple[Any, Any]:
    torch.manual_seed(0)
    return Decoder(), torch.randn(2, 6, 5, 7)


def test_they_are_kernels_with_what_rides_along(without_compiler: None, reports: list[GraphReport]) -> None:
    model, x = given()
    model.eval()
    with torch.no_grad():
        got = torch.compile(model, backend="tracea", fullgraph=True, options=ALWAYS)(x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
        assert got.stride() == model(x).stride()
    taken = reports[0].taken
    assert [region.op for region in taken] == ["conv_transpose2d"] * 2
    assert taken[0].epilogue == "bias, batch_norm:1e-05, relu" and "left" not in taken[0].reason


def test_gradients(without_compiler: None, reports: list[GraphReport]) -> None:
    model, x = given()
    other, y = copy.deepcopy(model), x.clone().requires_grad_()
    x.requires_grad_()
    torch.compile(model, backend="tracea", fullgraph=True, options=ALWAYS)(x).square().mean().backward()
    other(y).square().mean().backward()
    assert len(reports[0].taken) == 2
    for mine, theirs in zip((x, *model.parameters()), (y, *other.parameters()), strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad, rtol=1e-3, atol=1e-5)


def test_what_is_no_pair_of_numbers_is_left_with_the_reason(without_compiler: None, reports: list[GraphReport]) -> None:
    x, w = torch.randn(6, 5, 7), torch.randn(6, 4, 3, 3)
    with torch.no_grad():
        got = torch.compile(lambda x, w: F.conv_transpose2d(x, w), backend="tracea", options=ALWAYS)(x, w)
    torch.testing.assert_close(got, F.conv_transpose2d(x, w))
    assert [region.reason for region in reports[0].regions] == ["an image without a batch axis"]


def test_a_trial_compares_with_pytorchs(without_compiler: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings stand in another order there."""
    model, x = given()
    seen: list[Any] = []

    def look(module: Any, inputs: Any) -> Any:
        seen.extend(sketch_of(region) for region in backend._find(module)[0].regions)
        return module.forward

    with torch.no_grad():
        torch.compile(model.first, backend=look)(x)
        torch.compile(model.second, backend=look)(model.first(x))
    for sketch, layer in zip(seen, (model.first, model.second), strict=True):
        first, second, *operands = sketch.materialize()
        expected = F.conv_transpose2d(
            first, second, operands[0] if operands else None, layer.stride, layer.padding, layer.output_padding,
            layer.groups, layer.dilation,
        )  # fmt: skip
        torch.testing.assert_close(trial._unfused(sketch, first, second, operands)(), expected, rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(trial._fused(sketch, [first, second, *operands])(), expected, rtol=1e-4, atol=1e-4)
        channels, out = first.shape[1], expected.shape[1]
        size = second.shape[2] * second.shape[3]
        assert sketch.work == first.shape[0] * first.shape[2] * first.shape[3] * channels * out * size // layer.groups
