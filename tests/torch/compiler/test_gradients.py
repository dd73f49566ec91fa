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
    monkeypatch.setattr(
        autograd, "product", lambda *given, **how: seen.append(autograd.is_compiled()) or product(*given, **how)
    )
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
    a.device = torch.device("cpu")
    assert autograd.product(a, a) == "tracea's" and autograd.product(a, a, in_torch=True) == "PyTorch's"


@pytest.mark.parametrize("name", ["linear", "conv2d"])
def test_gradients_of_products_stand_ahead_of_those_of_operands(name: str) -> None:
    """Inductor stores what a product reads; sums that come first would compute it for themselves, once more."""
    extra = ([1, 1], [0, 0], [1, 1], 1, "") if name == "conv2d" else ("",)
    shapes = ((2, 4, 5, 5), (6, 4, 1, 1)) if name == "conv2d" else ((8, 4), (6, 4))
    graphs: list[Any] = []

    def function(*given: Any) -> Any:
        x, w, b = given
        return getattr(torch.ops.tracea, name).default(x, w, [b], "bias,relu", *extra).sum()

    def keep(graph: Any, _: Any) -> Any:
        graphs.append(graph)
        return graph.forward

    from torch._dynamo.backends.common import aot_autograd

    given = [torch.randn(shape, requires_grad=True) for shape in (*shapes, (6,))]
    torch._dynamo.reset()
    compiled = torch.compile(function, backend=aot_autograd(fw_compiler=keep))
    compiled(*given).backward()
    targets = [str(node.target) for node in graphs[-1].graph.nodes if node.op == "call_function"]
    products = [place for place, target in enumerate(targets) if "tracea" in target or "convolution" in target]
    sums = [place for place, target in enumerate(targets) if "sum" in target]
    assert products and sums and max(products) < min(sums), targets


def test_keys_of_compiled_graphs_name_the_sources_of_gradients() -> None:
    now = inductor.UseTwins().uuid()
    assert f"sources {inductor.sources()}," in now and now == inductor.UseTwins().uuid()


def test_a_digest_sees_every_change_of_a_source(tmp_path: Path) -> None:
    """Content, names and what stands in which package; no other files."""
    packages = [tmp_path / name for name in ("one", "two")]
    for package in packages:
        (package / "deep").mkdir(parents=True)
        (package / "deep" / "rule.py").write_text("RULE = 1\n")
    seen = [inductor.digest_of(packages)]
    (packages[0] / "note.txt").write_text("no source")
    assert inductor.digest_of(packages) == seen[0]
    (packages[1] / "deep" / "rule.py").write_text("RULE = 2\n")
    seen.append(inductor.digest_of(packages))
    (packages[1] / "deep" / "rule.py").rename(packages[1] / "deep" / "other.py")
    seen.append(inductor.digest_of(packages))
    (packages[1] / "deep" / "other.py").rename(packages[0] / "deep" / "other.py")
    seen.append(inductor.digest_of(packages))
    assert len(set(seen)) == 4


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
    monkeypatch.setattr(inductor, "sources", lambda: "of another version")
    assert found() == (1, 0)
