# SPDX-License-Identifier: MIT
"""tracea: matrix kernels with a certificate, stated once and printed for every kind of machine.

Names are loaded when they are first used, so importing tracea costs next to nothing beside NumPy.

>>> import numpy as np, tracea
>>> x, w, b = np.ones((4, 3), np.float32), np.ones((3, 2), np.float32), np.zeros(2, np.float32)
>>> tracea.ops.matmul(x, w, epilogue=tracea.BiasAdd(b) | tracea.ReLU())[0]
array([3., 3.], dtype=float32)
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "tracea_core.ops.activations": (
        "Auxiliary", "BiasAdd", "ReLU", "Gelu", "SiLU", "Sigmoid", "Tanh", "Residual", "Scale", "BatchNorm", "Clamp", "Quantize", "SwiGLU",
        "GeGLU",
    ),
    "tracea_core.ops.stages": ("Lambda",),
    "tracea_core.ops.elementwise": ("elementwise",),
    "tracea_core.ops.gemm": ("GemmOp", "FusedGemmOp"),
    "tracea_core.ops.conv": ("Conv2dOp",),
    "tracea_core.ops.conv_filters": ("Conv2dFiltersOp",),
    "tracea_core.ops.conv_transpose": ("ConvTranspose2dOp",),
    "tracea_core.ops.attention": ("AttentionOp",),
    "tracea_core.ops.rowwise": ("SoftmaxOp", "NormOp", "NormalizeOp"),
    "tracea_core.ops.low_rank": ("LowRankOp",),
    "tracea_core.ops.sparse": ("BlockPattern", "BlockSparseGemmOp"),
    "tracea_core.ops.grouped": ("GroupedGemmOp",),
    "tracea_core.ops.scaled": ("ScaledGemmOp", "ScaledGroupedGemmOp"),
    "tracea_core.ops.problem": ("Problem", "Options"),
    "tracea_core.ops.spec": ("TensorSpec",),
    "tracea_core.dtypes": ("DType",),
    "tracea_core.errors": (
        "TraceaError", "ShapeError", "DTypeError", "DeviceError", "OptionError", "AliasError", "UnsupportedError",
        "BackendUnavailableError", "PluginError", "ConfigurationError", "CertificationError", "CompileError", "LaunchError",
        "CacheMissError", "TuningError",
    ),
    "tracea_core.doctor.presets": ("GPUInfo",),
    "tracea_core.policy.config": ("PipelineConfig", "SwizzleMode", "BarrierMode"),
    "tracea_core.policy.graph": ("TTGBuilder", "TileMetadata"),
    "tracea_core.semantic.phases": ("PhaseTransition", "SyncRequirement"),
    "tracea_core.semantic.banks": ("BankConflictSimulator",),
    "tracea_core.policy.engine": ("PolicyEngine", "OperatorTopology", "TopologyKind"),
    "tracea.context": ("Context",),
    "tracea.runtime_manager": ("RuntimeManager", "OperatorTensors"),
    "tracea.tuning": ("AutoTuner",),
    "tracea.exporting": ("export",),
    "tracea.torch.modules": ("TraceaConv2d", "TraceaLinear"),
    "tracea.torch.patch": ("patch_conv2d", "unpatch_conv2d"),
    "tracea.torch.explain": ("explain",),
    "tracea_core.tuner.problem": ("ProblemDescriptor", "Device", "DeviceBackend", "LayerType", "Shape"),
    "tracea_core.tuner.space": ("SearchSpace",),
}  # fmt: skip
_MODULES = ("ops", "backend", "torch")

# Without ``torch`` and ``backend``: ``from tracea import *`` must not hide PyTorch behind `tracea.torch`.
__all__ = ["__version__", "ops", *(name for names in _HOME.values() for name in names)]
_WHERE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tracea.{name}")
    if name in _WHERE:
        value = getattr(importlib.import_module(_WHERE[name]), name)
        globals()[name] = value
        return value
    raise AttributeError(f"module 'tracea' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *_MODULES})
