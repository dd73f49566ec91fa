# SPDX-License-Identifier: MIT
"""Who multiplies in the backward pass of a compiled graph."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tracea.torch import autograd  # noqa: E402
from tracea.torch.compiler import inductor  # noqa: E402


def step(compiled: bool) -> None:
    x, w = (torch.randn(4, 6, requires_grad=True) for _ in range(2))

    def function(x: Any, w: Any) -> Any:
        return torch.ops.tracea.linear.default(x, w, [], "relu", "").sum()

    run = torch.compile(function, backend="aot_eager") if compiled else function
    run(x, w).backward()
    other = [t.detach().clone().requires_grad_() for t in (x, w)]
    torch.relu(torch.nn.functional.linear(*other)).sum().backward()
    for mine, theirs in zip((x, w), other, strict=True):
        torch.testing.assert_close(mine.grad, theirs.grad)


@pytest.mark.parametrize("compiled", [False, True])
def test_a_backward_pass_knows_whether_it_is_compiled(monkeypatch: pytest.MonkeyPatch, compiled: bool) -> None:
    seen: list[bool] = []
    product = autograd.product
    monkeypatch.setattr(autograd, "product", lambda *given: seen.append(autograd.is_compiled()) or product(*given))
    torch._dynamo.reset()
    step(compiled)
    assert len(seen) >= 2 and set(seen) == {compiled}


def test_products_that_are_compiled_for_a_gpu_are_pytorchs(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    monkeypatch.setattr(torch, "matmul", lambda *given: made.append(given) or "PyTorch's")
    a = SimpleNamespace(dtype=torch.bfloat16, device=torch.device("cuda:0"))
    monkeypatch.setattr(autograd, "is_compiled", lambda: True)
    assert autograd.product(a, a) == "PyTorch's" and made == [(a, a)]
    monkeypatch.setattr(torch.ops.tracea.matmul, "default", lambda *given: "tracea's", raising=False)
    for dtype, compiled in ((torch.float32, True), (None, False)):
        monkeypatch.setattr(autograd, "is_compiled", lambda compiled=compiled: compiled)
        assert autograd.product(a, a, dtype) == "tracea's"
    assert len(made) == 1


def test_keys_of_compiled_graphs_name_the_rules_of_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    now = inductor.UseTwins().uuid()
    assert f"gradients {autograd.RULES}," in now and now == inductor.UseTwins().uuid()
    monkeypatch.setattr(inductor, "RULES", autograd.RULES + 1)
    assert inductor.UseTwins().uuid() != now


@pytest.mark.slow
def test_graphs_compiled_by_other_rules_are_not_found_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if inductor.cpp_compiler() is None:
        pytest.skip("no C++ compiler")
    from torch._dynamo.utils import counters

    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path))
    x, w = (torch.randn(4, 6, requires_grad=True) for _ in range(2))

    def found() -> tuple[int, int]:
        torch._dynamo.reset()
        counters.clear()
        function = lambda x, w: torch.ops.tracea.linear.default(x, w, [], "relu", "").sum()  # noqa: E731
        torch.compile(function, backend="tracea", options={"tracea.policy": "never"})(x, w).backward()
        said = counters["aot_autograd"]
        return said["autograd_cache_miss"], said["autograd_cache_hit"]

    assert found() == (1, 0) and found() == (0, 1)
    monkeypatch.setattr(inductor, "RULES", autograd.RULES + 1)
    assert found() == (1, 0)
