# SPDX-License-Identifier: MIT
"""Attention that a graph spells out becomes one kernel, and what only looks like it is left."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tracea.torch.compiler import backend, policy, trial  # noqa: E402
from tracea.torch.compiler.report import RegionReport  # noqa: E402

_POSITIONS, _COLUMNS = 33, 16


def heads(*shape: int, seed: int = 0) -> Any:
    """Heads within positions, as products make them, of shape (…, heads, positions, columns)."""
    *batch, count, positions, columns = shape
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*batch, positions, count, columns, generator=generator).transpose(-3, -2)


def taken(call: Callable[..., Any], *inputs: Any, asked: str = "always") -> tuple[Any, list[RegionReport], Any]:
    """Return what the rewritten graph gives, what became of its regions, and the graph."""
    found: list[RegionReport] = []
    graphs: list[Any] = []

    def look(module: Any, _: Any) -> Any:
        found.extend(backend.take(module, asked)[0])
        graphs.append(module.graph)
        return module.forward

    return torch.compile(call, backend=look, fullgraph=True)(*inputs), found, graphs[-1]


q, k, v = (heads(2, 4, _POSITIONS, _COLUMNS, seed=seed) for seed in range(3))
five = [heads(2, 3, 4, _POSITIONS, _COLUMNS, seed=seed) for seed in range(3)]
three = [torch.randn(6, _POSITIONS, _COLUMNS, generator=torch.Generator().manual_seed(seed)) for seed in range(3)]
bias = torch.randn(4, _POSITIONS, _POSITIONS, generator=torch.Generator().manual_seed(4))
hidden = torch.ones(_POSITIONS, _POSITIONS).triu(1) > 0
_SCALE = 1 / math.sqrt(_COLUMNS)


def plain() -> Any:
    return torch.softmax((q @ k.transpose(-2, -1)) * 0.3, dim=-1) @ v


def divided() -> Any:
    scores = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(_COLUMNS)
    return torch.matmul(F.dropout(F.softmax(scores.float(), dim=-1).type_as(scores), 0.1, training=False), v)


def scaled_before() -> Any:
    return ((q * 0.5) @ (k * 0.25).mT).softmax(-1) @ v


def scaled_by_heads() -> Any:
    factors = torch.arange(1.0, 5.0).reshape(4, 1, 1)
    return ((q @ k.transpose(-2, -1)) * factors.clamp(max=3.0)).softmax(-1) @ v


def turned() -> Any:
    columns = k.permute(0, 1, 3, 2)
    return (q @ columns).softmax(dim=-1) @ v


def biased() -> Any:
    scores = (q * _SCALE) @ k.transpose(-2, -1)
    scores += bias.unsqueeze(0)
    return F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype) @ v


def filled() -> Any:
    scores = (q @ k.transpose(-2, -1) * _SCALE).masked_fill(hidden, float("-inf"))
    return scores.softmax(-1) @ v


def filled_with_numbers() -> Any:
    """The first row sees nothing, so all alike."""
    scores = (q @ k.transpose(-2, -1)).masked_fill(hidden | (torch.arange(_POSITIONS) == 0)[:, None], -1e9)
    return scores.softmax(-1) @ v


def biased_and_hidden() -> Any:
    scores = q @ k.transpose(-2, -1) + bias
    return scores.masked_fill(hidden, torch.finfo(torch.float32).min).softmax(-1) @ v


def hidden_twice() -> Any:
    scores = (q @ k.transpose(-2, -1)).masked_fill(hidden, float("-inf"))
    return scores.masked_fill_(torch.arange(_POSITIONS) == 7, float("-inf")).softmax(-1) @ v


def chosen() -> Any:
    """As GPT-2 does without PyTorch's call: numbers are tensors, and what is seen is chosen."""
    scores = q @ k.transpose(-2, -1) / torch.full([], 4.0, dtype=q.dtype)
    least = torch.full([], torch.finfo(q.dtype).min, dtype=q.dtype)
    return torch.where(~hidden, scores.to(q.dtype), least).softmax(-1).type(v.dtype) @ v


def chosen_by_a_method() -> Any:
    return (q @ k.transpose(-2, -1)).where(~hidden, torch.tensor(-1e9)).softmax(-1) @ v


def chosen_otherwise() -> Any:
    return torch.where(hidden, torch.tensor(-1e9), q @ k.transpose(-2, -1)).softmax(-1) @ v


def shifted_windows() -> Any:
    scores = q @ k.transpose(-2, -1) + bias
    scores = scores.view(1, 2, 4, _POSITIONS, _POSITIONS) + (bias[:2, None] * 3).unsqueeze(0)
    return scores.view(-1, 4, _POSITIONS, _POSITIONS).softmax(-1) @ v


def shifted_windows_with_every_axis() -> Any:
    """As torchvision's Swin: biases that are the same for all windows have an axis for them."""
    scores = q @ k.transpose(-2, -1) + bias.unsqueeze(0)
    scores = scores.view(1, 2, 4, _POSITIONS, _POSITIONS) + (bias[:2, None] * 3).unsqueeze(0)
    return scores.view(-1, 4, _POSITIONS, _POSITIONS).softmax(-1) @ v


def by_equations() -> Any:
    scores = torch.einsum("b g h i d, b g h j d -> b g h i j", five[0], five[1] * 0.2)
    return torch.einsum("bghij,bghjd->bghid", F.softmax(scores + bias, dim=-1), five[2])


def by_windows() -> Any:
    mask = torch.where(hidden, -3.0, 0.0)
    scores = five[0] @ five[1].transpose(-2, -1) + mask[None, None, None]
    return scores.softmax(-1) @ five[2]


def batches() -> Any:
    return torch.bmm(torch.bmm(three[0], three[1].transpose(1, 2)).softmax(-1), three[2])


def batches_scaled_by_their_product() -> Any:
    """As diffusion models multiply queries and keys: what is empty is not added."""
    empty = torch.empty(6, _POSITIONS, _POSITIONS)
    scores = torch.baddbmm(empty, three[0], three[1].transpose(-1, -2), beta=0, alpha=0.2)
    return torch.bmm(scores.softmax(dim=-1), three[2])


def batches_seen_as_heads() -> Any:
    """As older models of language add their masks."""
    scores = torch.bmm(three[0], three[1].transpose(1, 2)).view(2, 3, _POSITIONS, _POSITIONS)
    scores = scores + torch.where(hidden, -2.0, 1.0).expand(2, 1, _POSITIONS, _POSITIONS)
    return torch.bmm(scores.view(6, _POSITIONS, _POSITIONS).softmax(-1), three[2])


def batches_biased() -> Any:
    scores = torch.bmm(three[0], three[1].transpose(1, 2)) + torch.where(hidden, -2.0, 1.0)[None]
    return torch.bmm(scores.softmax(-1), three[2])


_SPELLED = [
    plain,
    divided,
    scaled_before,
    scaled_by_heads,
    turned,
    biased,
    filled,
    filled_with_numbers,
    biased_and_hidden,
    hidden_twice,
    chosen,
    chosen_by_a_method,
    chosen_otherwise,
    shifted_windows,
    shifted_windows_with_every_axis,
]
_SPELLED += [by_equations, by_windows, batches, batches_scaled_by_their_product, batches_seen_as_heads, batches_biased]


@pytest.mark.parametrize("call", _SPELLED, ids=lambda call: call.__name__)
def test_it_becomes_a_kernel(call: Callable[[], Any]) -> None:
    def rest() -> Any:
        return call().transpose(-3, -2).contiguous() if call().dim() > 3 else call()

    expected = rest()
    got, regions, graph = taken(lambda: call().transpose(-3, -2).contiguous() if expected.dim() > 3 else call())
    (region,) = regions
    bare = (plain, divided, scaled_before, scaled_by_heads, turned, batches, batches_scaled_by_their_product)
    masked = call not in bare
    assert region.taken and region.op == ("masked_attention" if masked else "attention") and region.certificate
    assert not any(
        getattr(n.target, "__name__", n.target) in ("softmax", "matmul", "bmm", "einsum") for n in graph.nodes
    )
    torch.testing.assert_close(got, expected)
    assert got.stride() == expected.stride()


@pytest.mark.parametrize(("given", "causal"), [(three, True), (five, False)])
def test_one_call_with_other_axes_becomes_a_kernel(given: list[Any], causal: bool) -> None:
    call = lambda: F.scaled_dot_product_attention(*given, is_causal=causal, scale=0.4)  # noqa: E731
    got, (region,), _ = taken(lambda: call().contiguous())
    assert region.taken and region.op == "attention" and len(region.nodes) == 1
    torch.testing.assert_close(got, call().contiguous())


def test_axes_that_no_view_joins_are_left() -> None:
    apart = [tensor.transpose(0, 1) for tensor in five]
    call = lambda: F.scaled_dot_product_attention(*apart)  # noqa: E731
    got, regions, graph = taken(call)
    assert [region.taken for region in regions] == [False] and "four axes" in regions[0].reason
    assert not any("tracea.extra" in node.meta for node in graph.nodes)
    torch.testing.assert_close(got, call())


def test_under_autocast_a_learned_bias_has_the_type_of_scores() -> None:
    learned = torch.nn.Parameter(bias.flatten(1).t().contiguous())
    places = torch.arange(_POSITIONS * _POSITIONS)

    def call() -> Any:
        with torch.autocast("cpu", torch.bfloat16):
            looked_up = learned[places].view(_POSITIONS, _POSITIONS, -1).permute(2, 0, 1).contiguous()
            scores = (q.bfloat16() * _SCALE) @ k.transpose(-2, -1) + looked_up
            return (scores.softmax(-1) @ v.bfloat16()).transpose(1, 2).contiguous()

    with torch.no_grad():
        got, (region,), _ = taken(call)
    assert region.taken and region.op == "masked_attention" and got.dtype is torch.bfloat16
    with torch.no_grad():
        exact = F.scaled_dot_product_attention(*(t.bfloat16().double() for t in (q, k, v)), attn_mask=bias.double())
    error = lambda y: float((y.double() - exact.transpose(1, 2)).abs().max())  # noqa: E731
    assert error(got) <= 1.5 * error(call())


def test_rows_that_infinities_hide_are_zeros() -> None:
    nothing = hidden | (torch.arange(_POSITIONS) == 3)[:, None]
    call = lambda: (q @ k.transpose(-2, -1)).masked_fill(nothing, float("-inf")).softmax(-1) @ v  # noqa: E731
    got, (region,), _ = taken(lambda: call().transpose(1, 2).contiguous())
    expected = call().transpose(1, 2).contiguous()
    assert region.taken and expected[:, 3].isnan().all() and not got[:, 3].any()
    torch.testing.assert_close(got, expected.nan_to_num(0.0))


def keeps_weights() -> Any:
    weights = (q @ k.transpose(-2, -1)).softmax(-1)
    return weights @ v, weights.mean()


def drops() -> Any:
    return F.dropout((q @ k.transpose(-2, -1)).softmax(-1), 0.5, training=True) @ v


def over_rows() -> Any:
    return (q @ k.transpose(-2, -1)).softmax(-2) @ v


def weights_on_the_right() -> Any:
    return v.transpose(-2, -1) @ (q @ k.transpose(-2, -1)).softmax(-1)


def scaled_by_a_tensor() -> Any:
    return ((q @ k.transpose(-2, -1)) * bias).softmax(-1) @ v


def scaled_by_rows() -> Any:
    return ((q @ k.transpose(-2, -1)) * bias[:, :, :1]).softmax(-1) @ v


def scaled_after_the_bias() -> Any:
    return ((q @ k.transpose(-2, -1) + bias) * 0.5).softmax(-1) @ v


def filled_with_little() -> Any:
    return (q @ k.transpose(-2, -1)).masked_fill(hidden, -10.0).softmax(-1) @ v


def filled_twice() -> Any:
    scores = (q @ k.transpose(-2, -1)).masked_fill(hidden, float("-inf"))
    return scores.masked_fill(torch.arange(_POSITIONS) > 3, -1e9).softmax(-1) @ v


def biased_at_two_shapes() -> Any:
    """What is added to each head first, and then to each head of each sequence."""
    scores = (q @ k.transpose(-2, -1) + bias).view(8, _POSITIONS, _POSITIONS)
    scores = scores + torch.arange(8.0).reshape(8, 1, 1) * bias[0]
    return scores.view(2, 4, _POSITIONS, _POSITIONS).softmax(-1) @ v


def of_two_types() -> Any:
    return (q.bfloat16() @ k.bfloat16().transpose(-2, -1)).float().softmax(-1) @ v


def scaled_by_wider_numbers() -> Any:
    scores = (q.bfloat16() @ k.bfloat16().transpose(-2, -1)).float() * bias[:, :1, :1]
    return scores.softmax(-1).bfloat16() @ v.bfloat16()


def something_between() -> Any:
    return F.relu((q @ k.transpose(-2, -1)).softmax(-1)) @ v


def another_equation() -> Any:
    weights = torch.einsum("bhid,bhjd->bhij", q, k).softmax(-1)
    return torch.einsum("bhij,bhid->bhjd", weights, v)


def added_to_elsewhere() -> Any:
    other = torch.ones(2, 4, _POSITIONS, _POSITIONS)
    other += q @ k.transpose(-2, -1)
    return other.softmax(-1) @ v + other.sum()


def scores_by_scores() -> Any:
    scores = q @ k.transpose(-2, -1)
    return (scores + scores).softmax(-1) @ v


def biased_by_positions() -> Any:
    """As ALiBi does, in single precision, of which 16 bits would leave nothing where numbers are large."""
    far = torch.arange(1000, 1000 + _POSITIONS) * torch.tensor([0.5, 0.25, 0.125, 0.06])[:, None, None]
    return ((q.bfloat16() @ k.bfloat16().transpose(-2, -1)) + far).softmax(-1).bfloat16() @ v.bfloat16()


def biased_by_what_is_given() -> Any:
    return ((q.bfloat16() @ k.bfloat16().transpose(-2, -1)) + bias).softmax(-1).bfloat16() @ v.bfloat16()


def chosen_from_others() -> Any:
    return torch.where(hidden, bias, q @ k.transpose(-2, -1)).softmax(-1) @ v


def chosen_by_scores() -> Any:
    scores = q @ k.transpose(-2, -1)
    return torch.where(scores > 0, scores, torch.tensor(-1e9)).softmax(-1) @ v


def chosen_and_added_by_name() -> Any:
    scores = torch.add(input=q @ k.transpose(-2, -1), other=bias)
    return torch.where(condition=~hidden, input=scores, other=torch.tensor(-1e9)).softmax(-1) @ v


def chosen_half_by_name() -> Any:
    return torch.where(~hidden, q @ k.transpose(-2, -1), other=torch.tensor(-1e9)).softmax(-1) @ v


def scaled_by_what_is_made_elsewhere() -> Any:
    return (q @ k.transpose(-2, -1) / bias.mean()).softmax(-1) @ v


def scaled_by_numbers_with_axes() -> Any:
    return (q @ k.transpose(-2, -1) / torch.full([_POSITIONS], 4.0)).softmax(-1) @ v


def batches_added_to() -> Any:
    scores = torch.baddbmm(bias[:1].expand(6, -1, -1), three[0], three[1].transpose(-1, -2))
    return torch.bmm(scores.softmax(dim=-1), three[2])


def biased_in_other_numbers() -> Any:
    return (q @ k.transpose(-2, -1) + bias.double()).softmax(-1).float() @ v


_OTHER = [
    keeps_weights,
    drops,
    over_rows,
    weights_on_the_right,
    scaled_by_a_tensor,
    scaled_by_rows,
    scaled_after_the_bias,
    filled_with_little,
]
_OTHER += [something_between, another_equation, added_to_elsewhere, scores_by_scores, biased_in_other_numbers]
_OTHER += [biased_at_two_shapes, filled_twice, of_two_types, scaled_by_wider_numbers]
_OTHER += [biased_by_positions, biased_by_what_is_given, batches_added_to]
_EXACT = [
    chosen_from_others,
    chosen_by_scores,
    chosen_and_added_by_name,
    chosen_half_by_name,
    scaled_by_what_is_made_elsewhere,
    scaled_by_numbers_with_axes,
]


@pytest.mark.parametrize("call", [*_OTHER, *_EXACT], ids=lambda call: call.__name__)
def test_what_only_looks_like_it_is_left(call: Callable[[], Any]) -> None:
    torch.manual_seed(3)
    expected = call()
    torch.manual_seed(3)
    got, regions, graph = taken(call)
    assert not any("attention" in region.op for region in regions)
    assert not any("tracea.extra" in node.meta for node in graph.nodes)
    narrow = call in _OTHER[_OTHER.index(of_two_types) :]  # eager rounds their scores, a kernel need not
    torch.testing.assert_close(got, expected, **({"rtol": 0.1, "atol": 0.1} if narrow else {}))


def test_an_operand_that_changes_meanwhile_leaves_it() -> None:
    def call(x: Any, numbers: Any) -> Any:
        scores = x @ k.transpose(-2, -1) + numbers
        numbers.mul_(2.0)
        return scores.softmax(-1) @ v

    got, regions, _ = taken(call, q, bias.clone())
    assert not any("attention" in region.op for region in regions)
    torch.testing.assert_close(got, call(q, bias.clone()))


@pytest.mark.parametrize(
    ("one_call", "in_steps", "way"),
    [
        (2e-4, 3e-4, "fused"),
        (2e-4, 1.5e-4, "fused"),
        (2e-4, 1e-4, "steps"),
        (9e-5, 1.5e-4, "one call"),
        (9e-5, 9.1e-5, "steps"),
    ],
)
@pytest.mark.parametrize("call", [biased, batches, by_equations], ids=lambda call: call.__name__)
def test_a_trial_finds_the_fastest_of_three_ways(
    call: Callable[[], Any], one_call: float, in_steps: float, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    results: list[Any] = []

    def all_three(runs: dict[str, Any], device: Any) -> dict[str, float]:
        results.extend(run() for run in runs.values())
        return dict(zip(runs, (1e-4, one_call, in_steps), strict=True))

    monkeypatch.setattr(trial, "_in_turns", all_three)
    monkeypatch.setattr(trial, "_cache", lambda: type("Empty", (), {"get": lambda *_: None, "put": lambda *_: None})())
    expected = call()
    got, (region,), graph = taken(lambda: call().transpose(-3, -2).contiguous(), asked="measured")
    assert region.taken is (way == "fused") and ("stands for its steps" in region.reason) is (way == "one call")
    names = [getattr(node.target, "__name__", "") for node in graph.nodes]
    assert ("scaled_dot_product_attention" in names) is (way == "one call")
    assert not any("tracea.extra" in node.meta and not node.users for node in graph.nodes)
    torch.testing.assert_close(got, expected.transpose(-3, -2).contiguous())
    assert len(results) == 3 and results[0].shape == results[1].shape == results[2].shape


def test_one_call_lies_as_the_steps_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "times_of", lambda sketch, configuration: trial.Times(3e-4, 3e-4, 2e-4, 1e-4))
    packed = [tensor.contiguous() for tensor in (q, k, v)]
    call = lambda x: ((x @ packed[1].transpose(-2, -1)).softmax(-1) @ packed[2]).view(8, _POSITIONS, -1)  # noqa: E731
    got, (region,), graph = taken(call, packed[0], asked="measured")
    assert "stands for its steps" in region.reason and "contiguous" in [node.target for node in graph.nodes]
    torch.testing.assert_close(got, call(packed[0]))


def test_a_graph_is_rewritten_from_a_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """As when kernels were timed while the rest was compiled: the copy is searched again."""
    call = lambda: turned().transpose(1, 2).contiguous()  # noqa: E731
    found: list[Any] = []

    def look(module: Any, _: Any) -> Any:
        backend._find(module)
        spare = backend._copied(module)
        regions = backend._find(spare)[0].regions
        found.extend(regions)
        backend._rewrite(spare, policy.decide(regions, "always"))
        return spare.forward

    got = torch.compile(call, backend=look, fullgraph=True)()
    assert [region.anchor.op for region in found] == ["attention"]
    torch.testing.assert_close(got, call())


def test_lengths_that_vary_compile_once(without_compiler: None) -> None:
    import tracea.torch as tt

    later, spread = torch.ones(64, 64).triu(1) > 0, torch.randn(4, 64, 64)

    def call(x: Any) -> Any:
        length = x.shape[2]
        scores = (x @ x.transpose(-2, -1) * 0.2 + spread[:, :length, :length]).masked_fill(
            later[:length, :length], float("-inf")
        )
        return (scores.softmax(-1) @ x).transpose(1, 2).flatten(2)

    with torch.no_grad():
        compiled = torch.compile(call, backend="tracea", dynamic=True, options={"tracea.policy": "always"})
        for positions in (33, 17, 40):
            x = heads(2, 4, positions, 16)
            torch.testing.assert_close(compiled(x), call(x))
    assert tt.stats().graphs == 1 and tt.stats().taken == 1
