# SPDX-License-Identifier: MIT
"""`tracea.Context`: products on one device, dispatched by hand into buffers that the caller owns."""

from __future__ import annotations

import functools
import operator
from collections.abc import Sequence
from typing import Any

from tracea_core.doctor.presets import preset_names
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, DeviceError, OptionError, ShapeError
from tracea_core.ops.epilogue import Epilogue
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import StageLike, as_chain
from tracea_core.pipeline import Path, trace
from tracea_core.plugin.select import resolve

from tracea.arrays import adopt, kind_of
from tracea.explanation import Explanation, explanation
from tracea.ops.call import bind_epilogue, know_plugin_activations
from tracea.ops.matmul import matmul, matmul_problem
from tracea.ops.request import Request

Epilogues = StageLike | Sequence[StageLike]


class Context:
    """Products on one device, or for one that is not here.

    Parameters
    ----------
    device : str
        ``cpu``, ``cuda:0``, …, as tensors name it; or the name of a preset such as ``h200``, on which nothing can be executed.
    backend : str, optional
        A backend's name; by default the best one for the device.

    Attributes
    ----------
    device : str
        The device's name; of a preset, ``preset:`` and its name.
    backend : str
        The backend's name.

    Raises
    ------
    BackendUnavailableError, DeviceError
        If no backend serves the device, or the one that was named does not.

    Examples
    --------
    >>> import numpy as np, tracea
    >>> a, b, c = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32), np.empty((2, 4), np.float32)
    >>> tracea.Context("cpu").execute(a, b, c, 2, 4, 3, [tracea.BiasAdd(np.full(4, -5, np.float32)), tracea.ReLU()])[0]
    array([0., 0., 0., 0.], dtype=float32)
    >>> "wgmma" in tracea.Context("h200").emit(4096, 4096, 4096, dtype="bf16")
    True
    """

    def __init__(self, device: str = "cpu", backend: str | None = None) -> None:
        name = device.removeprefix("preset:")
        self._preset = name if device != name or name in preset_names() else None
        self._named = backend
        target = resolve(None if self._preset else device, backend, self._preset).target
        self.device, self.backend = f"preset:{name}" if self._preset else target.device, target.backend

    def __repr__(self) -> str:
        return f"Context({self.device!r}, backend={self.backend!r})"

    def execute(self, a: Any, b: Any, c: Any, m: int, n: int, k: int, epilogues: Epilogues = None) -> Any:
        """Write ``epilogues(a @ b)`` into `c` on the caller's current stream, and return `c`.

        Parameters
        ----------
        a, b, c : array
            On the context's device, of shapes (m, k), (k, n) and (m, n) with any strides, or contiguous buffers of as many elements. With
            a gated epilogue `b` has 2n columns.
        epilogues : stage, or sequence of stages in their order
            As `tracea.ops.matmul` takes them; each carries its arrays.

        Raises
        ------
        TraceaError
            Before anything is launched or written: no kernel of the backend takes the product (nothing is left to another library), or the
            arrays are not what was said.
        """
        if self._preset:
            raise BackendUnavailableError(
                f"{self.device} is no device",
                hint="A context on a preset explains and emits; give a device to execute",
                op="execute",
            )
        stage = _chain(epilogues)
        columns = n * (2 if bind_epilogue(stage)[0].gated else 1)
        shapes = {"a": (m, k), "b": (k, columns), "c": (m, n)}
        given = [self._matrix(x, name, shapes[name]) for name, x in zip("abc", (a, b, c), strict=True)]
        matmul(*given[:2], out=given[2], epilogue=stage, backend=self._named, fallback="error")
        return c

    def explain(
        self, m: int, n: int, k: int, epilogues: Epilogues = None, dtype: str | DType = DType.FP32
    ) -> Explanation:
        """Return every stage of such a product of contiguous matrices, from problem to source.

        Parameters
        ----------
        epilogues : str, stage, or sequence of stages
            As text, such as ``"bias,relu"``, it needs no arrays.

        Raises
        ------
        TraceaError
            As `tracea_core.pipeline.trace`.
        """
        return explanation(self._path(m, n, k, epilogues, dtype))

    def emit(self, m: int, n: int, k: int, epilogues: Epilogues = None, dtype: str | DType = DType.FP32) -> str:
        """Return the source of the kernels of such a product, in the order in which they run.

        Raises
        ------
        BackendUnavailableError
            If the backend prints no such kernels.
        TraceaError
            As `explain`.
        """
        path = self._path(m, n, k, epilogues, dtype)
        if path.source is None:
            raise BackendUnavailableError(
                f"the backend {path.target.backend!r} prints no {path.choice.variant.family} kernels",
                hint="`explain` shows the schedule",
            )
        return "\n".join(source.text for source in path.sources)

    def _path(self, m: int, n: int, k: int, epilogues: Epilogues, dtype: str | DType) -> Path:
        kind = dtype if isinstance(dtype, DType) else DType.parse(dtype)
        problem = _problem(m, n, k, epilogues, kind)
        return trace(problem, None if self._preset else self.device, self._named, self._preset)

    def _matrix(self, x: Any, name: str, shape: tuple[int, int]) -> Any:
        """Return an array of the context's device as a matrix of this shape, over the same memory."""
        kind = kind_of(x)
        if kind is None:
            x = adopt(x, name)
            kind = kind_of(x)
        assert kind is not None
        if kind.device(x) != self.device:
            raise DeviceError(f"{name} is on {kind.device(x)}, the context on {self.device}", op="execute")
        if tuple(x.shape) == shape:
            return x
        spec = kind.spec(x)
        if spec.shape != (shape[0] * shape[1],) or (spec.strides != (1,) and spec.size > 1):
            raise ShapeError(
                f"{name} has shape {spec.shape}, not {shape}", op="execute",
                hint="Give a matrix, or a contiguous buffer of as many elements",
            )  # fmt: skip
        return x.reshape(shape)


def _chain(epilogues: Epilogues) -> StageLike:
    """Return one stage for what was given."""
    if isinstance(epilogues, Sequence) and not isinstance(epilogues, str):
        return functools.reduce(operator.or_, map(as_chain, epilogues)) if epilogues else None
    return epilogues


def _problem(m: int, n: int, k: int, epilogues: Epilogues, dtype: DType) -> Problem:
    """Return the problem of contiguous matrices; operands that nobody gave are vectors in fp32 (or fp64), and matrices like the result."""
    if min(m, n, k) < 0:
        raise OptionError(f"extents are at least 0, not {(m, n, k)}", op="matmul")
    know_plugin_activations()
    if isinstance(epilogues, str):
        tail, arrays = parse_epilogue(epilogues), ()
    else:
        tail, arrays = bind_epilogue(_chain(epilogues))
    given = tuple(_spec(x) for x in arrays) if arrays else _usual(tail, (m, n), dtype)
    inputs = TensorSpec.contiguous((m, k), dtype), TensorSpec.contiguous((k, n * (2 if tail.gated else 1)), dtype)
    return matmul_problem(1.0, 0.0, None, Request(inputs, tail, given))


def _spec(x: Any) -> TensorSpec:
    kind = kind_of(x)
    return _spec(adopt(x, "an epilogue's operand")) if kind is None else kind.spec(x)


def _usual(tail: Epilogue, shape: tuple[int, int], dtype: DType) -> tuple[TensorSpec, ...]:
    wide = DType.FP64 if dtype is DType.FP64 else DType.FP32
    shapes = [tail.operand_shape(slot, shape, -1) for slot in range(len(tail.operands))]
    return tuple(TensorSpec.contiguous(given, dtype if given == shape else wide) for given in shapes)
