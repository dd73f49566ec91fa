# SPDX-License-Identifier: MIT
"""What a certificate costs: the time from a semantic kernel to all its proofs, cold, for the heroes of each device and family.

    python -m benchmarks.rows certification --only 'h200|a100'

Each kernel is proved in a process of its own, in which everything is imported and nothing has been proved; the figure is the processor time
of that one call (the smallest of a few processes), so that a busy machine counts for little. What a known plan costs follows
(`benchmarks.known_plans`).
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.plugin.manager import plugins
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel, first_buildable
from tracea_core.semantic.forms import AnyLowered, lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import CapabilityProfile
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.row_cases import row_problem

from benchmarks import known_plans
from benchmarks.row import Row

MOST = 200.0
"""Milliseconds that a certificate may cost."""
_PROCESSES = 3


def _convolution(dtype: DType, channels: int = 64, size: int = 56, taps: int = 3, stride: int = 1) -> Problem:
    op = Conv2dOp(8, channels, size, size, 64, taps, taps, (stride,) * 2, (taps // 2,) * 2, dtype=dtype)
    tensors = tuple(dense(shape, dtype, (0, 2, 3, 1)) for shape in op.input_shapes())
    out = dense(op.output_shape(), op.output_dtype(), (0, 2, 3, 1))
    return Problem(op, tensors, out, options=Options(allow_fallback=False))


def _fused(dtype: DType) -> Problem:
    shape = (4096, 4096, 4096)
    extra = (dense(shape[:1], dtype), dense(shape[:2], dtype))
    return gemm(shape, dtype, "nt", epilogue=parse_epilogue("bias,residual,relu"), extra=extra)


PROBLEMS: dict[str, Callable[[DType], Problem]] = {
    "gemm": lambda dtype: gemm((4096, 4096, 4096), dtype, "nt"),
    "gemm, bias, residual, ReLU": _fused,
    "conv2d": _convolution,
    "conv2d 7x7, stride 2": lambda dtype: _convolution(dtype, 3, 224, 7, 2),
    "attention": lambda dtype: chain_problem(AttentionOp(2, 8, 512, 512, 64, causal=True, dtype=dtype)),
    "attention, fp32": lambda _: chain_problem(AttentionOp(2, 8, 512, 512, 64, causal=True, dtype=DType.FP32)),
    "low rank": lambda dtype: chain_problem(LowRankOp(512, 1024, 1024, 64, dtype=dtype)),
    "softmax": lambda dtype: row_problem(SoftmaxOp((1024, 1024), dtype=dtype)),
}
DEVICES = {
    "h200": ("cuda", DType.BF16), "b200": ("cuda", DType.BF16), "a100": ("cuda", DType.BF16), "rtx4090": ("cuda", DType.BF16),
    "mi300x": ("hip", DType.BF16), "rx7900xtx": ("hip", DType.FP16), "pvc": ("sycl", DType.BF16), "m1": ("metal", DType.FP16),
    "avx512": ("cpu", DType.FP32), "avx2": ("cpu", DType.FP32),
}  # fmt: skip


def hero(device: str, problem: str) -> tuple[SemanticKernel, AnyLowered, CapabilityProfile]:
    """Return the kernel that the policy builds first for a problem on a device, with what it must compute.

    Raises
    ------
    UnsupportedError
        If no variant of the device's backend takes the problem.
    """
    backend, dtype = DEVICES[device]
    target = preset_target(device)
    choice = choose(PROBLEMS[problem](dtype), target, plugins().manifest(backend).variants(target.profile))
    decision = PolicyEngine(target.profile).decide(choice.problem, choice.variant)
    lowered = lower_any(choice.problem, choice.variant)
    configuration = first_buildable(lowered, decision.heroes, target.profile, choice.variant)
    return build_kernel(lowered.form, configuration, target.profile, choice.variant), lowered, target.profile


def milliseconds(device: str, problem: str) -> float:
    """Return the processor time of one certification in this process."""
    kernel, lowered, profile = hero(device, problem)
    kernel.digest()
    for module in (
        "semantic.interpret_lockstep",
        "semantic.interpret_workers",
    ):  # which are imported when a kernel needs them
        importlib.import_module(f"tracea_core.{module}")
    np.random.default_rng()  # so is NumPy's generator
    begin = time.process_time()
    certify(kernel, lowered.form, profile)
    return (time.process_time() - begin) * 1e3


def rows(given: argparse.Namespace) -> list[Row]:
    """Measure what ``--only`` leaves, print each row, and return all."""
    found = []
    for row in _every(given.only):
        print(f"  {row}", flush=True)
        found.append(row)
    return found


def _every(only: str) -> Iterator[Row]:
    for device in DEVICES:
        for problem in PROBLEMS:
            name = f"certificate of {device}'s {problem}"
            if not re.search(only, name):
                continue
            try:
                hero(device, problem)
            except (UnsupportedError, BackendUnavailableError):
                continue  # nothing of the kind ships for this device
            yield Row(name, "ms", min(_apart(device, problem) for _ in range(_PROCESSES)), None, MOST, at_most=True)
    if any(re.search(only, name) for name in known_plans.NAMES.values()):
        yield from known_plans.rows()


def _apart(device: str, problem: str) -> float:
    """The same in a fresh process."""
    command = [sys.executable, "-m", "benchmarks.certification", device, problem]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    result = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return float(json.loads(result.stdout.splitlines()[-1]))


if __name__ == "__main__":
    print(json.dumps(milliseconds(*sys.argv[1:3])))
