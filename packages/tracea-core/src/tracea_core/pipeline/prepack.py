# SPDX-License-Identifier: MIT
"""The kernel that copies a weight into panels once, so that products need not at each call: built, certified and compiled like any other.

A product that reads panels says so in its options (`tracea_core.ops.problem.Options.panel_columns`); who holds the copy, and when it
is stale, is the business of whoever asked for it.
"""

from __future__ import annotations

from dataclasses import dataclass

from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import UnsupportedError
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline.path import certificate_of
from tracea_core.pipeline.runtimes import compiled
from tracea_core.plugin.select import resolve
from tracea_core.policy.budget import is_cpu
from tracea_core.policy.cpu_blocks import panel_columns
from tracea_core.runtime.interface import Launcher
from tracea_core.semantic.build.schedules import kernel_name
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.panels import lower_panels, panel_elements
from tracea_core.semantic.sweep import LoweredSweep
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.target import CapabilityProfile

_DTYPES = (DType.FP32, DType.FP64)
"""Types that products read from panels without converting them."""


@dataclass(frozen=True)
class PanelCopy:
    """The copy of one kind of matrix into panels.

    Attributes
    ----------
    columns : int
        Columns of a panel.
    elements : int
        What the copy takes, in elements.
    launch : Launcher
        ``launch(source, target)``, with two addresses.
    """

    columns: int
    elements: int
    kernel: SemanticKernel
    certificate: Certificate
    source: KernelSource
    launch: Launcher


def certified_copy(
    spec: TensorSpec, profile: CapabilityProfile
) -> tuple[int, LoweredSweep, SemanticKernel, Certificate]:
    """Return the columns of the panels that suit a matrix on a processor, and the copy: its form, kernel and certificate.

    Raises
    ------
    UnsupportedError
        If it is no matrix of fp32 or fp64, or the device is no processor: others read weights where they lie.
    CertificationError
        If a proof fails.
    """
    if not is_cpu(profile):
        raise UnsupportedError(
            f"weights are copied into panels for processors; {profile.name} reads them where they lie",
            hint="Give the weight itself",
        )
    if spec.rank != 2 or spec.dtype not in _DTYPES or not spec.size:
        raise UnsupportedError(
            "only matrices of fp32 or fp64 with at least one element are copied into panels", hint="Give the weight itself",
            shape=spec.shape, dtype=spec.dtype.value,
        )  # fmt: skip
    from tracea_core.semantic.build.panel_copy import copy_configuration, panel_copy_kernel

    columns = panel_columns(profile, spec.dtype, spec.shape[1])
    lowered = lower_panels("input1", spec, "panels", columns)
    configuration = copy_configuration(lowered.form, profile)
    kernel = panel_copy_kernel(lowered.form, configuration, profile, kernel_name(lowered.form, configuration))
    return columns, lowered, kernel, certificate_of(kernel, lowered.form, profile)


def panel_copy(spec: TensorSpec, device: str | None = None, backend: str | None = None) -> PanelCopy:
    """Return the copy of such a matrix into panels, ready to launch.

    Parameters
    ----------
    spec : TensorSpec
        The matrix as products take it, shape (k, n), any strides.

    Raises
    ------
    TraceaError
        As `certified_copy`; also `BackendUnavailableError` and `CompileError`.
    """
    selection = resolve(device, backend)
    target = selection.target
    columns, lowered, kernel, certificate = certified_copy(spec, target.profile)
    source = selection.manifest.emitters["contraction"](kernel, certificate)
    launch = compiled(target.backend, target.device, source).prepare(lowered.symbols)
    return PanelCopy(
        columns, panel_elements(spec.shape[0], spec.shape[1], columns), kernel, certificate, source, launch
    )
