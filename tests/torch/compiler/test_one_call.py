# SPDX-License-Identifier: MIT
"""While gradients are recorded PyTorch's one call stands for attention that a graph spells out, or that PyTorch computes in steps."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

import tracea.torch  # noqa: E402
from tracea.torch.compiler import backend, one_call, policy, trial  # noqa: E402
from tracea.torch.compiler.sketch import Sketch, sketch_of  # noqa: E402

_BATCH, _HEADS, _POSITIONS, _COLUMNS = 2, 4, 33, 16


@pytest.fixture(autouse=True)
def fresh() -> None:
    torch._dynamo.reset()


def normal(*shape: int, seed: int = 0) -> Any:
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def heads(count: int = _HEADS, seed: int = 0) -> Any:
    """Heads within positions, as products make them."""
    return normal(_BATCH, _POSITIONS, count, _COLUMNS, seed=seed).transpose(1, 2)


def rewritten(
    call: Callable[..., Any], *inputs: Any, asked: str = "always"
) -> tuple[list[Any], list[Any], list[policy.Decision]]:
    """Return what a rewritten graph gives with the inputs' gradients, its nodes, and the decisions about it."""
    decisions: list[policy.Decision] = []
    nodes: list[Any] = []

    def look(module: Any, _: Any) -> Any:
        found, _gradients = backend._find(module)
        decisions.extend(policy.decide(found.regions, asked))
        backend._rewrite(module, decisions)
        nodes.extend(module.graph.nodes)
        return module.forward

    return with_gradients(torch.compile(call, backend=look, fullgraph=True), *inputs), nodes, decisions


def with_gradients(call: Callable[..., Any], *inputs: Any) -> list[Any]:
    given = [x.detach().clone().requires_grad_(x.is_floating_point()) for x in inputs]
    with torch.enable_grad():
        result = call(*given)
        result.backward(normal(*result.shape, seed=9).to(result.dtype))
    return [result.detach(), *(x.grad for x in given if x.is_floating_point())]


def called(nodes: list[Any]) -> list[Any]:
    return [node for node in nodes if getattr(node.target, "__name__", "") == "scaled_dot_product_attention"]


def names(nodes: list[Any]) -> set[str]:
    return {str(getattr(node.target, "__name__", node.target)) for node in nodes}


bias, hidden = normal(_HEADS, _POSITIONS, _POSITIONS, seed=5), torch.ones(_POSITIONS, _POSITIONS).triu(1) > 0
qkv = (heads(), heads(seed=1), heads(seed=2))


def plain(q: Any, k: Any, v: Any) -> Any:
    return torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(_COLUMNS), -1) @ v


def biased(q: Any, k: Any, v: Any, numbers: Any) -> Any:
    scores = (q * 0.25) @ k.transpose(-2, -1) + numbers
    return F.softmax(scores, dim=-1, dtype=torch.float32).to(q.dtype) @ v


def filled(q: Any, k: Any, v: Any) -> Any:
    return (q @ k.transpose(-2, -1) * 0.25).masked_fill(hidden, float("-inf")).softmax(-1) @ v


def looked_up(q: Any, k: Any, v: Any, table: Any) -> Any:
    """As relative positions are: an embedding whose heads are turned to the front."""
    places = (torch.arange(_POSITIONS)[:, None] - torch.arange(_POSITIONS)).clamp(-8, 8) + 8
    return biased(q, k, v, F.embedding(places, table).permute(2, 0, 1)[None])


@pytest.mark.parametrize(
    ("call", "inputs"),
    [
        (plain, qkv),
        (biased, (*qkv, bias)),
        (biased, (*qkv, bias[None, :, :1])),
        (filled, qkv),
        (looked_up, (*qkv, normal(17, _HEADS, seed=6))),
    ],
    ids=["plain", "biased", "biased alike", "filled", "looked up"],
)
def test_it_stands_for_steps(call: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    def rest(*given: Any) -> Any:
        return call(*given).transpose(1, 2).flatten(2)

    got, nodes, (decision,) = rewritten(rest, *inputs)
    assert decision.one_call and not decision.taken and decision.sketch.is_called
    assert len(called(nodes)) == 1 and names(nodes).isdisjoint(("softmax", "matmul", "bmm"))
    for mine, exact in zip(got, with_gradients(rest, *inputs), strict=True):
        torch.testing.assert_close(mine, exact, rtol=1e-4, atol=1e-5)


def test_dropped_weights_are_dropped_by_the_call() -> None:
    ones = torch.ones(_BATCH, _HEADS, _POSITIONS, 64)

    def call(q: Any, k: Any, v: Any) -> Any:
        return F.dropout(torch.softmax(q @ k.transpose(-2, -1), -1), 0.25, training=True) @ v

    torch.manual_seed(3)
    (result, *_), nodes, (decision,) = rewritten(call, *qkv[:2], ones)
    (node,) = called(nodes)
    assert decision.one_call and node.kwargs["dropout_p"] == 0.25
    sums = result[..., 0]  # of weights that added up to 1, which those that stay make up for
    assert (sums - 1).abs().max() > 0.1 and abs(float(sums.mean()) - 1) < 0.05


@pytest.mark.parametrize("share", [1.0, 0.5])
def test_what_is_dropped_twice_or_as_a_whole_is_left(share: float) -> None:
    def call(q: Any, k: Any, v: Any) -> Any:
        weights = F.dropout(torch.softmax(q @ k.transpose(-2, -1), -1), share, training=True)
        return F.dropout(weights, 0.5, training=True) @ v

    _, nodes, decisions = rewritten(call, *qkv)
    assert not called(nodes) and not any("attention" in decision.sketch.op for decision in decisions)


def one_head_of_keys(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=~hidden)


def one_head_of_keys_alone(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True, scale=0.3)


def turned_bias(q: Any, k: Any, v: Any, numbers: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v, attn_mask=numbers.permute(2, 0, 1)[None])


def turned_values(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v.transpose(-2, -1))


single = (heads(), heads(1, seed=1), heads(1, seed=2))


@pytest.mark.parametrize(
    ("call", "inputs"),
    [
        (one_head_of_keys, single),
        (one_head_of_keys_alone, single),
        (turned_bias, (*qkv, bias.permute(1, 2, 0).contiguous())),
        (turned_values, (*qkv[:2], normal(_BATCH, _HEADS, _COLUMNS, _POSITIONS, seed=2))),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_a_call_that_pytorch_has_no_kernel_for_is_arranged(call: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    def rest(*given: Any) -> Any:
        return call(*given).transpose(1, 2).flatten(2)

    got, nodes, (decision,) = rewritten(rest, *inputs)
    (node,) = called(nodes)
    assert decision.one_call
    contiguous = {step.target for step in nodes} & {"contiguous", "repeat_interleave"}
    assert contiguous == ({"repeat_interleave"} if inputs is single else {"contiguous"}), node
    for mine, exact in zip(got, with_gradients(rest, *inputs), strict=True):
        torch.testing.assert_close(mine, exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("shape", [(6, _POSITIONS, _COLUMNS), (2, 3, _HEADS, _POSITIONS, _COLUMNS)])
@pytest.mark.parametrize("causal", [False, True])
def test_a_call_with_other_axes_is_given_those_that_kernels_know(shape: tuple[int, ...], causal: bool) -> None:
    inputs = [normal(*shape, seed=seed) for seed in range(3)]

    def call(q: Any, k: Any, v: Any) -> Any:
        return F.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=0.3).transpose(-3, -2).contiguous()

    got, nodes, (decision,) = rewritten(call, *inputs)
    (node,) = called(nodes)
    assert decision.one_call and node.args[0].meta["example_value"].dim() == 4
    for mine, exact in zip(got, with_gradients(call, *inputs), strict=True):
        torch.testing.assert_close(mine, exact, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "inputs"),
    [
        (lambda q, k, v: F.scaled_dot_product_attention(q, k, v), qkv),
        (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, attn_mask=~hidden, dropout_p=0.1), qkv),
        (lambda q, k, v: F.scaled_dot_product_attention(q, k, v, enable_gqa=True), single),
        (lambda q, k, v: F.scaled_dot_product_attention(q[0], k[0], v[0], attn_mask=~hidden), qkv),
    ],
)
def test_a_call_that_pytorch_has_a_kernel_for_is_left(call: Callable[..., Any], inputs: tuple[Any, ...]) -> None:
    _, nodes, decisions = rewritten(call, *inputs)
    assert not decisions and len(called(nodes)) == 1


def test_keys_shared_on_a_gpu_are_said_to_be() -> None:
    like = [torch.empty(2, count, 8, 16, device="meta") for count in (4, 2, 2)]
    assert one_call.arranged(None, like, like, torch.device("cuda")) == (like, {"enable_gqa": True})  # type: ignore[arg-type]


def widened(q: Any, k: Any, v: Any) -> Any:
    scores = torch.matmul(q.to(torch.float32), k.to(torch.float32).transpose(2, 3)) * 0.25
    scores = scores + torch.where(hidden, torch.finfo(torch.bfloat16).min, 0.0).to(torch.bfloat16)
    return F.softmax(scores, dim=-1).to(v.dtype) @ v


def widened_and_biased(q: Any, k: Any, v: Any) -> Any:
    scores = q.float() @ k.float().transpose(2, 3) + bias
    return F.softmax(scores, dim=-1).to(v.dtype) @ v


@pytest.mark.parametrize(("call", "is_found"), [(widened, True), (widened_and_biased, False)])
@pytest.mark.parametrize("recorded", [False, True])
def test_operands_widened_for_their_product_are_taken_as_they_were(
    call: Callable[..., Any], is_found: bool, recorded: bool
) -> None:
    inputs = [x.bfloat16() for x in qkv]

    def rest(*given: Any) -> Any:
        return call(*given).transpose(1, 2).flatten(2)

    def exact(q: Any, k: Any, v: Any) -> Any:
        return rest(q.bfloat16(), k.bfloat16(), v.bfloat16())

    if recorded:
        got, _, decisions = rewritten(rest, *inputs)
        expected = with_gradients(rest, *inputs)
    else:
        seen: list[Any] = []

        def look(module: Any, _: Any) -> Any:
            found, _gradients = backend._find(module)
            seen.extend(policy.decide(found.regions, "always"))
            backend._rewrite(module, seen)
            return module.forward

        with torch.no_grad():
            got, expected = [torch.compile(rest, backend=look, fullgraph=True)(*inputs)], [exact(*inputs)]
        decisions = seen
    attention = [d for d in decisions if "attention" in d.sketch.op]
    assert [(d.taken, d.one_call) for d in attention] == ([(not recorded, recorded)] if is_found else [])
    for mine, eager in zip(got, expected, strict=True):
        torch.testing.assert_close(mine, eager, rtol=0.05, atol=0.02)


@pytest.mark.parametrize(
    ("steps", "call", "is_taken"), [(2e-4, 1e-4, True), (1.01e-4, 1e-4, False), (1e-4, 2e-4, False)]
)
def test_a_trial_decides(steps: float, call: float, is_taken: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(policy, "times_of", lambda sketch, configuration: trial.Times(steps, steps, steps, call))
    _, nodes, (decision,) = rewritten(plain, *qkv, asked="measured")
    assert decision.one_call is is_taken and len(called(nodes)) == is_taken
    assert "PyTorch's one call against" in decision.reason and "gradients included" in decision.reason


def test_steps_that_do_not_fit_into_memory_are_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(sketch: Any, configuration: str) -> trial.Times:
        raise torch.OutOfMemoryError("no room")

    monkeypatch.setattr(policy, "times_of", full)
    _, nodes, (decision,) = rewritten(plain, *qkv, asked="measured")
    assert decision.one_call and len(called(nodes)) == 1 and "memory that is left" in decision.reason


@pytest.mark.parametrize(
    ("call", "inputs", "spelled"), [(biased, (*qkv, bias), True), (one_head_of_keys, single, False)]
)
def test_both_sides_of_a_trial_compute_the_same(
    call: Callable[..., Any], inputs: tuple[Any, ...], spelled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    found: list[Sketch] = []

    def look(module: Any, _: Any) -> Any:
        found.extend(sketch_of(region) for region in backend._find(module)[0].regions)
        return module.forward

    with_gradients(torch.compile(call, backend=look, fullgraph=True), *inputs)
    (sketch,) = found
    assert (
        sketch.is_called and sketch.spelled_out is spelled and sketch.digest() != sketch._replace(dropout=0.5).digest()
    )
    tensors = [x.requires_grad_(asked) for x, asked in zip(sketch.materialize(), sketch.recorded, strict=True)]
    if spelled:  # the steps leave scales to Inductor
        sketch = sketch._replace(settings=(False, None, None, 1.0))
    results = [way(*tensors) for way in one_call.ways(sketch).values()]
    torch.testing.assert_close(*results, rtol=1e-4, atol=1e-5)
    wanted = [tensor for tensor in tensors if tensor.requires_grad]
    gradients = [torch.autograd.grad(result.sum(), wanted) for result in results]
    for mine, other in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-4)
    monkeypatch.setattr(trial, "_cache", lambda: type("Empty", (), {"get": lambda *_: None, "put": lambda *_: None})())
    times = trial.times_of(sketch, "")
    assert times.one_call is not None and times.one_call > 0 and times.unfused > 0


def test_nothing_is_made_for_it() -> None:
    found: list[Any] = []

    def look(module: Any, _: Any) -> Any:
        regions = backend._find(module)[0].regions
        with policy.making(regions, "measured", None, False) as made:
            found.extend(made.wants(sketch_of(region).digest()) for region in regions)
        return module.forward

    with_gradients(torch.compile(plain, backend=look, fullgraph=True), *qkv)
    assert found == [False]


@pytest.mark.parametrize(
    "call",
    [
        lambda q, k, v: plain(q, k, v),
        lambda q, k, v: F.scaled_dot_product_attention(q, q[:, :1], q[:, 1:2], is_causal=True) + k + v,
    ],
    ids=["spelled out", "one head of keys"],
)
def test_lengths_that_vary_compile_once(call: Callable[..., Any], without_compiler: None) -> None:
    tracea.torch.reset_stats()
    compiled = torch.compile(call, backend="tracea", options={"tracea.policy": "always"})
    for positions in (17, 33, 40):
        inputs = [normal(_BATCH, positions, _HEADS, _COLUMNS, seed=seed).transpose(1, 2) for seed in range(3)]
        given = [x.clone().requires_grad_() for x in inputs]
        for x in given:
            torch._dynamo.mark_dynamic(x, 2)
        result = compiled(*given)
        result.backward(normal(*result.shape, seed=9))
        for mine, exact in zip([result, *(x.grad for x in given)], with_gradients(call, *inputs), strict=True):
            torch.testing.assert_close(mine, exact, rtol=1e-4, atol=1e-5)
    stats = tracea.torch.stats()
    assert stats.graphs == 1 and "one call" in stats.reasons[0][0]


def test_a_graph_without_inductor_trains(without_compiler: None) -> None:
    compiled = torch.compile(plain, backend="tracea", options={"tracea.policy": "always"})
    for mine, exact in zip(with_gradients(compiled, *qkv), with_gradients(plain, *qkv), strict=True):
        torch.testing.assert_close(mine, exact, rtol=1e-4, atol=1e-5)
    assert tracea.torch.stats().graphs >= 1
