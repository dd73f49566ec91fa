# SPDX-License-Identifier: MIT
"""`tracea.RuntimeManager`: operators described by their topology, launched as the policy of a device decides."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tracea_core.errors import DeviceError, DTypeError, OptionError, ShapeError, UnsupportedError
from tracea_core.ops.sparse import BlockPattern
from tracea_core.ops.stages import StageLike
from tracea_core.plugin.select import resolve
from tracea_core.policy.engine import PolicyDecision, PolicyEngine
from tracea_core.policy.kinds import BlockSparse, Causal, Dense, Grouped, LowRank, Rows, Windowed
from tracea_core.policy.topology import OperatorTopology
from tracea_core.tuner.problem import Device

from tracea import ops
from tracea.arrays import TORCH, adopt, kind_of

_Launch = Callable[[], Any]


@dataclass(frozen=True)
class OperatorTensors:
    """An operator's topology with its tensors.

    Attributes
    ----------
    topology : OperatorTopology
        What is computed: extents, type, which products are wanted.
    inputs : tuple of arrays
        By kind: dense products ``(a, b)`` of shapes (…, m, k) and (…, k, n); low rank ``(x, a, b)`` of (m, k), (k, r), (r, n);
        attention (causal, windowed, or dense with ``op_type="Attention"``) ``(q, k, v)`` of (batch, heads, …), with m queries, k keys and
        n columns of v; groups ``(x, weights)`` of (m, k) and (groups, k, n); blocks ``(a, blocks, pattern)`` with a `BlockPattern` of b, or
        of a as ``(blocks, b, pattern)``; rows ``(x,)`` of (m, n), and weights and biases of norms.
    out : array, optional
        Where the result goes.
    epilogue : stage, chain of stages, function or str, optional
        As `tracea.ops.matmul` takes it.
    """

    topology: OperatorTopology
    inputs: tuple[Any, ...]
    out: Any = None
    epilogue: StageLike = None


class RuntimeManager:
    """Launches operators on one device.

    Parameters
    ----------
    device : Device or str
        ``DeviceBackend.Cuda(0)``, ``DeviceBackend.Cpu``, or a device as tensors name it.

    Raises
    ------
    BackendUnavailableError, DeviceError
        If no backend serves the device.

    Examples
    --------
    >>> import numpy as np, tracea
    >>> topology = tracea.OperatorTopology(101, "low_rank_mlp", "Gemm", 4, 3, 8, tracea.TopologyKind.LowRank(r=2))
    >>> x, a, b = np.ones((4, 8), np.float32), np.ones((8, 2), np.float32), np.ones((2, 3), np.float32)
    >>> runtime = tracea.RuntimeManager(tracea.DeviceBackend.Cpu)
    >>> runtime.launch_with_policy([tracea.OperatorTensors(topology, (x, a, b))])[0][0]
    array([16., 16., 16.], dtype=float32)
    """

    def __init__(self, device: Device | str = "cpu") -> None:
        target = resolve(device.name if isinstance(device, Device) else device).target
        self.device, self.profile = target.device, target.profile

    def __repr__(self) -> str:
        return f"RuntimeManager({self.device!r})"

    def decide(self, topology: OperatorTopology) -> PolicyDecision:
        """Return what the policy says of an operator on this device: configurations worth trying, the first of them first, and reasons."""
        return PolicyEngine(self.profile).decide(topology)

    def launch_with_policy(self, operators: Sequence[OperatorTensors]) -> list[Any]:
        """Queue operators on the caller's current stream, in their order, and return their results.

        The configuration of each is what its plan takes: pinned, measured, shipped, or the policy's (`decide`).

        Raises
        ------
        ShapeError, DTypeError, DeviceError, OptionError
            Before anything is launched, if tensors are not what their topology says.
        UnsupportedError
            Before anything is launched, if a topology does not say what is to be computed (a convolution's, say). Of an op that no kernel
            takes, when its turn comes: nothing is left to another library.
        """
        launches = [self._launch(operator) for operator in operators]
        return [launch() for launch in launches]

    def _launch(self, operator: OperatorTensors) -> _Launch:
        """Check one operator and return what launches it."""
        topology = operator.topology
        given = tuple(x if isinstance(x, BlockPattern) else self._array(x, topology) for x in operator.inputs)
        more: dict[str, Any] = {"out": operator.out, "epilogue": operator.epilogue}
        match topology.kind:
            case LowRank(r=rank):
                x, a, b = self._count(topology, given, 3)
                self._shapes(topology, (x, a, b), ((topology.m, topology.k), (topology.k, rank), (rank, topology.n)))
                return lambda: ops.low_rank_mlp(x, a, b, fallback="error", **more)
            case Grouped(rows=rows):
                x, w = self._count(topology, given, 2)
                self._shapes(topology, (x, w), ((topology.m, topology.k), (len(rows), topology.k, topology.n)))
                ends = _like(x, np.cumsum(rows))
                return lambda: ops.grouped_matmul(x, w, ends, fallback="error", **more)
            case BlockSparse():
                return self._sparse(topology, given, more)
            case Causal() | Windowed():
                return self._attention(topology, given, more)
            case Dense() if topology.op_type == "Attention":
                return self._attention(topology, given, more)
            case Dense() if topology.op_type in ("Gemm", "Linear"):
                a, b = self._count(topology, given, 2)
                self._shapes(topology, (a, b), ((topology.m, topology.k), (topology.k, topology.n)))
                self._batch(topology, np.broadcast_shapes(tuple(a.shape[:-2]), tuple(b.shape[:-2])))
                return lambda: ops.matmul(a, b, fallback="error", **more)
            case Rows() if topology.op_type in _ROWS:
                least, most, function = _ROWS[topology.op_type]
                arrays = self._count(topology, given, least, most)
                self._shapes(topology, arrays, ((topology.m, topology.n), *[(topology.n,)] * (len(arrays) - 1)))
                return lambda: function(*arrays, fallback="error", **more)
        raise UnsupportedError(
            f"the topology of {topology.name!r} does not say what is to be computed",
            hint="Call its op of tracea.ops, or give op_type and kind of a product, attention, groups, blocks or rows",
            op_type=topology.op_type, kind=type(topology.kind).__name__,
        )  # fmt: skip

    def _sparse(self, topology: OperatorTopology, given: tuple[Any, ...], more: dict[str, Any]) -> _Launch:
        a, b, pattern = self._count(topology, given, 3)
        if not isinstance(pattern, BlockPattern):
            raise OptionError("blocks come with their BlockPattern, behind both factors", op=topology.name)
        of_a = len(a.shape) == 3
        rows = (topology.m, topology.k) if of_a else (topology.k, topology.n)
        spanned = pattern.block_rows * (len(pattern.indptr) - 1), pattern.block_columns * pattern.columns
        if spanned != rows:
            raise ShapeError(f"the pattern is of a matrix of {spanned}, the topology's has {rows}", op=topology.name)
        dense, shape = (b, (topology.k, topology.n)) if of_a else (a, (topology.m, topology.k))
        self._shapes(topology, (dense,), (shape,))
        return lambda: ops.block_sparse_matmul(a, b, pattern, sparse="a" if of_a else "b", fallback="error", **more)

    def _attention(self, topology: OperatorTopology, given: tuple[Any, ...], more: dict[str, Any]) -> _Launch:
        q, k, v = self._count(topology, given, 3)
        depth = topology.first_depth or q.shape[-1]
        self._shapes(topology, (q, k, v), ((topology.m, depth), (topology.k, depth), (topology.k, topology.n)))
        self._batch(topology, tuple(q.shape[:-2]))
        kind = topology.kind
        asked = {"left": kind.left, "right": kind.right} if isinstance(kind, Windowed) else {"causal": kind == Causal()}
        return lambda: ops.attention(q, k, v, fallback="error", **asked, **more)

    def _array(self, x: Any, topology: OperatorTopology) -> Any:
        """Return an array of this device and of the topology's type."""
        kind = kind_of(x)
        if kind is None:
            x = adopt(x, f"an input of {topology.name}")
            kind = kind_of(x)
        assert kind is not None
        if kind.device(x) != self.device:
            raise DeviceError(f"an input is on {kind.device(x)}, the runtime on {self.device}", op=topology.name)
        dtype = kind.spec(x).dtype
        if dtype is not topology.dtype:
            raise DTypeError(f"an input is {dtype.value}, the topology says {topology.dtype.value}", op=topology.name)
        return x

    @staticmethod
    def _count(topology: OperatorTopology, given: tuple[Any, ...], least: int, most: int = 0) -> tuple[Any, ...]:
        if not least <= len(given) <= max(least, most):
            raise OptionError(
                f"{topology.op_type} of kind {type(topology.kind).__name__} takes {least} tensors, not {len(given)}",
                op=topology.name,
            )
        return given

    @staticmethod
    def _shapes(topology: OperatorTopology, arrays: Sequence[Any], shapes: Sequence[tuple[int, ...]]) -> None:
        for number, (array, shape) in enumerate(zip(arrays, shapes, strict=True)):
            if tuple(array.shape)[-len(shape) :] != shape:
                raise ShapeError(
                    f"input {number} has shape {tuple(array.shape)}, the topology says {shape}",
                    op=topology.name,
                    op_id=topology.op_id,
                )

    @staticmethod
    def _batch(topology: OperatorTopology, leading: tuple[int, ...]) -> None:
        if math.prod(leading) != topology.batch:
            raise ShapeError(
                f"the inputs are {math.prod(leading)} matrices, the topology says {topology.batch}",
                op=topology.name,
                op_id=topology.op_id,
            )


_ROWS: dict[str, tuple[int, int, Callable[..., Any]]] = {
    "Softmax": (1, 1, ops.softmax), "LogSoftmax": (1, 1, ops.log_softmax), "RmsNorm": (1, 2, ops.rms_norm),
    "LayerNorm": (1, 3, ops.layer_norm),
}  # fmt: skip
"""What rows of an op type are: the fewest and the most inputs, and the op."""


def _like(x: Any, numbers: Any) -> Any:
    """Return whole numbers as an array of the library and on the device of `x`."""
    if kind_of(x) is not TORCH:
        return numbers.astype(np.int32)
    import torch

    return torch.tensor(numbers.tolist(), dtype=torch.int32, device=x.device)
