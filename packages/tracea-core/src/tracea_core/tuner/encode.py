# SPDX-License-Identifier: MIT
"""Configurations as vectors of numbers, for models that need distances between them.

Sizes go by their logarithm, since 64 is to 128 what 128 is to 256; enums get one coordinate per value, since they have no
order. Every coordinate is scaled to [0, 1] over the candidates, so one length scale means the same in all of them.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tracea_core.policy.config import PipelineConfig

Matrix = npt.NDArray[np.float64]


def encode(candidates: Sequence[PipelineConfig]) -> tuple[Matrix, tuple[str, ...]]:
    """Return one row per candidate with values in [0, 1], and what each column stands for.

    Fields that are equal in all candidates get no column; a space of one candidate has none at all.
    """
    columns: list[npt.NDArray[np.float64]] = []
    names: list[str] = []
    for field in PipelineConfig.__struct_fields__:
        values = [candidate.value(field) for candidate in candidates]
        distinct = list(dict.fromkeys(values))
        if len(distinct) < 2:
            continue
        if isinstance(distinct[0], enum.Enum):
            # Two values need one coordinate: a second would only say the same again.
            for value in distinct[1:] if len(distinct) == 2 else distinct:
                columns.append(np.array([held is value for held in values], dtype=np.float64))
                names.append(f"{field}={value.value}")
        else:
            numbers = np.array(values, dtype=np.float64)
            logarithms = np.log2(1 + numbers) if numbers.min() <= 0 else np.log2(numbers)
            low, high = logarithms.min(), logarithms.max()
            columns.append((logarithms - low) / (high - low))
            names.append(field)
    matrix = np.stack(columns, axis=1) if columns else np.zeros((len(candidates), 0))
    return matrix, tuple(names)


def codes(candidates: Sequence[PipelineConfig]) -> npt.NDArray[np.int64]:
    """Return one row per candidate with a small integer per field that differs between some: equal fields have equal codes.

    So a search that draws for each column goes where it went before configurations had another field.
    """
    columns = []
    for field in PipelineConfig.__struct_fields__:
        values = [candidate.value(field) for candidate in candidates]
        numbers = {value: number for number, value in enumerate(dict.fromkeys(values))}
        if len(numbers) > 1:
            columns.append([numbers[value] for value in values])
    return np.array(columns, dtype=np.int64).reshape(len(columns), len(candidates)).T
