# SPDX-License-Identifier: MIT
"""Softmax and norms inside PyTorch: its checks of schemas, fakes and gradients, and the modes that may surround a call."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

import tracea  # noqa: E402
from tracea import ops  # noqa: E402
from tracea.dispatch import forget_plans  # noqa: E402
from tracea.torch import functional, rows  # noqa: E402

softmax, norm = torch.ops.tracea.softmax.default, torch.ops.tracea.norm.default


def draw(*shape: int) -> Any:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.float64)


@pytest.mark.parametrize("log", [False, True])
def test_softmax_passes_pytorchs_checks(log: bool) -> None:
    x = draw(3, 7).requires_grad_()
    torch.library.opcheck(softmax, (x, [], "", log, 0.5, None, ""))
    torch.library.opcheck(softmax, (x.detach(), [draw(3, 7)], "residual,relu", log, 0.5, None, ""))
    assert torch.autograd.gradcheck(lambda x: softmax(x, [], "", log, 0.5, None, ""), (x,))


@pytest.mark.parametrize("kind", ["layer", "rms"])
def test_norms_pass_pytorchs_checks(kind: str) -> None:
    x, w, b = (draw(*shape).requires_grad_() for shape in ((3, 7), (7,), (7,)))
    bias = b if kind == "layer" else None
    torch.library.opcheck(norm, (x, w, bias, [], "", kind, 1e-5, None, ""))
    given = (x, w) if bias is None else (x, w, b)
    call = lambda x, w, b=None: norm(x, w, b, [], "", kind, 1e-5, None, "")  # noqa: E731
    assert torch.autograd.gradcheck(call, given) and torch.autograd.gradgradcheck(call, given)


def test_rows_of_unit_length_pass_pytorchs_checks() -> None:
    x = torch.cat([draw(3, 7), torch.zeros(1, 7, dtype=torch.float64) + 0.01]).requires_grad_()
    torch.library.opcheck(norm, (x, None, None, [], "", "l2", 0.5, None, ""))
    for eps in (1e-12, 0.5):  # the last row is shorter than the second
        assert torch.autograd.gradcheck(lambda x: norm(x, None, None, [], "", "l2", eps, None, ""), (x,))  # noqa: B023
    torch.testing.assert_close(torch.vmap(ops.normalize)(x.detach()), F.normalize(x.detach(), dim=-1))


def test_function_transforms() -> None:
    x, w, b = draw(4, 7), draw(7), draw(7)
    loss = lambda w, x: ops.layer_norm(x, w, b).square().sum()  # noqa: E731
    eager = lambda w, x: F.layer_norm(x, (7,), w, b).square().sum()  # noqa: E731
    torch.testing.assert_close(torch.func.grad(loss)(w, x), torch.func.grad(eager)(w, x))
    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, x)
    torch.testing.assert_close(each, torch.func.vmap(torch.func.grad(eager), in_dims=(None, 0))(w, x))


def test_vmap() -> None:
    x, w, r = draw(7, 3, 4), draw(3, 7), draw(3, 4, 7)
    torch.testing.assert_close(torch.vmap(ops.softmax, in_dims=1)(x), torch.softmax(x.movedim(1, 0), -1))
    x = x.movedim(0, 2)
    got = torch.vmap(lambda x, r: softmax(x, [r], "residual", False, 1.0, None, ""))(x, r)
    torch.testing.assert_close(got, torch.softmax(x, -1) + r)
    got = torch.vmap(lambda x, w: ops.rms_norm(x, w))(x, w)
    torch.testing.assert_close(got, torch.vmap(lambda x, w: F.rms_norm(x, (7,), w, 1e-6))(x, w), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("call", [ops.softmax, ops.log_softmax, ops.layer_norm, ops.rms_norm, ops.normalize])
def test_who_wants_no_surprise_gets_an_error(call: Any, recorded: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def none_qualifies(*given: Any, **more: Any) -> Any:
        raise tracea.UnsupportedError("no variant runs it here", op="softmax")

    x = draw(3, 7).requires_grad_(recorded)
    assert call(x, fallback="error").requires_grad is recorded
    forget_plans()
    monkeypatch.setattr(rows, "run", none_qualifies)
    monkeypatch.setattr(functional, "trace", none_qualifies)
    monkeypatch.setattr(functional, "_taken", {})
    with pytest.raises(tracea.UnsupportedError, match="no variant runs it here"):
        call(x, fallback="error")
    assert call(x).requires_grad is recorded
