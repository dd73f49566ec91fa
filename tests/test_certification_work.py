# SPDX-License-Identifier: MIT
"""What certificates cost, counted instead of timed: expressions that a proof's runs evaluate, and their values, stay below bounds.

`python -m benchmarks.rows certification` times all of them; these are those that cost most.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.errors import UnsupportedError
from tracea_core.semantic.closures import Closures
from tracea_core.semantic.verify.certify import certify

from benchmarks import certification
from benchmarks.certificate_kernels import PROBLEMS, hero

PRESETS = ("a100", "mi300x", "avx512")
COSTLY = (
    "product, bias, residual, ReLU", "product, tn", "grouped", "lists, fp32", "convolution 3x3, planes", "convolution 7x7, stride 2",
    "convolution 3x3, stride 2", "transposed 3x3, stride 2", "minimal filtering", "minimal filtering, planes", "attention, causal",
)  # fmt: skip
EVALUATIONS, VALUES = 10_000, 9_000_000
"""At most; a kernel of blocks has few evaluations of many values, one of workers many of few."""
FEWER = {("avx512", "attention, causal"): 3_000, ("avx512", "minimal filtering, planes"): 2_000}
"""Evaluations where all runs are carried out together, and all turns of a sum."""


@pytest.mark.parametrize("problem", COSTLY)
@pytest.mark.parametrize("preset", PRESETS)
def test_the_costliest_certificates_stay_within_their_work(
    preset: str, problem: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert problem in PROBLEMS
    try:
        kernel, lowered, profile = hero(preset, problem)
    except UnsupportedError:
        pytest.skip("nothing of the kind ships for the device")
    done = [0, 0]

    def counted(name: str) -> Any:
        original = getattr(Closures, name)

        def evaluated(self: Closures, *given: Any) -> Any:
            found = original(self, *given)
            done[0] += 1
            done[1] += int(np.size(found))
            return found

        return evaluated

    for name in ("value", "holds"):
        monkeypatch.setattr(Closures, name, counted(name))
    certify(kernel, lowered.form, profile)
    assert 0 < done[0] <= FEWER.get((preset, problem), EVALUATIONS) and 0 < done[1] <= VALUES


@pytest.mark.parametrize(
    ("figures", "turns"),
    [([100.0] * 3, 2), ([190.0] * 9, 6), ([190.0, 190.0, 100.0], 3), ([250.0] * 30, 24), ([250.0] * 9 + [150.0], 10)],
)
def test_a_figure_above_its_bar_is_taken_again(
    figures: list[float], turns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What others of the machine do only adds, so the least counts; a certificate that costs too much still does after all turns."""
    left = iter(figures)
    monkeypatch.setattr(certification, "_in_a_child", lambda device, problem: next(left))
    taken = certification._taken("a100", "product")
    assert taken == figures[:turns]
