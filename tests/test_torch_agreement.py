# SPDX-License-Identifier: MIT
"""What is said of a network's results is that of the worst tensor, with kernels wherever one runs."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from benchmarks import torch_agreement  # noqa: E402
from benchmarks.torch_models import Network  # noqa: E402


def small() -> Network:
    def make() -> Any:
        return nn.Sequential(nn.Linear(32, 64), nn.GELU(), nn.Linear(64, 32), nn.LayerNorm(32))

    return Network(make, lambda n: (torch.randn(n, 8, 32),), False)


def test_a_network_with_kernels_wherever_one_runs_agrees() -> None:
    device = torch.device("cpu")
    line = torch_agreement.agreement(small(), 2, device)
    alone = torch_agreement.agreement(small(), 2, device, ("inference",))
    assert line["taken"] > alone["taken"] > 0 and 0 < line["beyond"] < 1 and 0 < line["eager_beyond"] < 1
    assert alone["beyond"] <= line["beyond"], "the worst of both modes counts"


def test_a_kernel_that_is_off_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    step = torch_agreement.step_of
    told: list[int] = []

    def spoiled(run: Any, *given: Any) -> Any:
        told.append(1)
        inner = step(run, *given)
        return inner if len(told) != 2 else lambda: [value * 1.001 for value in inner()]

    monkeypatch.setattr(torch_agreement, "step_of", spoiled)
    line = torch_agreement.agreement(small(), 2, torch.device("cpu"), ("inference",))
    assert line["beyond"] > 1 > line["eager_beyond"]


def test_a_network_is_made_in_the_type_that_was_asked_for() -> None:
    for dtype in (None, torch.float16):
        model, inputs = torch_agreement.made(small(), "training", 3, torch.device("cpu"), dtype)
        assert {x.dtype for x in (*inputs, *model.parameters())} == {dtype or torch.float32}
        assert model.training and len(inputs[0]) == 3


def test_of_a_batch_that_was_evaluated_the_first_are_compared() -> None:
    results = [list(range(32)), [[i, i] for i in range(64)]]
    assert torch_agreement.first(results, 32, 2) == [[0, 1], [[i, i] for i in range(4)]]
    assert torch_agreement.first(results, 32, 32) is results


def test_deviations_are_those_of_the_worst_tensor_over_what_it_may_be() -> None:
    exact = [torch.ones(64, dtype=torch.float64), torch.full((8,), 2.0, dtype=torch.float64)]
    sides = {side: [value.float() for value in exact] for side in ("eager", "inductor", "tracea")}
    sides["tracea"][1] = sides["tracea"][1] * (1 + 1e-3)
    sides["eager"][0] = sides["eager"][0] * (1 + 1e-2)
    line = torch_agreement.deviations(sides, exact, [1e-1, 1e-4])
    assert (line["beyond"], line["eager_beyond"], line["inductor_beyond"]) == (pytest.approx(10, 1e-3), 0.1, 0.0)
    assert line["tracea_error"] == 1e-3
