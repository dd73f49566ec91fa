# SPDX-License-Identifier: MIT
"""What is tuned, in the words of the documented interface: a device, a kind of layer, a shape.

``ProblemDescriptor(device=Device.Cuda(0), layer_type=LayerType.Gemm, shape=Shape(m=2048, n=2048, k=2048))``
"""

from __future__ import annotations

import enum
from typing import ClassVar

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import DeviceError, ShapeError
from tracea_core.policy.kinds import AnyTopology, Dense
from tracea_core.policy.topology import OperatorTopology


class Device(Data, frozen=True):
    """One device of one backend. ``Device.Cpu`` is the CPU, ``Device.Cuda(0)`` the first GPU of NVIDIA."""

    backend: str
    index: int = 0

    Cpu: ClassVar[Device]

    def __post_init__(self) -> None:
        if not self.backend.isidentifier() or self.index < 0:
            raise DeviceError("a device is a backend's name and an index from 0", device=f"{self.backend}:{self.index}")

    @staticmethod
    def Cuda(index: int = 0) -> Device:
        """Return a device of the backend ``cuda``."""
        return Device("cuda", index)

    @staticmethod
    def Hip(index: int = 0) -> Device:
        """Return a device of the backend ``hip``."""
        return Device("hip", index)

    @staticmethod
    def Sycl(index: int = 0) -> Device:
        """Return a device of the backend ``sycl``."""
        return Device("sycl", index)

    @staticmethod
    def Metal(index: int = 0) -> Device:
        """Return a device of the backend ``metal``."""
        return Device("metal", index)

    @property
    def name(self) -> str:
        """The device as users write it: ``cpu``, ``cuda:0``."""
        return "cpu" if self.backend == "cpu" else f"{self.backend}:{self.index}"


Device.Cpu = Device("cpu")

DeviceBackend = Device
"""The documented interface names devices in two ways, ``Device.Cuda(0)`` and ``DeviceBackend.Cuda(0)``: one thing."""


class LayerType(enum.Enum):
    """A kind of layer; the value is the op type that policies see. CamelCase names are aliases."""

    GEMM = "Gemm"
    LINEAR = "Linear"
    CONV2D = "Conv2d"
    ATTENTION = "Attention"
    LOW_RANK_MLP = "LowRankMlp"
    Gemm = "Gemm"
    Linear = "Linear"
    Conv2d = "Conv2d"
    Attention = "Attention"
    LowRankMlp = "LowRankMlp"


class Shape(Data, frozen=True):
    """Extents of a (batched) matrix product; a convolution counts as the product that computes it without im2col.

    For ``Conv2d``: m = output pixels, n = output channels, k = channels times filter taps, batch = groups.
    """

    m: int
    n: int
    k: int
    batch: int = 1

    def __post_init__(self) -> None:
        if min(self.m, self.n, self.k, self.batch) < 1:
            raise ShapeError("there is nothing to tune without work", shape=(self.batch, self.m, self.n, self.k))


class ProblemDescriptor(Data, frozen=True, kw_only=True):
    """One problem to tune.

    Attributes
    ----------
    shape : Shape
        Extents.
    device : Device
        Where it will run.
    layer_type : LayerType
        What it is.
    dtype : DType
        Type of the operands.
    kind : AnyTopology
        Which products are wanted (all, causal, low rank, …).
    """

    shape: Shape
    device: Device = Device("cpu")
    layer_type: LayerType = LayerType.GEMM
    dtype: DType = DType.FP32
    kind: AnyTopology = Dense()

    def topology(self) -> OperatorTopology:
        """Return the problem as policies see it."""
        return OperatorTopology(
            0,
            self.layer_type.value,
            self.layer_type.value,
            self.shape.m,
            self.shape.n,
            self.shape.k,
            kind=self.kind,
            batch=self.shape.batch,
            dtype=self.dtype,
            reduction_axes=3 if self.layer_type is LayerType.CONV2D else 1,
        )

    def title(self) -> str:
        """Return the problem in words."""
        s = self.shape
        batch = f"{s.batch} × " if s.batch > 1 else ""
        return f"{self.layer_type.value} {batch}{s.m}×{s.n}×{s.k} {self.dtype.value}"
