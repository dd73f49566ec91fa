# SPDX-License-Identifier: MIT
"""Training with one kernel for a product and its activation: values and gradients of every order are those of two."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = pytest.importorskip("torch.nn.functional")
import tracea  # noqa: E402
from tracea import ops  # noqa: E402
from tracea.torch import auxiliary, kernels  # noqa: E402
from tracea.torch.tails import FUNCTIONS  # noqa: E402


@pytest.fixture(autouse=True)
def everywhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(auxiliary, "DEVICES", ("cpu", "cuda"))


@pytest.fixture
def texts(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The epilogues of the kernels that run."""
    seen: list[str] = []
    run = kernels.run

    def noted(name: str, tensors: Any, epilogue: str, *rest: Any) -> Any:
        seen.append(epilogue)
        return run(name, tensors, epilogue, *rest)

    monkeypatch.setattr(kernels, "run", noted)
    return seen


def draw(*shape: int, dtype: Any = torch.float64) -> Any:
    made = torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(sum(shape)))
    return made.to(dtype).requires_grad_()


@pytest.mark.parametrize("activation", sorted(auxiliary.SLOPES))
def test_gradients_of_both_orders(activation: str, texts: list[str]) -> None:
    x, w, b = draw(3, 5), draw(4, 5), draw(4)

    def layer(*given: Any) -> Any:
        return ops.linear(*given, epilogue=activation, fallback="error")

    assert torch.autograd.gradcheck(layer, (x, w, b)) and torch.autograd.gradgradcheck(layer, (x, w, b))
    assert f"bias,auxiliary,{activation}" in texts


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_one_kernel_gives_what_two_give(dtype: Any, texts: list[str]) -> None:
    given = [draw(33, 70, dtype=dtype), draw(50, 70, dtype=dtype), draw(50, dtype=dtype)]
    others = [tensor.detach().clone().requires_grad_() for tensor in given]
    mine, theirs = ops.linear(*given, epilogue="gelu"), F.gelu(F.linear(*others))
    scale = 1e-5 if dtype is torch.float32 else 0.1
    assert texts == ["bias,auxiliary,gelu"] and torch.allclose(mine, theirs, atol=scale, rtol=scale)
    mine.sum().backward(), theirs.sum().backward()
    for tensor, other in zip(given, others, strict=True):
        assert torch.allclose(tensor.grad, other.grad, atol=50 * scale, rtol=scale)


def test_convolutions_and_products_do_so_too(texts: list[str]) -> None:
    images, filters, bias = draw(2, 4, 5, 6), draw(3, 4, 3, 3), draw(3)
    assert torch.autograd.gradcheck(
        lambda *given: ops.conv2d(*given, padding=1, epilogue="silu", fallback="error"), (images, filters, bias)
    )
    assert torch.autograd.gradcheck(lambda a, b: ops.matmul(a, b, epilogue="gelu"), (draw(2, 3, 5), draw(2, 5, 4)))
    assert {"bias,auxiliary,silu", "auxiliary,gelu"} <= set(texts)


def test_only_what_is_asked_for_has_gradients() -> None:
    x, w = draw(3, 5), draw(4, 5)
    ops.linear(x.detach(), w, epilogue="gelu").sum().backward()
    assert x.grad is None and w.grad is not None


def test_where_something_listens_nothing_changes(texts: list[str]) -> None:
    x, w, b = draw(3, 5), draw(4, 5), draw(4)

    def loss(weight: Any) -> Any:
        return ops.linear(x, weight, b, epilogue="gelu").square().sum()

    (expected,) = torch.autograd.grad(loss(w), w)
    texts.clear()
    assert torch.allclose(torch.func.grad(loss)(w.detach()), expected)
    assert torch.allclose(torch.vmap(torch.func.grad(loss))(w.detach()[None])[0], expected)
    assert not any("auxiliary" in text for text in texts)


def test_pytorch_computes_both_where_no_kernel_does() -> None:
    pre = torch.zeros(3, 4)
    x, w = draw(3, 5, dtype=torch.float32).detach(), draw(4, 5, dtype=torch.float32).detach()
    from tracea.torch.epilogues import apply_text

    result = apply_text("auxiliary,gelu", x @ w.t(), [pre], -1)
    assert torch.equal(pre, x @ w.t()) and torch.allclose(result, FUNCTIONS["gelu"](pre), atol=1e-6)


def test_a_stage_that_writes_is_refused_where_a_graph_would_not_see_it() -> None:
    pre, x, w = torch.zeros(3, 4), draw(3, 5, dtype=torch.float32).detach(), draw(4, 5, dtype=torch.float32).detach()
    stage = tracea.Auxiliary(pre) | tracea.Gelu()
    with pytest.raises(tracea.OptionError, match="second result"):
        torch.vmap(lambda one: ops.linear(one, w, epilogue=stage))(x[None])
    assert ops.linear(x, w, epilogue=stage).shape == (3, 4) and torch.allclose(pre, x @ w.t(), atol=1e-5)
