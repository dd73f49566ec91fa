# SPDX-License-Identifier: MIT
"""The table of attention on GPUs, run on the CPU with a clock of its own."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from benchmarks import cuda_attention, cuda_gemm
from benchmarks.cuda_attention import Heads

torch = pytest.importorskip("torch")


def test_the_table_is_whole() -> None:
    table = {group.name: group for group in cuda_attention.groups(False, random.Random(1))}
    assert {name: len(group.cases) for name, group in table.items()} == {
        "64 columns": 10, "128 and 256 columns": 6, "64 columns, causal": 5, "128 columns, causal": 7, "windows": 2, "few queries": 3,
        "decoding": 14, "masks of booleans in memory": 8, "numbers added to scores": 9,
    }  # fmt: skip
    quick = cuda_attention.groups(True, random.Random(1))
    assert {group.name for group in quick} == set(table) and len(quick[0].cases) == 4


@pytest.mark.parametrize(
    "shape",
    [Heads(2, 3, 5, 9, 8), Heads(1, 2, 7, 7, 4, True), Heads(1, 2, 3, 9, 4, True), Heads(1, 2, 6, 11, 4, left=3)],
)
def test_operations_are_those_of_scores_that_are_seen(shape: Heads) -> None:
    rows, keys = np.arange(shape.queries)[:, None] + shape.keys - shape.queries, np.arange(shape.keys)[None, :]
    seen = np.ones((shape.queries, shape.keys), bool)
    if shape.causal or shape.left is not None:
        seen &= keys <= rows
    if shape.left is not None:
        seen &= keys >= rows - shape.left
        assert np.array_equal(cuda_attention._seen(shape, "cpu").numpy(), seen)
    assert shape.flops == 4.0 * shape.batch * shape.heads * seen.sum() * shape.columns


@pytest.mark.parametrize(
    "shape",
    [
        Heads(2, 2, 9, 9, 8),
        Heads(1, 4, 9, 9, 8, True, share=2),
        Heads(1, 2, 12, 12, 8, left=4),
        Heads(2, 2, 1, 9, 8),
        Heads(2, 4, 5, 9, 8, share=2, mask="?bk"),
        Heads(2, 2, 5, 9, 8, mask="hqk"),
    ],
)
def test_results_are_right_and_compared_with_the_peer(
    shape: Heads, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    line = cuda_gemm.measure(cuda_attention.case(shape, "g", "float32"), turns({"tracea": 0.5}), options())
    assert (line.problem, line.peer_name, line.ratio) == ("", "PyTorch", 2.0)
    assert line.kernel.startswith("cpu.chained.")


def test_a_wrong_result_is_no_figure(
    monkeypatch: pytest.MonkeyPatch, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    from tracea import ops

    monkeypatch.setattr(ops, "attention", lambda q, k, v, *, out, **given: out.zero_())
    line = cuda_gemm.measure(
        cuda_attention.case(Heads(2, 2, 9, 9, 8), "g", "float32"), turns({"tracea": 0.5}), options()
    )
    assert line.problem.startswith(cuda_gemm.WRONG)
