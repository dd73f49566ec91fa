# SPDX-License-Identifier: MIT
"""Tuning the suite: its problems are those of the table, candidates lie near the policy's choice, and a winner gains more than noise."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset, preset_target
from tracea_core.ops.activations import SwiGLU
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.stages import as_chain
from tracea_core.pipeline.configure import Origin, configure
from tracea_core.pipeline.path import trace
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.order import Order
from tracea_core.policy.waves import tiles_of
from tracea_core.tuner.winners import FOLDER, read_winners
from tracea_cuda.variants import variants

from benchmarks import tuned_problems, winners
from benchmarks.tuned_problems import KINDS, Asked, suite
from benchmarks.winners import candidates

H200 = preset("h200")


def walk(asked: Asked) -> Any:
    return trace(asked.problem(), preset="h200", several=False)


def test_the_suite_is_the_tables() -> None:
    asked = list(suite())
    assert len({one.title for one in asked}) == len(asked) and len({one.problem().digest() for one in asked}) == len(
        asked
    )
    assert {one.tail for one in asked} == set(tuned_problems.TAILS) and {one.kind for one in asked} == set(
        tuned_problems.KINDS
    )
    columns = Asked("bf16", (64, 32, 16), "TN", "residual").problem()
    assert [spec.strides for spec in columns.inputs] == [(1, 64), (32, 1)]
    assert [spec.shape for spec in columns.epilogue_inputs] == [(32,), (64, 32)]


@pytest.mark.parametrize("kind", ["fp8 fast", "fp8 accurate", "int8", "bf16"])
def test_a_problem_is_what_a_call_states(kind: str) -> None:
    torch = pytest.importorskip("torch")
    from tracea.torch.kernels import problem_of

    dtype = {"int8": torch.int8, "bf16": torch.bfloat16}.get(kind, torch.float8_e4m3fn)
    x, y = torch.empty((256, 384), dtype=dtype), torch.empty((512, 384), dtype=dtype)
    settings = ("bf16" if "fp8" in kind else None, False, kind == "fp8 fast")
    bound, _ = as_chain(SwiGLU()).bind()
    tails = ((IDENTITY, "", 512), (bound, "swiglu", 256)) if kind == "bf16" else ((IDENTITY, "", 512),)
    for epilogue, tail, columns in tails:
        stated = problem_of("matmul", [x, y.t()], epilogue, settings)
        assert stated == Asked(kind, (256, columns, 384), tail=tail).problem()


@pytest.mark.parametrize("asked", [
    Asked("fp8 by groups", (128, 256, 384)), Asked("bf16", (64, 32, 16), groups=4), Asked("int8", (8, 16, 24)),
    Asked("bf16", (8, 16, 24), tail="residual"),
], ids=lambda asked: asked.title)  # fmt: skip
def test_operands_are_laid_out_as_stated(asked: Asked) -> None:
    torch = pytest.importorskip("torch")
    problem = asked.problem()
    for place, spec in enumerate(problem.inputs):
        tensor = asked.filled(f"input{place}", spec, "cpu")
        assert (tuple(tensor.shape), tensor.stride()) == (spec.shape, spec.strides)
        assert tensor.float().std() > 0
    if asked.groups:
        assert tensor.dtype is torch.int32 and tensor[-1] == 64 and bool((tensor.diff() >= 0).all())


@pytest.mark.parametrize("kind", ["fp16", "tf32"])
def test_operands_have_every_bit_of_their_type_drawn(kind: str) -> None:
    torch = pytest.importorskip("torch")
    asked = Asked(kind, (64, 64, 64))
    tensor = asked.filled("input0", asked.problem().inputs[0], "cpu")
    short = (tensor == tensor.to(torch.bfloat16).to(tensor.dtype)).float().mean()
    assert short < 0.3, "values of another type take less power, and other configurations win"


@pytest.mark.parametrize("shape", [(2048,) * 3, (4096,) * 3])
def test_candidates_begin_with_the_policys_and_try_orders(shape: tuple[int, int, int]) -> None:
    found = walk(Asked("bf16", shape))
    operator, engine = winners._operator(found), PolicyEngine(H200)
    tried = candidates(operator, H200)
    assert tried[0] == engine.decide(operator).hero and len(set(tried)) == len(tried) > 10
    apart = [config for config in tried if config.order is Order.COLUMN]
    assert bool(apart) == (shape[0] == 2048) and all(tiles_of(config, operator) <= H200.processors for config in apart)
    assert {config.group for config in tried} >= {8, 16}
    returning = [config for config in tried if config.value("returning")]
    assert returning and all(tiles_of(config, operator) > H200.processors for config in returning)


@pytest.mark.parametrize(("gain", "wins"), [(1.02, True), (1.002, False), (0.98, False)])
def test_a_winner_gains_more_than_noise(gain: float, wins: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = Asked("bf16", (1024,) * 3)
    found = walk(asked)
    tuning = SimpleNamespace(walks={asked: found}, tensors=lambda one: {})
    other = found.configuration.replace(order=Order.GROUPED, group=5)
    tuning.launches = lambda one, tensors: {config: (lambda: None) for config in (found.configuration, other)}
    times = {found.configuration.describe(): 1e-5 * gain, other.describe(): 1e-5}
    turns = SimpleNamespace(rounds=(), compare=lambda calls: ({name: times[name] for name in calls}, "clock"))
    best = winners.Tuning.winner(tuning, asked, turns)  # type: ignore[arg-type]
    assert (best is not None) == wins
    if best is not None:
        assert (best.configuration, best.problem) == (other, found.choice.problem)
        assert best.policy_seconds == pytest.approx(gain * best.seconds)


def test_where_the_compiler_refuses_the_first_choice_the_next_leads() -> None:
    torch = pytest.importorskip("torch")
    asked, output = Asked("bf16", (4096,) * 3), torch.zeros(4)
    found = walk(asked)
    refused, second, *_ = PolicyEngine(H200).decide(found.choice.problem, found.choice.variant).heroes
    wrong = refused.replace(group=5)
    values = {second: 1.0, wrong: 2.0}
    tuning = SimpleNamespace(
        walks={asked: found},
        tried={asked: (refused, second, wrong)},
        _launch=lambda one, config, tensors: (lambda: output.fill_(values[config])) if config in values else None,
    )
    assert found.configuration == refused or found.configuration not in values
    launches = winners.Tuning.launches(tuning, asked, {"output": output})  # type: ignore[arg-type]
    assert list(launches) == [second]


SHIPPED = {winner.title: winner for winner in read_winners(FOLDER / "sm_90a-h200.json").winners}
BYTES = [one for one in suite() if KINDS[one.kind].dtype.bytes == 1 and one.title in SHIPPED]


@pytest.mark.parametrize("asked", BYTES, ids=lambda asked: asked.title)
def test_products_of_bytes_begin_with_their_winner(asked: Asked) -> None:
    problem, winner = asked.problem(), SHIPPED[asked.title]
    choice = choose(problem, preset_target("h200"), variants(H200))
    found = configure(choice)
    assert (found.configuration, found.origin) == (winner.configuration, Origin.SHIPPED)
    assert choice.variant.name == winner.variant


def test_winners_of_every_type_of_bytes_are_shipped() -> None:
    assert {one.kind for one in BYTES} == {"int8", "fp8 fast", "fp8 accurate", "fp8 by groups"}
