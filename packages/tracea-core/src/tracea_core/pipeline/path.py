# SPDX-License-Identifier: MIT
"""One walk along the path, down to emitted source: pure, without touching a device. Explaining, emitting and planning share it."""

from __future__ import annotations

import functools
import threading
from dataclasses import dataclass

from tracea_core.doctor.choose import Choice, choose
from tracea_core.doctor.variants import Variant
from tracea_core.emit.source import KernelSource
from tracea_core.errors import MalformedDataError, TraceaError
from tracea_core.ops.gemm import FusedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import Configured, configure
from tracea_core.pipeline.runtimes import broken
from tracea_core.plugin.select import Selection, resolve
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.tiles import TileGraph
from tracea_core.runtime.cache import BinaryCache, key_digest
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import AnyLowered, lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import PROOF_VERSION, certify
from tracea_core.target import CapabilityProfile, Target


@dataclass(frozen=True)
class Path:
    """Every stage of one call, in order. `source` is None where the backend prints no kernels of this family (yet)."""

    problem: Problem
    target: Target
    choice: Choice
    configured: Configured
    lowered: AnyLowered
    kernel: SemanticKernel
    certificate: Certificate
    source: KernelSource | None

    @property
    def configuration(self) -> PipelineConfig:
        """The configuration in use."""
        return self.configured.configuration

    def tile_graph(self) -> TileGraph:
        """Return the tiles that the configuration cuts the problem into, proved to cover it."""
        graph = PolicyEngine(self.target.profile).graph(self.choice.problem, self.configuration)
        graph.check_cover()
        return graph


def trace(
    problem: Problem,
    device: str | None = None,
    backend: str | None = None,
    preset: str | None = None,
    configuration: PipelineConfig | None = None,
) -> Path:
    """Walk the path for `problem` and return every stage. A `FusedGemmOp` goes as its product with an epilogue.

    Parameters
    ----------
    device, backend, preset
        Where; see `tracea_core.plugin.select.resolve`.
    configuration : PipelineConfig, optional
        Use this one instead of choosing.

    Raises
    ------
    TraceaError
        `UnsupportedError` if no variant qualifies, `BackendUnavailableError` if the backend cannot be used,
        `ConfigurationError` if the configuration does not fit, `CertificationError` if a proof fails.
    """
    if isinstance(problem.op, FusedGemmOp):
        problem = problem.normalized()
    selection = resolve(device, backend, preset)
    target = selection.target
    choice = choose(problem, target, variants_of(selection))
    configured = configure(choice, configuration)
    lowered, kernel, certificate = build(choice, configured.configuration)
    source = emit(selection, choice, kernel, certificate)
    if source is not None and configured.measured_source not in ("", source.text_digest):
        # The kernel has changed since it was timed, so its time says nothing about this one.
        configured = configure(choice, measured=False)
        lowered, kernel, certificate = build(choice, configured.configuration)
        source = emit(selection, choice, kernel, certificate)
    return Path(problem, target, choice, configured, lowered, kernel, certificate, source)


def build(choice: Choice, configuration: PipelineConfig) -> tuple[AnyLowered, SemanticKernel, Certificate]:
    """Return the lowered problem, its semantic kernel under `configuration`, and the kernel's certificate.

    Raises
    ------
    ConfigurationError, CertificationError
        If the configuration does not fit, or a proof fails.
    """
    lowered = lower_any(choice.problem)
    profile = choice.target.profile
    kernel = build_kernel(lowered.form, configuration, profile, choice.variant)
    return lowered, kernel, certificate_of(kernel, lowered, profile)


def emit(selection: Selection, choice: Choice, kernel: SemanticKernel, certificate: Certificate) -> KernelSource | None:
    """Return the source that the backend prints, or None if it has no emitter for the family."""
    emitter = selection.manifest.emitters.get(choice.variant.family)
    if emitter is None:
        return None
    try:
        return emitter(kernel, certificate)
    except TraceaError:
        raise
    except Exception as error:
        raise broken(selection.manifest.name, "the emitter", error) from error


def variants_of(selection: Selection) -> tuple[Variant, ...]:
    """Return what the backend offers for the target.

    Raises
    ------
    BackendUnavailableError
        If its `variants` raises.
    """
    try:
        return tuple(selection.manifest.variants(selection.target.profile))
    except TraceaError:
        raise
    except Exception as error:
        raise broken(selection.manifest.name, "variants", error) from error


_certificates: dict[tuple[str, str], Certificate] = {}
_guard = threading.Lock()


@functools.lru_cache(maxsize=1)
def _certificate_cache() -> BinaryCache:
    return BinaryCache()


def certificate_of(kernel: SemanticKernel, lowered: AnyLowered, profile: CapabilityProfile) -> Certificate:
    """Return the kernel's certificate: remembered, from the cache, or proved now.

    A stored certificate is named by the digests of kernel, form and profile and by the version of the proofs, so it can
    only be found for exactly what it was proved about.

    Raises
    ------
    CertificationError
        If a proof fails.
    """
    place = (kernel.digest(), lowered.form.digest())
    with _guard:
        known = _certificates.get(place)
    if known is not None:
        return known
    key = key_digest(
        arch=profile.digest(),
        toolchain=f"proofs {PROOF_VERSION}",
        source=place[0],
        flags=(place[1],),
        abi="certificate",
    )
    certificate = _stored(key, kernel)
    if certificate is None:
        certificate = certify(kernel, lowered.form, profile)
        _certificate_cache().put(key, certificate.to_json().encode())
    with _guard:
        _certificates[place] = certificate
    return certificate


def _stored(key: str, kernel: SemanticKernel) -> Certificate | None:
    content = _certificate_cache().get(key)
    if content is None:
        return None
    try:
        certificate = Certificate.from_json(content)
    except MalformedDataError:
        return None
    return certificate if certificate.kernel == kernel.digest() else None
