# SPDX-License-Identifier: MIT
"""The roofline's limit, and words that its roof does not strike through."""

from __future__ import annotations

import re

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType

from tracea.cli.problems import make_problem
from tracea.cli.words import Words
from tracea.pictures.roofline import attainable, roofline_section

H200 = preset("h200")


def test_the_limit_is_the_lower_one() -> None:
    peak = H200.peak(DType.BF16)
    assert peak
    ridge = peak / H200.memory_gbps
    assert attainable(H200, DType.BF16, 2 * ridge) == peak
    assert attainable(H200, DType.BF16, ridge / 2) == pytest.approx(peak / 2)


@pytest.mark.parametrize("share", [0.3, 0.8, 0.97, 1.0])
def test_no_label_lies_on_the_roof(share: float) -> None:
    problem = make_problem("matmul", [4096, 4096, 4096], Words(dtype="bf16"))
    seconds = problem.flops() / (H200.peak(DType.BF16) or 0.0) / 1e9 / share
    figure = roofline_section(problem, H200, DType.BF16, seconds, seconds / 0.99).body
    words = {text: float(y) for y, text in re.findall(r'<text x="[^"]*" y="([^"]*)"[^>]*>([^<]*)</text>', figure)}
    (roof,) = (y + 8 for text, y in words.items() if text.startswith("peak bf16"))
    labels = [y for text, y in words.items() if text.startswith(("model of", "measured"))]
    assert len(labels) == 2 and abs(labels[0] - labels[1]) >= 12
    assert all(y - roof >= 14 for y in labels), "letters are 11 high"
