# SPDX-License-Identifier: MIT
"""Patches that begin or end inside compiled code: one graph, tracea's operator in it, and nothing left over."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

import tracea  # noqa: E402
from tracea.torch import patch  # noqa: E402
from tracea.torch.modules import ORIGINAL  # noqa: E402


@pytest.fixture(autouse=True)
def as_in_a_new_process() -> Iterator[None]:
    yield
    patch._state.depth, patch._state.traced = 0, False
    nn.Conv2d._conv_forward = ORIGINAL
    torch._dynamo.reset()


class Compiled:
    """Compiles without breaks, and keeps who computes the convolutions of each graph."""

    def __init__(self) -> None:
        self.graphs: list[list[str]] = []

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        made: Callable[..., Any] = torch.compile(function, backend=self.keep, fullgraph=True)
        return made

    def keep(self, module: Any, inputs: Any) -> Any:
        names = {torch.conv2d: "torch", torch.ops.tracea.conv2d.default: "tracea"}
        self.graphs.append([names[node.target] for node in module.graph.nodes if node.target in names])
        return module.forward


def _given() -> tuple[Any, Any, Any]:
    torch.manual_seed(0)
    layer, x = nn.Conv2d(3, 4, 3, padding=1), torch.randn(2, 3, 7, 7)
    return layer, x, layer(x).detach()


def test_a_block_inside_compiled_code_breaks_no_graph() -> None:
    layer, x, expected = _given()

    def call(x: Any) -> Any:
        with tracea.patch_conv2d():
            return layer(x)

    said = torch._dynamo.explain(call)(x)
    assert (said.graph_count, said.graph_break_count) == (1, 0)
    compiled = Compiled()
    torch.testing.assert_close(compiled(call)(x), expected, rtol=1e-4, atol=1e-4)
    assert compiled.graphs == [["tracea"]] and not patch.is_patched()
    assert torch.equal(layer(x), expected), "PyTorch computes again"


def test_a_block_ends_inside_compiled_code() -> None:
    layer, x, expected = _given()

    def call(x: Any) -> Any:
        handle = tracea.patch_conv2d()
        y = layer(x)
        handle.undo()
        handle.undo()
        return y, layer(x)

    compiled = Compiled()
    for got in compiled(call)(x):
        torch.testing.assert_close(got, expected, rtol=1e-4, atol=1e-4)
    assert compiled.graphs == [["tracea", "torch"]]


def test_a_patch_outlives_the_compiled_call_that_made_it() -> None:
    layer, x, _ = _given()

    def begin(x: Any) -> Any:
        tracea.patch_conv2d()
        return layer(x)

    def end(x: Any) -> Any:
        tracea.unpatch_conv2d()
        return layer(x)

    compiled = Compiled()
    compiled(begin)(x)
    assert patch.is_patched()
    with torch.no_grad():
        assert layer(x).grad_fn is None
    assert "tracea" in type(layer(x).grad_fn).__name__.lower(), "eager calls see it as well"
    compiled(end)(x)
    assert not patch.is_patched() and compiled.graphs == [["tracea"], ["torch"]]


def test_what_was_traced_under_a_patch_is_compiled_again_without() -> None:
    layer, x, _ = _given()
    compiled = Compiled()
    call = compiled(layer)
    for _ in range(2):  # the second time both graphs are there
        with tracea.patch_conv2d():
            call(x)
        call(x)
    assert compiled.graphs == [["tracea"], ["torch"]]


def test_gradients_flow_through_a_block_inside_compiled_code() -> None:
    layer, x, _ = _given()
    other = copy.deepcopy(layer)

    def loss(x: Any) -> Any:
        with tracea.patch_conv2d():
            return layer(x).square().sum()

    torch.compile(loss, backend="aot_eager", fullgraph=True)(x).backward()
    other(x).square().sum().backward()
    for a, b in zip(layer.parameters(), other.parameters(), strict=True):
        torch.testing.assert_close(a.grad, b.grad, rtol=1e-3, atol=1e-3)


def test_nothing_is_left_of_a_patch_that_no_tracer_saw() -> None:
    with tracea.patch_conv2d():
        assert nn.Conv2d._conv_forward is not ORIGINAL
    assert nn.Conv2d._conv_forward is ORIGINAL


def test_modules_stay_scriptable_after_compiled_code_has_patched() -> None:
    layer, x, expected = _given()

    def call(x: Any) -> Any:
        with tracea.patch_conv2d():
            return layer(x)

    torch.compile(call, backend="eager")(x)
    assert nn.Conv2d._conv_forward is not ORIGINAL
    torch.testing.assert_close(torch.jit.script(layer)(x), expected, rtol=1e-4, atol=1e-4)
