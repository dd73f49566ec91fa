# SPDX-License-Identifier: MIT
"""Run emitted kernels on arrays that stand between guard bands, and compare them with the derived tolerance."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.tolerance import agrees, reference, tolerance
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.auxiliary import store_auxiliaries
from tracea_core.semantic.build.panel import panel_kernel
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import lower
from tracea_core.semantic.quotient import reciprocals
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.runtime import CpuRuntime

_BAND = 64
_POISON = 0xA5


@dataclasses.dataclass
class Tensor:
    """A strided tensor in memory whose every other byte is poison."""

    spec: TensorSpec
    memory: npt.NDArray[np.uint8]

    @classmethod
    def poisoned(cls, shape: Sequence[int], dtype: DType, order: Sequence[int] | None = None, gap: int = 0) -> Tensor:
        """Return a tensor whose axes lie in memory in `order`, slowest first, with `gap` elements after each row."""
        order = tuple(range(len(shape))) if order is None else tuple(order)
        strides, step = [0] * len(shape), 1
        for place, axis in enumerate(reversed(order)):
            strides[axis] = step
            step *= max(1, shape[axis])
            step += gap if place == 0 else 0
        memory = np.full((step + 2 * _BAND) * dtype.bytes, _POISON, np.uint8)
        return cls(TensorSpec(tuple(shape), dtype, tuple(strides)), memory)

    @property
    def pointer(self) -> int:
        """Address of the first element."""
        return int(self.memory.ctypes.data) + _BAND * self.spec.dtype.bytes

    @property
    def stored(self) -> npt.NDArray[np.generic]:
        """The elements' bytes, as a view."""
        flat = self.memory.view(self.spec.dtype.storage)[_BAND:]
        strides = tuple(stride * self.spec.dtype.bytes for stride in self.spec.strides)
        return np.lib.stride_tricks.as_strided(flat, self.spec.shape, strides)

    @property
    def values(self) -> npt.NDArray[np.float64]:
        """The elements' exact values."""
        return self.spec.dtype.decode(np.array(self.stored))

    def fill(self, values: npt.ArrayLike) -> Tensor:
        """Store `values`, rounded."""
        self.stored[...] = self.spec.dtype.encode(values)
        return self

    def outside_is_untouched(self) -> bool:
        """Whether every byte that belongs to no element is still poison."""
        inside = Tensor(self.spec, np.zeros_like(self.memory))
        inside.stored.view()[...] = np.ones((), self.spec.dtype.storage)
        marks = inside.memory.reshape(-1, self.spec.dtype.bytes).any(axis=1)
        rest = self.memory.reshape(-1, self.spec.dtype.bytes)[~marks]
        return bool((rest == _POISON).all())


@dataclasses.dataclass
class Built:
    """A kernel with its source and the symbols of one problem."""

    kernel: SemanticKernel
    source: KernelSource
    symbols: dict[str, int]
    operands: tuple[str, ...]


def build(problem: Problem, configuration: PipelineConfig, profile: CapabilityProfile | None = None) -> Built:
    """Lower, schedule and emit `problem`."""
    lowered = lower(problem)
    read = panel_kernel(lowered.contraction, configuration, profile or preset("avx2"), "cpu.contraction.avx2", "kernel")
    kernel = store_auxiliaries(read)
    return Built(kernel, emit_contraction(kernel, Certificate(kernel.digest(), ())), lowered.symbols, lowered.operands)


def run(
    op: object,
    inputs: Sequence[Tensor],
    output: Tensor,
    configuration: PipelineConfig,
    epilogue: Epilogue = IDENTITY,
    operands: Sequence[Tensor] = (),
    workers: int = 2,
    splits: int = 1,
    symbols: Mapping[str, int] | None = None,
) -> float:
    """Launch the kernel of a problem and check it; return the largest error.

    The output starts as poison; everything around it must still be poison afterwards.
    """
    problem = Problem(
        op,
        tuple(t.spec for t in inputs),
        output.spec,
        epilogue,
        tuple(t.spec for t in operands),  # type: ignore[arg-type]
    )
    built = build(problem, configuration)
    names = {f"input{i}": t for i, t in enumerate(inputs)} | {"output": output}
    names |= {f"epilogue{i}": t for i, t in enumerate(operands)}
    parts = {"row_splits": splits, "column_splits": splits, "row_blocks": splits}
    values = {**built.symbols, **parts, "workers": workers, **(symbols or {})}
    values |= reciprocals(values, ("n",))
    launch = CpuRuntime().compile(built.source).prepare(values)
    launch(*(names[name].pointer for name in built.operands))
    exact = [tensor.values for tensor in inputs], [tensor.values for tensor in operands]
    expected, bound = reference(problem, *exact), tolerance(problem, *exact)
    rounded = output.spec.dtype.decode(output.spec.dtype.encode(expected))
    got = output.values
    good = agrees(got, expected, bound) | (got == rounded)
    assert good.all(), f"{np.count_nonzero(~good)} of {good.size} elements differ, first at {np.argwhere(~good)[0]}"
    assert output.outside_is_untouched()
    return float(np.nanmax(np.abs(got - expected), initial=0.0))


@pytest.fixture
def random(request: pytest.FixtureRequest) -> np.random.Generator:
    """Return a generator whose seed is the test's name."""
    return np.random.default_rng(list(request.node.name.encode()))


@pytest.fixture
def poisoned() -> Callable[..., Tensor]:
    """Return the maker of poisoned tensors: ``poisoned(shape, dtype, order=None, gap=0)``."""
    return Tensor.poisoned


@pytest.fixture
def check() -> Callable[..., float]:
    """Return what launches a problem and checks its output (see `run`)."""
    return run


@pytest.fixture
def built() -> Callable[..., Built]:
    """Return what lowers, schedules and emits a problem: ``built(problem, configuration, profile=None)``."""
    return build
