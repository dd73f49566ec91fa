# SPDX-License-Identifier: MIT
"""Kernels printed for AMD devices, and launches of their text in the emulator against float64."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.emit.source import KernelSource
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.index import evaluate
from tracea_core.semantic.lower import lower
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt import SimtProgram, SimtReport
from tracea_hip.plugin import emit
from tracea_hip.variants import variants

Array = npt.NDArray[Any]


@functools.lru_cache(maxsize=64)
def printed(problem: Problem, config: PipelineConfig, device: str = "mi300x") -> KernelSource:
    """Return the source of a kernel for the class of `problem`."""
    profile = preset_target(device).profile
    dtype = problem.inputs[0].dtype
    variant = next(v for v in variants(profile) if dtype in v.operand_dtypes)
    contraction = lower(problem).contraction
    kernel = build_kernel(contraction, config, profile, variant)
    return emit(kernel, certify(kernel, contraction, profile))


@functools.lru_cache(maxsize=64)
def program(text: str, device: str) -> SimtProgram:
    """Return the text compiled for the emulator."""
    return SimtProgram(text, language="hip", target=preset_target(device).profile)


def poison(count: int, storage: Any) -> Array:
    """Return memory that nobody has written: all bits set, NaN where floating."""
    dtype = np.dtype(storage)
    if dtype.kind == "u":
        return np.full(count, np.iinfo(dtype).max, dtype)
    return np.full(count, -1 if dtype.kind == "i" else np.nan, dtype)


def strided(values: Array, spec: TensorSpec) -> Array:
    """Return flat memory that holds `values` with the strides of `spec`; what lies between stays poisoned."""
    span = 1 + sum((extent - 1) * stride for extent, stride in zip(spec.shape, spec.strides, strict=True))
    encoded = spec.dtype.encode(values)
    memory = poison(span, encoded.dtype)
    view = np.lib.stride_tricks.as_strided(memory, spec.shape, [s * memory.itemsize for s in spec.strides])
    view[...] = encoded
    return memory


def simulate(
    problem: Problem, config: PipelineConfig, like: Problem | None = None, device: str = "mi300x", seed: int = 0
) -> SimtReport:
    """Run `problem` through the kernel that was printed for `like`, and compare with the float64 reference."""
    source = printed(like or problem, config, device)
    low = lower(problem)
    random = np.random.default_rng(seed)
    tensors = (*problem.inputs, *problem.epilogue_inputs)
    values = [numbers(random, spec) for spec in tensors]
    names = {f"input{i}": i for i in range(len(problem.inputs))}
    names |= {f"epilogue{i}": len(problem.inputs) + i for i in range(len(problem.epilogue_inputs))}
    memory = {name: strided(values[i], tensors[i]) for name, i in names.items()}
    out = problem.output
    memory["output"] = poison(
        1 + sum((e - 1) * s for e, s in zip(out.shape, out.strides, strict=True)), out.dtype.storage
    )
    roles = dict(zip((p.name for p in lower(problem).contraction.parameters), low.operands, strict=True))
    pointers = [memory[roles[parameter.name]] for parameter in source.parameters]
    arguments = [(np.int64 if symbol.wide else np.int32)(low.symbols[symbol.name]) for symbol in source.symbols]
    blocks = int(evaluate(source.launch.blocks, low.symbols))
    report = program(source.text, device).run((blocks,), (source.launch.threads,), [*pointers, *arguments], seed=seed)
    view = np.lib.stride_tricks.as_strided(
        memory["output"], out.shape, [s * memory["output"].itemsize for s in out.strides]
    )
    count = len(problem.inputs)
    expected = reference(problem, values[:count], values[count:])
    good = agrees(out.dtype.decode(view.copy()), expected, tolerance(problem, values[:count], values[count:]))
    assert good.all(), f"{np.argwhere(~good)[:4].tolist()} of {out.shape} are wrong"
    assert memory["output"].size == np.prod(out.shape) or untouched(memory["output"], out)
    return report


def numbers(random: np.random.Generator, spec: TensorSpec) -> Array:
    """Return random values that `spec` holds exactly."""
    if not spec.dtype.is_float:
        return random.integers(int(spec.dtype.lowest), int(spec.dtype.largest) + 1, spec.shape).astype(np.float64)
    return spec.dtype.decode(spec.dtype.encode(random.standard_normal(spec.shape)))


def untouched(memory: Array, spec: TensorSpec) -> bool:
    """Whether nothing between the rows of the output was written."""
    inside = np.zeros(memory.size, np.bool_)
    places = sum(
        np.arange(e)[(...,) + (None,) * (len(spec.shape) - 1 - i)] * s
        for i, (e, s) in enumerate(zip(spec.shape, spec.strides, strict=True))
    )
    inside[np.ravel(places)] = True
    left = memory[~inside]
    return bool(np.array_equal(left, poison(left.size, left.dtype), equal_nan=left.dtype.kind == "f"))


@pytest.fixture(scope="session")
def emulator() -> Callable[..., SimtReport]:
    """Return `simulate`, or skip where no compiler can build the emulator."""
    need_emulator()
    return simulate


@pytest.fixture(scope="session")
def source() -> Callable[..., KernelSource]:
    """Return `printed`."""
    return printed
