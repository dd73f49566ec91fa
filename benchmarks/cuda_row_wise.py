# SPDX-License-Identifier: MIT
"""The shapes and peers of the table of softmaxes and norms on NVIDIA GPUs, with the bars that each group has to meet.

Memory is what bounds them: the first groups stand beside a copy of the same bytes, the others beside PyTorch's operators and, with
``--compile``, Inductor's kernels for them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.cuda_cases import Bench, Case, Group, bench_of, compiled

_OF_COPY = 0.85
"""What of a copy's speed is called memory's."""
_OPERATIONS = 5
"""An element's, by which rates are told."""
COPY = "copy"


@dataclass(frozen=True)
class Rows:
    """How many rows of how many columns, and their type; norms have weights where it is ``weighted``."""

    rows: int
    columns: int
    dtype: str = "bfloat16"
    weighted: bool = False

    def __str__(self) -> str:
        kind = {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}[self.dtype]
        return f"{self.rows}×{self.columns} {kind}" + (" weights" if self.weighted else "")


SHAPES = (
    Rows(65536, 512), Rows(65536, 768), Rows(32768, 1024), Rows(16384, 2048), Rows(16384, 4096), Rows(16384, 5120),
    Rows(8192, 8192), Rows(4096, 16384), Rows(2048, 4096), Rows(32768, 1024, "float32"), Rows(15360, 4096, "float32"),
    Rows(8192, 8192, "float32"),
)  # fmt: skip
"""Widths of encoders and language models; all but one are larger than the L2 cache."""
ODD = (Rows(16384, 1000), Rows(16384, 1003), Rows(8192, 3001), Rows(4096, 6007, "float32"))
"""Rows that end within a step, and such as no vector divides."""
SHORT = (
    Rows(200704, 32), Rows(200704, 64), Rows(200704, 96), Rows(100352, 128), Rows(50176, 192), Rows(50176, 256), Rows(50176, 384),
    Rows(200704, 49), Rows(100352, 77), Rows(100352, 100), Rows(50176, 197), Rows(200704, 96, "float32"), Rows(50176, 192, "float32"),
)  # fmt: skip
"""Channels of images, and heads of attention."""
LONG = (Rows(1024, 32000), Rows(1024, 50257), Rows(1024, 32000, "float32"), Rows(256, 128256, "float32"))
"""Vocabularies."""


def groups(quick: bool, draw: random.Random) -> tuple[Group, ...]:
    """Return the table; with `quick`, a few shapes of each group. Nothing is drawn."""
    weighted = tuple(replace(shape, weighted=True) for shape in SHAPES)
    table: tuple[tuple[str, float, float, str, bool, tuple[Rows, ...]], ...] = (
        ("RMS norm beside a copy", _OF_COPY, 0.0, "rms_norm", True, weighted),
        ("softmax beside a copy", _OF_COPY, 0.0, "softmax", True, SHAPES),
        ("RMS norm", 1.0, 0.9, "rms_norm", False, weighted),
        ("layer norm", 1.0, 0.9, "layer_norm", False, weighted),
        ("softmax", 1.0, 0.9, "softmax", False, SHAPES),
        ("short rows, layer norm", 1.0, 0.9, "layer_norm", False, tuple(replace(x, weighted=True) for x in SHORT)),
        ("short rows, softmax", 1.0, 0.9, "softmax", False, SHORT),
        ("odd rows, layer norm", 1.0, 0.9, "layer_norm", False, tuple(replace(x, weighted=True) for x in ODD)),
        ("odd rows, log-softmax", 1.0, 0.9, "log_softmax", False, ODD),
        ("vocabularies, log-softmax", 1.0, 0.9, "log_softmax", False, LONG),
    )
    return tuple(
        Group(name, bar, least, tuple(case(shape, name, op, copy) for shape in (shapes[::4] if quick else shapes)))
        for name, bar, least, op, copy, shapes in table
    )


def case(shape: Rows, group: str, op: str, copy: bool = False) -> Case:
    """Return the line of one shape of an operator of `tracea.ops`, beside a copy alone or beside PyTorch."""
    return Case(
        group, str(shape), float(_OPERATIONS * shape.rows * shape.columns), lambda given: _bench(shape, op, copy, given)
    )


def _bench(shape: Rows, op: str, copy: bool, options: Any) -> Bench:
    import torch

    from tracea import ops

    kind = {"dtype": getattr(torch, shape.dtype), "device": options.device}
    x = torch.randn(shape.rows, shape.columns, **kind)
    out, other = torch.empty_like(x), torch.empty_like(x)
    count = (2 if op == "layer_norm" else 1) if shape.weighted else 0
    operands = [torch.randn(shape.columns, **kind) for _ in range(count)]
    theirs = _pytorch(op, shape.columns)
    peers: dict[str, Callable[[], Any]] = {COPY: lambda: other.copy_(x)}
    if not copy:
        peers = {"PyTorch": lambda: theirs(x, *operands)}
        if options.compile:
            peers["torch.compile"] = compiled(theirs, x, *operands)
    ours = getattr(ops, op)
    return bench_of(
        lambda: ours(x, *operands, out=out, fallback="error"), peers, out,
        lambda: theirs(x.double(), *(one.double() for one in operands)),
        describe=lambda: _kernel(op, x, operands),
    )  # fmt: skip


def _pytorch(op: str, columns: int) -> Callable[..., Any]:
    from torch.nn import functional as F

    return {
        "softmax": lambda x: F.softmax(x, -1),
        "log_softmax": lambda x: F.log_softmax(x, -1),
        "layer_norm": lambda x, *operands: F.layer_norm(x, (columns,), *operands),
        "rms_norm": lambda x, *operands: F.rms_norm(x, (columns,), *operands, eps=1e-5),
    }[op]


def _kernel(op: str, x: Any, operands: list[Any]) -> str:
    """Name what a call runs: its kind and its configuration."""
    from tracea_core.ops.epilogue import IDENTITY
    from tracea_core.pipeline import trace

    from tracea.arrays import kind_of
    from tracea.ops.request import Request
    from tracea.ops.rows import norm_problem, softmax_problem

    asked = Request(tuple(kind_of(one).spec(one) for one in (x, *operands)), IDENTITY, (), None)
    if op.endswith("softmax"):
        problem = softmax_problem(op == "log_softmax", 1.0, None, asked)
    else:
        problem = norm_problem(op.removesuffix("_norm"), 1e-5, bool(operands), len(operands) > 1, None, asked)
    path = trace(problem, str(x.device))
    return f"{path.choice.variant.name} {path.configuration.describe()}"
