# SPDX-License-Identifier: MIT
"""Registered tensors: products find their copy, notice every counted write, and free it with the tensor."""

from __future__ import annotations

import copy
import gc
import threading

import pytest
import torch
from tracea_core.errors import OptionError, UnsupportedError

from tracea import ops
from tracea.torch import packed
from tracea.torch.modules import TraceaLinear


def close(got: torch.Tensor, wanted: torch.Tensor) -> bool:
    return bool(torch.allclose(got.double(), wanted.double(), atol=1e-4, rtol=1e-4))


def test_products_use_the_copy_and_notice_writes() -> None:
    x, weight = torch.randn(5, 70), ops.prepacked(torch.nn.Parameter(torch.randn(50, 70)))
    assert packed.registered(weight)
    with torch.no_grad():
        assert close(ops.linear(x, weight), x @ weight.t())
        first = packed.panels_of("linear", weight)
        assert first is packed.panels_of("linear", weight)
        weight.mul_(3)
        assert close(ops.linear(x, weight), x @ weight.t())
        assert packed.panels_of("linear", weight) is not first
        out = torch.full((5, 50), float("nan"))
        assert ops.linear(x, weight, out=out) is out
        assert close(out, x @ weight.t())
        weight.data = torch.randn(50, 70)
        assert close(ops.linear(x, weight), x @ weight.t())


def test_it_is_the_copy_that_is_multiplied() -> None:
    x, weight = torch.ones(2, 8), ops.prepacked(torch.ones(3, 8))
    panels = packed.panels_of("linear", weight)
    assert panels is not None
    panels.matrix.fill_(2.0)
    assert (ops.linear(x, weight) == 16).all()
    assert (ops.linear(x, weight, out=torch.empty(2, 3)) == 16).all()


def test_both_ops_have_copies_of_their_own() -> None:
    weight = ops.prepacked(torch.randn(6, 9))
    assert close(ops.matmul(torch.ones(2, 6), weight), torch.ones(2, 6) @ weight)
    assert close(ops.matmul(torch.ones(4, 2, 6), weight), torch.ones(4, 2, 6) @ weight)
    assert close(ops.linear(torch.ones(2, 9), weight), torch.ones(2, 9) @ weight.t())
    out = torch.empty(2, 9)
    for _ in range(3):
        assert close(ops.matmul(torch.ones(2, 6), weight, out=out), torch.ones(2, 6) @ weight)


def test_the_copy_goes_with_the_tensor() -> None:
    weight = ops.prepacked(torch.randn(6, 9))
    ops.linear(torch.ones(2, 9), weight)
    other, known = copy.deepcopy(weight), packed.held[id(weight)]
    assert not packed.registered(other)
    assert known.owner() is weight
    del weight
    gc.collect()
    assert known.owner() is None
    assert known not in packed.held.values()


def test_gradients_and_what_panels_do_not_serve() -> None:
    x, weight = torch.randn(4, 8, requires_grad=True), ops.prepacked(torch.nn.Parameter(torch.randn(6, 8)))
    ops.linear(x, weight, epilogue="relu").sum().backward()
    own = torch.nn.functional.linear(x, weight).relu().sum()
    wanted = torch.autograd.grad(own, (x, weight))
    assert x.grad is not None
    assert close(x.grad, wanted[0])
    assert close(weight.grad, wanted[1])
    with torch.no_grad():
        gated = ops.linear(x, weight, epilogue="swiglu")
        left, right = torch.nn.functional.linear(x, weight).chunk(2, -1)
        assert close(gated, torch.nn.functional.silu(left) * right) or close(
            gated, left * torch.nn.functional.silu(right)
        )


def test_compiled_graphs_and_modules_use_it() -> None:
    plain = torch.nn.Linear(256, 512)
    model = torch.nn.Sequential(plain, torch.nn.ReLU()).eval()
    layer = TraceaLinear.from_module(plain, activation="relu")
    assert layer.weight is ops.prepacked(plain.weight)
    compiled, x = torch.compile(model, backend="tracea", options={"tracea.policy": "always"}), torch.randn(16, 256)
    with torch.no_grad():
        assert close(compiled(x), model(x))
        assert close(layer(x), model(x))
        panels = packed.panels_of("linear", plain.weight)
        assert panels is not None
        panels.matrix.untyped_storage().fill_(0)  # type: ignore[attr-defined]
        only_bias = plain.bias.relu().expand(16, -1)
        assert close(compiled(x), only_bias)
        assert close(layer(x), only_bias)
        plain.weight.add_(1.0)
        assert close(compiled(x), model(x))


def test_threads_share_one_copy() -> None:
    weight, seen = ops.prepacked(torch.randn(200, 200)), []
    threads = [threading.Thread(target=lambda: seen.append(packed.panels_of("linear", weight))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len({id(found) for found in seen}) == 1


def test_what_cannot_be_kept_is_refused() -> None:
    with torch.inference_mode():
        weight = torch.randn(3, 4)
    with pytest.raises(OptionError, match="inference mode"):
        ops.prepacked(weight)
    with pytest.raises(UnsupportedError, match="on meta"):
        ops.prepacked(torch.empty(3, 4, device="meta"))
    with pytest.raises(UnsupportedError, match="fp32 or fp64"):
        ops.prepacked(torch.zeros(3, 4, dtype=torch.bfloat16))
