# SPDX-License-Identifier: MIT
"""Attention and low-rank products inside PyTorch: its checks of schemas, fakes and gradients, and the modes that may surround a call."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tracea_core.errors import UnsupportedError  # noqa: E402
from tracea_core.ops.epilogue import Epilogue  # noqa: E402

import tracea  # noqa: E402
import tracea.torch as tt  # noqa: E402
from tracea import fallback, ops  # noqa: E402
from tracea.torch import chain_gradients, chains, functional  # noqa: E402

attend = torch.ops.tracea.attention.default
low_rank = torch.ops.tracea.low_rank_mlp.default


def draw(*shape: int, dtype: Any = torch.float64, **options: Any) -> Any:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, dtype=dtype, **options)


def operands(b: int, h: int, groups: int, n: int, m: int, d: int, e: int, dtype: Any = torch.float64) -> list[Any]:
    shapes = ((b, h, n, d), (b, groups, m, d), (b, groups, m, e))
    return [draw(*shape, dtype=dtype).requires_grad_() for shape in shapes]


CASES = {
    "full": ((2, 2, 2, 3, 4, 2, 2), (False, None, None)),
    "causal, shared keys": ((1, 4, 2, 3, 5, 2, 3), (True, None, None)),
    "queries without keys": ((1, 1, 1, 5, 3, 2, 2), (True, None, None)),
    "window": ((1, 2, 2, 6, 6, 2, 3), (False, 1, 2)),
}


@pytest.mark.parametrize("name", CASES)
def test_attention_passes_pytorchs_checks(name: str) -> None:
    sizes, mask = CASES[name]
    q, k, v = operands(*sizes)
    torch.library.opcheck(attend, (q, k, v, [], "", *mask, 0.7, ""))
    assert torch.autograd.gradcheck(lambda q, k, v: attend(q, k, v, [], "", *mask, 0.7, ""), (q, k, v))


def test_second_derivatives() -> None:
    q, k, v = operands(1, 2, 1, 3, 4, 2, 2)
    assert torch.autograd.gradgradcheck(lambda q, k, v: attend(q, k, v, [], "", True, None, None, None, ""), (q, k, v))
    x, a, b = (draw(*shape, requires_grad=True) for shape in ((3, 5), (5, 2), (2, 4)))
    assert torch.autograd.gradgradcheck(lambda x, a, b: low_rank(x, a, b, [], "", "gelu", ""), (x, a, b))


@pytest.mark.parametrize("middle", ["", "relu"])
def test_low_rank_products_pass_pytorchs_checks(middle: str) -> None:
    x, a, b = (draw(*shape, requires_grad=True) for shape in ((2, 3, 5), (5, 2), (2, 4)))
    torch.library.opcheck(low_rank, (x, a, b, [], "", middle, ""))
    assert torch.autograd.gradcheck(lambda x, a, b: low_rank(x, a, b, [], "", middle, ""), (x, a, b))


def gradients(call: Any, tensors: list[Any], pull: Any) -> list[Any]:
    return list(torch.autograd.grad(call(*tensors), tensors, pull.to(tensors[0].dtype)))


@pytest.mark.parametrize("scores", [100, 1 << 26])
def test_queries_take_turns_where_scores_would_be_many(scores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_gradients, "_SCORES", scores)
    given, pull = operands(2, 4, 2, 9, 9, 3, 3), draw(2, 4, 9, 3)
    mine = gradients(lambda q, k, v: ops.attention(q, k, v, causal=True, fallback="error"), given, pull)
    theirs = gradients(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True), given, pull
    )
    for one, other in zip(mine, theirs, strict=True):
        torch.testing.assert_close(one, other)


def test_a_wrong_gradient_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch.autograd.gradcheck import GradcheckError

    real = torch.softmax
    monkeypatch.setattr(chain_gradients.torch, "softmax", lambda scores, dim: real(scores * 1.01, dim))
    q, k, v = operands(1, 1, 1, 3, 4, 2, 2)
    with pytest.raises(GradcheckError):
        torch.autograd.gradcheck(lambda q, k, v: attend(q, k, v, [], "", False, None, None, None, ""), (q, k, v))


def test_gradients_of_a_narrow_type() -> None:
    dtype = torch.bfloat16
    given, pull = operands(1, 4, 2, 33, 33, 16, 16, dtype), draw(1, 4, 33, 16)
    exact = [t.detach().double().requires_grad_() for t in given]
    mine = gradients(lambda q, k, v: ops.attention(q, k, v, causal=True, fallback="error"), given, pull)
    theirs = gradients(
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True), exact, pull
    )
    for one, other in zip(mine, theirs, strict=True):
        assert one.dtype is dtype
        assert float((one.double() - other).norm() / other.norm()) < 8 * torch.finfo(dtype).eps


def test_a_gradient_through_an_epilogue() -> None:
    q, k, v = operands(1, 2, 2, 5, 5, 4, 4)
    residual = draw(1, 2, 5, 4, requires_grad=True)
    stages = tracea.Residual(residual) | tracea.SiLU()
    theirs = torch.autograd.grad(F.silu(F.scaled_dot_product_attention(q, k, v) + residual).sum(), (q, residual))
    for mode in ("error", "torch"):
        value = ops.attention(q, k, v, epilogue=stages, fallback=mode)
        for one, other in zip(torch.autograd.grad(value.sum(), (q, residual)), theirs, strict=True):
            torch.testing.assert_close(one, other)
    with pytest.raises(tracea.OptionError, match="no gradient through an epilogue"):
        attend(q, k, v, [], "relu", False, None, None, None, "")


def test_heads_stay_where_the_queries_have_them() -> None:
    q, k, v = (draw(2, 7, 3, 4, dtype=torch.float32).transpose(1, 2) for _ in range(3))
    got = ops.attention(q, k, v)
    assert (
        got.transpose(1, 2).is_contiguous()
        and attend(q, k, v, [], "", False, None, None, None, "").stride() == got.stride()
    )
    assert ops.attention(*(t.contiguous() for t in (q, k, v))).is_contiguous()
    torch.testing.assert_close(got, F.scaled_dot_product_attention(q, k, v), rtol=1e-4, atol=1e-5)
    assert attend(*(t.to("meta") for t in (q, k, v)), [], "", False, None, None, None, "").shape == (2, 3, 7, 4)


def test_function_transforms() -> None:
    q, k, v = draw(3, 1, 2, 5, 4), draw(1, 2, 6, 4), draw(1, 2, 6, 3)
    loss = lambda k, q: attend(q, k, v, [], "", False, None, None, None, "").square().sum()  # noqa: E731
    eager = lambda k, q: F.scaled_dot_product_attention(q, k, v).square().sum()  # noqa: E731
    torch.testing.assert_close(torch.func.grad(loss)(k, q[0]), torch.func.grad(eager)(k, q[0]))
    each = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(k, q)
    torch.testing.assert_close(each, torch.func.vmap(torch.func.grad(eager), in_dims=(None, 0))(k, q))


@pytest.mark.parametrize("in_dims", [(0, None, None), (1, 2, 0)])
def test_vmap(in_dims: tuple[int | None, ...]) -> None:
    q, k, v = (draw(3, 1, 2, 5, 4) for _ in range(3))
    given = [t[0] if d is None else t.movedim(0, d) for t, d in zip((q, k, v), in_dims, strict=True)]
    got = torch.vmap(lambda q, k, v: ops.attention(q, k, v, causal=True), in_dims=in_dims)(*given)
    expected = torch.vmap(lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True), in_dims=in_dims)(
        *given
    )
    torch.testing.assert_close(got, expected)


def test_vmap_of_low_rank_products() -> None:
    x, a, b = draw(3, 4, 5), draw(5, 2), draw(2, 6)
    torch.testing.assert_close(torch.vmap(lambda x: ops.low_rank_mlp(x, a, b))(x), x @ a @ b)
    weights = draw(3, 5, 2)
    torch.testing.assert_close(torch.vmap(lambda x, a: ops.low_rank_mlp(x, a, b))(x, weights), x @ weights @ b)


def test_autocast_casts_queries_keys_and_values() -> None:
    q, k, v = operands(1, 2, 2, 5, 5, 8, 8, torch.float32)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got, eager = ops.attention(q, k, v), F.scaled_dot_product_attention(q, k, v)
    assert got.dtype is eager.dtype is torch.bfloat16
    torch.testing.assert_close(got, eager, rtol=0.05, atol=0.05)
    got.sum().backward()
    assert q.grad.dtype is torch.float32


def test_tracers_see_one_operator() -> None:
    q, k, v = (draw(1, 2, 9, 8, dtype=torch.float32) for _ in range(3))
    q.requires_grad_()

    class Model(torch.nn.Module):
        def forward(self, q: Any, k: Any, v: Any) -> Any:
            return ops.attention(q, k, v, causal=True, epilogue="relu")

    exported = torch.export.export(Model(), (q.detach(), k, v))
    assert "tracea.attention" in exported.graph_module.code
    compiled = torch.compile(Model(), fullgraph=True, backend="aot_eager")
    mine, theirs = compiled(q, k, v), F.relu(F.scaled_dot_product_attention(q, k, v, is_causal=True))
    torch.testing.assert_close(mine, theirs, rtol=1e-4, atol=1e-5)
    for one, other in zip(*(torch.autograd.grad(y.sum(), q) for y in (mine, theirs)), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-5)


def test_a_reason_told_while_tracing_breaks_no_graph(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(fallback, "_told", set())
    q = draw(1, 2, 9, 8, dtype=torch.float32).requires_grad_()
    torch.compiler.reset()
    compiled = torch.compile(lambda q: ops.attention(q, q, q), fullgraph=True, backend="eager")
    with caplog.at_level("WARNING", logger="tracea"):
        for _ in range(2):
            torch.testing.assert_close(compiled(q), F.scaled_dot_product_attention(q, q, q))
    assert [record.getMessage() for record in caplog.records] == [f"attention runs in PyTorch: {chains._FUSED}"]


def test_who_wants_no_surprise_gets_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_qualifies(*given: Any, **more: Any) -> Any:
        raise tracea.UnsupportedError("no variant runs it here", op="attention")

    q, k, v = operands(1, 2, 2, 5, 5, 8, 8, torch.float32)
    assert ops.attention(q, k, v, fallback="error").requires_grad
    monkeypatch.setattr(chains, "run", none_qualifies)
    monkeypatch.setattr(functional, "trace", none_qualifies)
    monkeypatch.setattr(functional, "_taken", {})
    for inputs in ((q, k, v), tuple(t.detach() for t in (q, k, v))):
        with pytest.raises(tracea.UnsupportedError, match="no variant runs it here"):
            ops.attention(*inputs, fallback="error")
    torch.testing.assert_close(ops.attention(q, k, v), F.scaled_dot_product_attention(q, k, v))


def test_operators_are_listed() -> None:
    assert {"attention", "low_rank_mlp", "softmax", "norm", "linear"} <= set(tt.OPS)


def test_chains_that_pytorch_computes_faster_are_left_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    x, a, b = draw(3, 5), draw(5, 2), draw(2, 4)
    chains.leave("low_rank_mlp", (x, a, b), (Epilogue(),))  # a processor of vectors computes all of them in one kernel
    monkeypatch.setattr(chains, "_faster_in_torch", lambda *given: "two are as fast")
    with pytest.raises(UnsupportedError, match="two are as fast"):
        chains.leave("low_rank_mlp", (x, a, b), (Epilogue(),))
    torch.testing.assert_close(ops.low_rank_mlp(x, a, b), x @ a @ b)  # which nobody asks there


def masks() -> dict[str, Any]:
    """Masks of (2, 4) heads, 5 queries and 7 keys, over every way to broadcast, that hide all keys of some rows."""
    hidden = torch.rand(2, 4, 5, 7, generator=torch.Generator().manual_seed(1)) < 0.3
    numbers = draw(4, 5, 7).masked_fill(hidden[0], float("-inf"))
    numbers[:, 2] = float("-inf")
    seen = ~hidden
    seen[1, :, 3] = False
    return {
        "numbers of heads": numbers, "of keys": draw(2, 1, 1, 7), "of rows": draw(4, 5, 1), "plain": draw(5, 7),
        "booleans": seen, "booleans of keys": seen[:, :1, :1], "expanded": seen[:, :1].expand(2, 4, 5, 7),
    }  # fmt: skip


def masked(q: Any, k: Any, v: Any, mask: Any, causal: bool = False, left: int | None = None) -> Any:
    """Attention by its definition: a row that sees nothing gives 0."""
    scores = q @ k.repeat_interleave(q.shape[1] // k.shape[1], 1).transpose(2, 3) * q.shape[3] ** -0.5
    scores = scores.masked_fill(~mask, float("-inf")) if mask.dtype is torch.bool else scores + mask
    distance = torch.arange(k.shape[2]) - (torch.arange(q.shape[2])[:, None] + k.shape[2] - q.shape[2])
    if causal:
        scores = scores.masked_fill(distance > 0, float("-inf"))
    if left is not None:
        scores = scores.masked_fill(distance < -left, float("-inf"))
    nothing = scores.isneginf().all(-1, keepdim=True)
    weights = torch.softmax(scores.masked_fill(nothing, 0.0), -1).masked_fill(nothing, 0.0)
    return weights @ v.repeat_interleave(q.shape[1] // k.shape[1], 1)


@pytest.mark.parametrize("name", masks())
@pytest.mark.parametrize("settings", [{}, {"causal": True}, {"left": 2}])
def test_masks_and_their_gradients(name: str, settings: dict[str, Any]) -> None:
    given, mask, pull = operands(2, 4, 2, 5, 7, 8, 3), masks()[name], draw(2, 4, 5, 3)
    moving = [*given, mask.clone().requires_grad_()] if mask.dtype.is_floating_point else given
    mine = ops.attention(*given, mask=moving[3] if len(moving) > 3 else mask, fallback="error", **settings)
    theirs = masked(*given, moving[3] if len(moving) > 3 else mask, **settings)
    torch.testing.assert_close(mine, theirs)
    for one, other in zip(*(torch.autograd.grad(y, moving, pull) for y in (mine, theirs)), strict=True):
        torch.testing.assert_close(one, other)
    plain = [t.detach() for t in given]
    torch.testing.assert_close(ops.attention(*plain, mask=mask, **settings), theirs)
    arrays = [t.numpy() for t in (*plain, mask)]
    torch.testing.assert_close(torch.from_numpy(ops.attention(*arrays[:3], mask=arrays[3], **settings)), theirs)


@pytest.mark.parametrize("name", masks())
def test_pytorch_computes_the_same_under_masks(name: str) -> None:
    given, mask = [t.detach() for t in operands(2, 4, 2, 5, 7, 8, 3)], masks()[name]
    for settings in ((False, None, None, None), (True, None, None, None), (False, 2, None, None)):
        got = chains._in_torch("masked_attention", [*given, mask], settings)
        torch.testing.assert_close(got, masked(*given, mask, settings[0], settings[1]))


def test_queries_take_turns_under_a_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain_gradients, "_SCORES", 100)
    for name in ("numbers of heads", "of keys", "plain"):
        test_masks_and_their_gradients(name, {"causal": True})


def test_what_is_no_mask_is_refused() -> None:
    q, k, v = (t.detach() for t in operands(2, 4, 2, 5, 7, 8, 3))
    for mask, error in (
        (torch.ones(5, 7, dtype=torch.int64), tracea.DTypeError), (torch.ones(6, 7), tracea.ShapeError),
        (torch.ones(1, 2, 4, 5, 7), tracea.ShapeError), (torch.ones(5, 7).numpy(), tracea.DeviceError),
    ):  # fmt: skip
        with pytest.raises(error, match="mask"):
            ops.attention(q, k, v, mask=mask)
    with pytest.raises(tracea.DTypeError, match="sums of fp32"):
        ops.attention(q.float(), k.float(), v.float(), mask=torch.ones(5, 7, dtype=torch.float64))
    with pytest.raises(tracea.OptionError, match="not both"):
        ops.attention(q, k, v, mask=torch.ones(5, 7), lengths=[3, 4])


def test_a_mask_without_a_batch() -> None:
    q, k, v = (t.detach()[0] for t in operands(2, 4, 2, 5, 7, 8, 3))
    for mask in (draw(5, 7), draw(4, 1, 7)):
        got = ops.attention(q, k, v, mask=mask)
        torch.testing.assert_close(got, masked(q[None], k[None], v[None], mask)[0])
