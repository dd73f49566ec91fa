# SPDX-License-Identifier: MIT
"""The table of softmaxes and norms on GPUs, run on the CPU with a clock of its own."""

from __future__ import annotations

import argparse
import random
from collections.abc import Callable
from typing import Any

import pytest

from benchmarks import cuda_gemm, cuda_row_wise
from benchmarks.cuda_row_wise import COPY, Rows

torch = pytest.importorskip("torch")


def test_the_table_is_whole() -> None:
    table = {group.name: group for group in cuda_row_wise.groups(False, random.Random(1))}
    assert {name: len(group.cases) for name, group in table.items()} == {
        "RMS norm beside a copy": 12, "softmax beside a copy": 12, "RMS norm": 12, "layer norm": 12, "softmax": 12,
        "short rows, layer norm": 13, "short rows, softmax": 13,
        "odd rows, layer norm": 4, "odd rows, log-softmax": 4, "vocabularies, log-softmax": 4,
    }  # fmt: skip
    quick = cuda_row_wise.groups(True, random.Random(1))
    assert {group.name for group in quick} == set(table) and len(quick[0].cases) == 3


@pytest.mark.parametrize(
    ("op", "weighted"),
    [
        ("softmax", False),
        ("log_softmax", False),
        *((op, own) for op in ("layer_norm", "rms_norm") for own in (False, True)),
    ],
)
@pytest.mark.parametrize("copy", [False, True])
def test_results_are_right_and_compared_with_the_peer(
    op: str, weighted: bool, copy: bool, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    line = cuda_gemm.measure(
        cuda_row_wise.case(Rows(5, 37, "float32", weighted), "g", op, copy), turns({"tracea": 0.5}), options()
    )
    assert (line.problem, line.peer_name, line.ratio) == ("", COPY if copy else "PyTorch", 2.0)
    assert line.kernel.startswith("cpu.rowwise.")


@pytest.mark.parametrize("copy", [False, True])
def test_a_wrong_result_is_no_figure(
    copy: bool, monkeypatch: pytest.MonkeyPatch, turns: Callable[..., Any], options: Callable[..., argparse.Namespace]
) -> None:
    from tracea import ops

    monkeypatch.setattr(ops, "rms_norm", lambda x, *weights, out, **given: out.copy_(x))
    line = cuda_gemm.measure(
        cuda_row_wise.case(Rows(5, 37, "float32"), "g", "rms_norm", copy), turns({"tracea": 0.5}), options()
    )
    assert line.problem.startswith(cuda_gemm.WRONG)
