# SPDX-License-Identifier: MIT
"""What rounding may do to results is neither more than it does nor so much that a wrong kernel passes."""

from __future__ import annotations

import copy
from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from benchmarks import torch_agreement, torch_rounding  # noqa: E402
from benchmarks.torch_rounding import Rounding, off, terms, tolerances  # noqa: E402


def network() -> Any:
    torch.manual_seed(0)
    layers = [nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(True), nn.Conv2d(8, 8, 3, padding=1), nn.ReLU()]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 16), nn.GELU(), nn.LayerNorm(16))


@pytest.mark.parametrize("mode", ["inference", "training"])
@pytest.mark.parametrize("kind", [torch.float32, torch.bfloat16])
def test_a_network_in_its_type_is_within_and_a_wrong_one_is_not(mode: str, kind: Any) -> None:
    model, inputs = network().to(kind).train(mode == "training"), [torch.randn(4, 3, 12, 12).to(kind)]
    own = copy.deepcopy(model)
    narrow = torch_agreement.step_of(own, own, inputs, mode)()
    exact, allowed = torch_agreement.bounds(model, inputs, mode)
    sides = {"eager": narrow, "inductor": narrow}
    assert torch_agreement.deviations({**sides, "tracea": narrow}, exact, allowed)["beyond"] < 1
    error = 1e-4 if kind is torch.float32 else 0.2
    for place in (0, len(narrow) - 1):
        wrong = [value * (1 + error * (number == place)) for number, value in enumerate(narrow)]
        assert torch_agreement.deviations({**sides, "tracea": wrong}, exact, allowed)["beyond"] > 1
    wrong = [value * float("nan") if number == 0 else value for number, value in enumerate(narrow)]
    assert torch_agreement.deviations({**sides, "tracea": wrong}, exact, allowed)["beyond"] == float("inf")


def test_noise_is_that_of_the_type_and_spares_what_is_exact() -> None:
    generator = torch.Generator().manual_seed(0)
    x, w = torch.randn(64, 256, dtype=torch.float64), torch.randn(256, 32, dtype=torch.float64)
    with Rounding(torch.bfloat16, generator):
        product, moved, chosen, copied = x @ w, x * 1.0, torch.relu(x), x.t().contiguous()
        held = x.clone().mul_(1.0)
    unit = torch.finfo(torch.bfloat16).eps / 2
    assert torch.equal(chosen, x.relu()) and torch.equal(copied, x.t())
    for got, expected in ((moved, x), (held, x), (product, x @ w)):
        assert 0.5 * unit < off(got, expected) < 0.7 * unit, "uniform between -1 and 1: 0.58 of a unit in the mean"
    with Rounding(torch.float32, generator):
        product = x @ w
    assert 8 < off(product, x @ w) / (torch.finfo(torch.float32).eps / 2) < 11, (
        "√256 roundings of sums, 0.58 in the mean"
    )


def test_masks_stay_infinite() -> None:
    scores = torch.randn(8, 8, dtype=torch.float64)
    mask = torch.zeros(8, 8, dtype=torch.float64).masked_fill_(torch.ones(8, 8).triu(1).bool(), float("-inf"))
    with Rounding(torch.float32, torch.Generator().manual_seed(0)):
        masked = scores + mask
        shares = (masked * 2.0).softmax(-1)
        held = mask.clone().add_(scores)
    assert torch.equal(masked.isinf(), mask.isinf()) and torch.equal(held.isinf(), mask.isinf())
    assert off(shares, ((scores + mask) * 2.0).softmax(-1)) < 1e-6


def test_terms_of_sums() -> None:
    a, b = torch.zeros(4, 6), torch.zeros(6, 5)
    assert (
        terms("mm", (a, b), a @ b, 0) == 6 and terms("add", (a, a), a, 0) == 1 and terms("sum", (a,), a.sum(0), 0) == 4
    )
    image, filters = torch.zeros(2, 3, 8, 8), torch.zeros(7, 3, 3, 3)
    result = torch.conv2d(image, filters)
    assert terms("convolution", (image, filters), result, 0) == 27
    counts = [terms("convolution_backward", (result, image, filters), image, place) for place in range(3)]
    assert counts == [63, 72, 72]


def test_draws_that_jump_are_bounded_by_the_farthest_jump() -> None:
    unit = 1e-8
    steady, jumps = [1.0e-6, 1.2e-6, 1.1e-6, 1.3e-6], [1e-6, 2e-4, 1e-6, 1e-6]
    noise = [3.0, 9.0, 2.0, 4.0]  # a gradient that is zero but for rounding
    nothing = [0.0] * torch_rounding.DRAWS
    drawn = list(zip(steady, jumps, [1e-3, 1e-3, 2e-3, 1e-3], noise, nothing, strict=True))
    assert tolerances(drawn, unit) == pytest.approx([2.6e-6, 4e-3, 4e-3, 18.0, 2e-8])


def test_where_some_jump_all_that_follow_from_choices_may() -> None:
    unit = 1e-8
    drawn = list(zip([1.0e-6] * 4, [1e-6, 2e-4, 1e-6, 1e-6], [1e-6] * 4, strict=True))
    assert tolerances(drawn, unit, [True, True, False]) == pytest.approx([4e-4, 4e-4, 2e-6])


def test_gradients_that_follow_from_signs_and_maxima_are_told_from_others() -> None:
    first, second, last = (torch.randn(4, 4, dtype=torch.float64, requires_grad=True) for _ in range(3))
    x = torch.randn(3, 4, dtype=torch.float64)

    def step() -> list[Any]:
        pooled = torch.nn.functional.max_pool2d((x @ first)[None], (1, 2)).repeat(1, 1, 2)[0]
        loss = ((pooled @ second).relu() @ last).sum()
        return list(torch.autograd.grad(loss, (first, second, last)))

    exact = step()
    with torch_rounding.Doubling():
        changed = step()
    assert [off(got, expected) > torch_rounding._CHANGED for got, expected in zip(changed, exact, strict=True)] == [
        True,
        True,
        False,
    ]
    network_without = torch.nn.Sequential(nn.Linear(4, 4), nn.GELU(), nn.Linear(4, 2)).double()

    def smooth() -> list[Any]:
        return list(torch.autograd.grad(network_without(x).sum(), list(network_without.parameters())))

    exact = smooth()
    with torch_rounding.Doubling():
        assert all(torch.equal(got, expected) for got, expected in zip(smooth(), exact, strict=True))
