# SPDX-License-Identifier: MIT
"""Sums over windows, tap by tap over images with zeros around them, are those of the form's own elements one by one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.errors import CertificationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.verify.meaning import Instance
from tracea_core.semantic.verify.samples import samples
from tracea_core.testing.strips import built, lowered, own_filters

LANES = PipelineConfig(tile_m=4, tile_n=32, tile_k=1, stages=1, warps=2, vector_a=1, vector_c=1)
SHAPES: list[dict[str, Any]] = [
    {"w": 19, "h": 5},
    {"stride": (2, 3), "padding": (2, 0), "r": 2, "s": 3, "w": 31, "h": 9},
    {"stride": (3, 1), "padding": (0, 4), "dilation": (2, 3), "w": 17, "h": 9},
    {"padding": (4, 4), "r": 5, "s": 7, "w": 6, "h": 3},
    {"c": 24, "k": 12, "groups": 12, "padding": (1, 2)},
    {"c": 6, "k": 24, "groups": 6, "stride": (2, 2)},
]


@pytest.mark.parametrize("fields", SHAPES, ids=str)
def test_sums_are_those_of_the_elements(fields: dict[str, Any]) -> None:
    problem = own_filters(**fields)
    form, kernel = lowered(problem).form, built(problem, LANES)
    several = 0
    for elsewhere in (False, True):
        for values, _ in samples(kernel, form, 3, elsewhere):
            instance = Instance(form, values, 5)
            (sums,) = instance._sums()
            elements = [np.broadcast_to(instance._operand(term), instance.shape) for term in form.factors]
            np.testing.assert_array_equal(
                sums, np.prod(elements, axis=0).sum(axis=tuple(range(3, len(instance.shape))))
            )
            several += int(np.count_nonzero(sums) > 1)
    assert several > 5


def test_a_definition_that_begins_before_its_operand_is_refused() -> None:
    problem = own_filters()
    form, kernel = lowered(problem).form, built(problem, LANES)
    wrong = form.replace(image=form.image.replace(origin=form.image.origin - 1))
    values = next(values for values, _ in samples(kernel, form, 3) if values["m"] > 1)
    with pytest.raises(CertificationError, match="reads before the start of 'x'"):
        Instance(wrong, values, 5).expected()
