# SPDX-License-Identifier: MIT
"""Calls of an exported library from Python: tensors in memory of their own between guard bands, random values, poisoned outputs."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.errors import BackendUnavailableError
from tracea_core.export import ExportedCall, ExportedLibrary
from tracea_core.export.build import compiler_for, machine
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import reference, tolerance, worst

from tracea.exporting import export

GUARD = 256


class Placed:
    """A tensor with its values, between guard bands."""

    def __init__(self, spec: TensorSpec, values: npt.NDArray[np.float64] | None) -> None:
        self.spec = spec
        size = 1 + sum((extent - 1) * stride for extent, stride in zip(spec.shape, spec.strides, strict=True))
        self.memory = np.full(size * spec.dtype.bytes + 2 * GUARD + 64, 0xA5, np.uint8)
        self.start = GUARD + -(self.memory.ctypes.data + GUARD) % 64
        self.bytes = size * spec.dtype.bytes
        self.memory[self.start : self.start + self.bytes] = 0xFF  # NaN in every float type
        if values is not None:
            self.array[...] = spec.dtype.encode(values)

    @property
    def array(self) -> npt.NDArray[Any]:
        stored = self.memory[self.start : self.start + self.bytes].view(self.spec.dtype.encode(np.zeros(1)).dtype)
        strides = tuple(stride * self.spec.dtype.bytes for stride in self.spec.strides)
        return np.lib.stride_tricks.as_strided(stored, self.spec.shape, strides)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        return np.asarray(self.spec.dtype.decode(self.array), np.float64)

    @property
    def address(self) -> int:
        return int(self.memory.ctypes.data) + self.start

    @property
    def guarded(self) -> bool:
        outside = np.delete(self.memory, np.s_[self.start : self.start + self.bytes])
        return bool((outside == 0xA5).all())


def drawn(problem: Problem, seed: int) -> dict[str, Placed]:
    """Return random tensors of a problem, in the order in which its function takes them; variances are positive."""
    rng = np.random.default_rng(seed)
    names = [f"input{place}" for place in range(len(problem.inputs))]
    names += [f"epilogue{place}" for place in range(len(problem.epilogue_inputs))]
    placed = {}
    for name, spec in zip(names, (*problem.inputs, *problem.epilogue_inputs), strict=True):
        values = rng.standard_normal(spec.shape)
        operand = problem.epilogue.operands[int(name[8:])].name if name.startswith("epilogue") else ""
        placed[name] = Placed(spec, abs(values) + 0.5 if operand == "var" else values)
    return {**placed, "output": Placed(problem.output, None)}


def share_of_bound(problem: Problem, tensors: Mapping[str, Placed]) -> float:
    """Return the largest error as a share of what a correct kernel may be off by."""
    inputs = [one.values for name, one in tensors.items() if name.startswith("input")]
    operands = [one.values for name, one in tensors.items() if name.startswith("epilogue")]
    expected = reference(problem, inputs, operands)
    return worst(tensors["output"].values, expected, tolerance(problem, inputs, operands))


class Loaded:
    """An exported library in this process."""

    def __init__(self, made: ExportedLibrary) -> None:
        self.made = made
        self.library = ctypes.CDLL(str(made.library))
        self._said = getattr(self.library, f"{made.name}_last_error")
        self._said.restype = ctypes.c_char_p

    def call(self, call: ExportedCall, tensors: Mapping[str, Placed]) -> int:
        function = getattr(self.library, f"{self.made.name}_{call.name}")
        return int(function(*(ctypes.c_void_p(one.address) for one in tensors.values()), None))

    @property
    def said(self) -> str:
        return str(self._said().decode())


@pytest.fixture(scope="module")
def strict_compiler() -> Iterator[None]:
    """A compiler whose warnings about what tracea prints are errors."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("CC", raising=False)
        try:
            words = compiler_for(machine())
        except BackendUnavailableError as error:
            pytest.skip(error.message)
        patch.setenv("CC", " ".join((*words, "-Werror")))
        yield


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, strict_compiler: None) -> Callable[..., Loaded]:
    """A function that exports calls and loads them."""

    def make(*calls: Any, name: str = "probe", **options: Any) -> Loaded:
        folder: Path = tmp_path_factory.mktemp("exported") / name
        return Loaded(export(folder, calls, name, built=True, **options))

    return make
