# SPDX-License-Identifier: MIT
"""The documented `AutoTuner`, wired to real kernels: on the device at hand it measures, for a preset it answers from the model."""

from __future__ import annotations

from typing import Any

from tracea_core.errors import OptionError, UnsupportedError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.configure import lock_file, store
from tracea_core.pipeline.tune import KernelMeasurer
from tracea_core.policy.topology import OperatorTopology
from tracea_core.target import CapabilityProfile
from tracea_core.tuner import auto
from tracea_core.tuner.problem import Device, LayerType, ProblemDescriptor
from tracea_core.tuner.result import AnyMeasure
from tracea_core.tuner.worker import Worker

MEASURED = frozenset({"cpu", "cuda"})
"""Backends that a worker process can give arrays to measure on."""


class AutoTuner(auto.AutoTuner):
    """Finds configurations for one device; see `tracea_core.tuner.auto.AutoTuner` for all settings.

    Parameters
    ----------
    gpu : CapabilityProfile
        A probed profile (real kernels are then measured, in a worker process) or a preset such as ``GPUInfo.h200()``.

    Raises
    ------
    OptionError
        If it is no profile.

    Examples
    --------
    >>> import tracea
    >>> tuner = tracea.AutoTuner(tracea.GPUInfo.a100())
    >>> shape = tracea.Shape(m=2048, n=2048, k=2048)
    >>> problem = tracea.ProblemDescriptor(device=tracea.Device.Cuda(0), layer_type=tracea.LayerType.Gemm, shape=shape)
    >>> tuner.optimize(problem).measured
    False
    """

    def __init__(self, gpu: CapabilityProfile, **settings: Any) -> None:
        if not isinstance(gpu, CapabilityProfile):
            raise OptionError(
                f"a tuner is made for a capability profile, not for {gpu!r}",
                hint="Give a preset such as GPUInfo.h200(), or the profile of a device that was probed",
            )
        settings.setdefault("store", store())
        settings.setdefault("lock", lock_file())
        if gpu.probed and gpu.backend in MEASURED:
            settings.setdefault("measure_factory", self._measurer)
        super().__init__(gpu, **settings)
        self._worker: Worker | None = None

    def _measurer(self, problem: ProblemDescriptor | OperatorTopology) -> AnyMeasure:
        if self._worker is None:
            self._worker = Worker()
        backend = self.profile.backend
        named = problem.device if isinstance(problem, ProblemDescriptor) else Device(backend)
        return KernelMeasurer(problem_of(problem), named.name, backend, (self._worker,))

    def close(self) -> None:
        """End the worker process, if one was started."""
        if self._worker is not None:
            self._worker.close()
            self._worker = None


def problem_of(descriptor: ProblemDescriptor | OperatorTopology) -> Problem:
    """Return the problem that stands for a descriptor: a product of contiguous matrices.

    Raises
    ------
    UnsupportedError
        If the layer is neither a GEMM nor a linear layer.
    """
    layer = descriptor.layer_type if isinstance(descriptor, ProblemDescriptor) else LayerType.GEMM
    if layer not in (LayerType.GEMM, LayerType.LINEAR):
        raise UnsupportedError(
            f"a shape alone does not describe a {layer.value} layer",
            hint="Tune it from the problem: tracea tune conv2d …",
        )
    operator = descriptor.topology() if isinstance(descriptor, ProblemDescriptor) else descriptor
    batch = (operator.batch,) if operator.batch > 1 else ()
    op = GemmOp(operator.m, operator.n, operator.k, batch=batch, dtype=operator.dtype)
    inputs = tuple(TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True))
    if layer is LayerType.LINEAR:
        weight = TensorSpec.contiguous((*batch, op.n, op.k), op.dtype)
        swapped = (*weight.strides[:-2], weight.strides[-1], weight.strides[-2])
        inputs = (inputs[0], TensorSpec(inputs[1].shape, op.dtype, swapped))
    return Problem(op, inputs, TensorSpec.contiguous(op.output_shape(), op.output_dtype()))
