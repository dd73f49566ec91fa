# SPDX-License-Identifier: MIT
"""One walk along the path, down to emitted source: pure, without touching a device. Explaining, emitting and planning share it."""

from __future__ import annotations

import dataclasses
import functools
import threading
from collections.abc import Callable
from dataclasses import dataclass

from tracea_core.doctor.choose import Choice
from tracea_core.emit.source import KernelSource
from tracea_core.errors import ConfigurationError, MalformedDataError, TraceaError
from tracea_core.ops.gemm import FusedGemmOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import Configured, configure
from tracea_core.pipeline.offered import has_scratch, variants_of
from tracea_core.pipeline.parts import Around, around_of, parts_of
from tracea_core.pipeline.passes import Pass, in_plan, passes, zeros
from tracea_core.pipeline.runtimes import broken
from tracea_core.plugin.select import Selection, resolve
from tracea_core.policy.arrange import arranged
from tracea_core.policy.arrangement import Arranged, Arrangement
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.output_phases import Phase
from tracea_core.policy.restated import restated
from tracea_core.policy.tiles import TileGraph
from tracea_core.policy.topology import topology_of
from tracea_core.runtime.cache import BinaryCache, key_digest
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import AnyLowered, Form, lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.sweep import LoweredSweep
from tracea_core.semantic.verify.certificate import PROOF_VERSION, Certificate
from tracea_core.target import CapabilityProfile, Target


@dataclass(frozen=True)
class Path:
    """Every stage of one call, in order. `source` is None where the backend prints no kernels of this family (yet).

    A plan of several kernels has copies of operands `before` the contraction and the sum of partial results `after` it; what lies
    between kernels are the arrangement's workspaces. `considered` lists what was possible, the fastest by estimate first. `choice` and
    everything below it are those of the contraction. A transposed convolution is one contraction for each of its `phases`, of which
    the one that multiplies most is shown; kernels `around` all phases copy what they read and write.
    """

    problem: Problem
    target: Target
    choice: Choice
    configured: Configured
    lowered: AnyLowered
    kernel: SemanticKernel
    certificate: Certificate
    source: KernelSource | None
    arrangement: Arrangement
    considered: tuple[Arrangement, ...] = ()
    before: tuple[Pass, ...] = ()
    after: tuple[Pass, ...] = ()
    phases: tuple[tuple[Phase, Path], ...] = ()
    around: Around | None = None

    @property
    def kernels(self) -> tuple[SemanticKernel, ...]:
        """All kernels of the plan, in the order in which they run."""
        if self.phases:
            ahead, behind = self._around
            phases = (kernel for _, path in self.phases for kernel in path.kernels)
            return (*(one.kernel for one in ahead), *phases, *(one.kernel for one in behind))
        return (*(one.kernel for one in self.before), self.kernel, *(one.kernel for one in self.after))

    @property
    def _around(self) -> tuple[tuple[Pass, ...], tuple[Pass, ...]]:
        return (self.around.before, self.around.after) if self.around is not None else ((), ())

    @property
    def sources(self) -> tuple[KernelSource, ...]:
        """The sources of all kernels, in the order in which they run; empty where the backend prints none."""
        if self.phases:
            ahead, behind = ([one.source for one in some if one.source is not None] for some in self._around)
            return (*ahead, *(source for _, path in self.phases for source in path.sources), *behind)
        found = (*(one.source for one in self.before), self.source, *(one.source for one in self.after))
        return tuple(source for source in found if source is not None) if self.source is not None else ()

    @property
    def configuration(self) -> PipelineConfig:
        """The configuration in use."""
        return self.configured.configuration

    def tile_graph(self) -> TileGraph:
        """Return the tiles that the configuration cuts the problem into, proved to cover it."""
        from tracea_core.policy.engine import PolicyEngine

        operator = topology_of(self.choice.problem, self.choice.variant)
        graph = PolicyEngine(self.target.profile).graph(operator, self.configuration)
        graph.check_cover()
        return graph


def trace(
    problem: Problem,
    device: str | None = None,
    backend: str | None = None,
    preset: str | None = None,
    configuration: PipelineConfig | None = None,
    *,
    several: bool = True,
) -> Path:
    """Walk the path for `problem` and return every stage. A `FusedGemmOp` goes as its product with an epilogue.

    Parameters
    ----------
    device, backend, preset
        Where; see `tracea_core.plugin.select.resolve`.
    configuration : PipelineConfig, optional
        Use this one instead of choosing.
    several : bool
        Whether the plan may have more than one kernel.

    Raises
    ------
    TraceaError
        `UnsupportedError` if no variant qualifies, `BackendUnavailableError` if the backend cannot be used,
        `ConfigurationError` if the configuration does not fit, `CertificationError` if a proof fails.
    """
    selection = resolve(device, backend, preset)
    free = several and configuration is None
    around = around_of(problem, selection, several=free)
    if around is not None:
        return surrounded(problem, around, trace(around.problem, device, backend, preset), selection)
    phases = parts_of(problem, selection, several=free)
    if phases:
        return in_phases(
            problem,
            [(one, trace(one.problem, device, backend, preset, configuration, several=several)) for one in phases],
        )
    problem, ways = ways_of(problem, selection, several=several)
    if configuration is not None:  # whoever gives one means it for as few kernels as it does for
        ways = tuple(sorted(ways, key=lambda way: way.arrangement.kernels))
    refused: ConfigurationError | None = None
    for way in ways:
        try:
            found = follow(problem, selection, way, configuration)
            return dataclasses.replace(found, considered=tuple(other.arrangement for other in ways))
        except ConfigurationError as error:
            refused = refused or error
    raise refused or ConfigurationError("there is no arrangement to build from")


def select(device: str | None, backend: str | None) -> Selection:
    """Return the target that a call runs on, as `trace` resolves it."""
    return resolve(device, backend)


def ways_of(problem: Problem, selection: Selection, *, several: bool = True) -> tuple[Problem, tuple[Arranged, ...]]:
    """Return a problem as it is solved on a target, and what its kernels could be, the fastest by estimate first."""
    if isinstance(problem.op, FusedGemmOp):
        problem = problem.normalized()
    target = selection.target
    problem = restated(problem, target.profile)
    variants = variants_of(selection)
    several = several and bool(variants) and has_scratch(target)  # a backend that has no kernels is not opened to ask
    return problem, arranged(problem, target, variants, several=several)


def in_phases(problem: Problem, phases: list[tuple[Phase, Path]]) -> Path:
    """Return the path of a problem that is several contractions, each on a part of its tensors."""
    most = max((path for _, path in phases), key=lambda path: path.problem.flops())
    return dataclasses.replace(most, problem=problem, phases=tuple(phases), around=None)


def surrounded(problem: Problem, arrangement: Arrangement, inner: Path, selection: Selection) -> Path:
    """Return the path of a problem whose phases, those of `inner`, read and write the copies of an arrangement.

    Its passes begin when all before them has ended: they neither lead nor follow.
    """
    profile = selection.target.profile
    alone = profile.replace(features=tuple(word for word in profile.features if word != "griddepcontrol"))
    before, after = passes(
        problem, arrangement, alone,
        lambda kernel, lowered: certificate_of(kernel, lowered.form, profile),
        lambda kernel, certificate: emit(selection, inner.choice, kernel, certificate),
    )  # fmt: skip
    return dataclasses.replace(inner, problem=problem, around=Around(arrangement, before, after))


def retrace(path: Path, configuration: PipelineConfig) -> Path:
    """Return the path of the same problem in the same arrangement with another configuration.

    Raises
    ------
    ConfigurationError, CertificationError
        If it does not fit, or a proof fails.
    """
    selection = resolve(path.target.device, path.target.backend)
    return follow(path.problem, selection, Arranged(path.arrangement, path.choice), configuration)


def follow(problem: Problem, selection: Selection, way: Arranged, configuration: PipelineConfig | None) -> Path:
    """Return the path of `problem` in one arrangement; see `trace`.

    Raises
    ------
    ConfigurationError, CertificationError
        If the configuration does not fit (or none does), or a proof fails.
    """
    choice, arrangement, target = way.choice, way.arrangement, selection.target
    configured = configure(choice, configuration)

    def proved(kernel: SemanticKernel, lowered: LoweredSweep) -> Certificate:
        return certificate_of(kernel, lowered.form, target.profile)

    def printed(kernel: SemanticKernel, certificate: Certificate) -> KernelSource | None:
        return emit(selection, choice, kernel, certificate)

    nothing = zeros(choice.problem, arrangement, target.profile, proved, printed)
    if nothing is not None:
        return Path(
            problem, target, choice, configured, nothing.lowered, nothing.kernel, nothing.certificate, nothing.source,
            arrangement, (arrangement,),
        )  # fmt: skip
    lowered, kernel, certificate = build(choice, configured.configuration, arrangement)
    source = emit(selection, choice, kernel, certificate)
    measured = configured.measured_source
    if source is not None and measured and measured != source_digest(selection, choice, configured.configuration):
        # The kernel has changed since it was timed, so its time says nothing about this one.
        configured = configure(choice, measured=False)
        lowered, kernel, certificate = build(choice, configured.configuration, arrangement)
        source = emit(selection, choice, kernel, certificate)
    before, after = passes(problem, arrangement, target.profile, proved, printed)
    return Path(
        problem,
        target,
        choice,
        configured,
        lowered,
        kernel,
        certificate,
        source,
        arrangement,
        (arrangement,),
        before,
        after,
    )


def build(
    choice: Choice, configuration: PipelineConfig, arrangement: Arrangement | None = None
) -> tuple[AnyLowered, SemanticKernel, Certificate]:
    """Return the lowered problem, its semantic kernel under `configuration`, alone or in an arrangement, and the kernel's certificate.

    Raises
    ------
    ConfigurationError, CertificationError
        If the configuration does not fit, or a proof fails.
    """
    lowered = lower_any(choice.problem, choice.variant)
    profile = choice.target.profile
    kernel = build_kernel(lowered.form, configuration, profile, choice.variant)
    kernel = kernel if arrangement is None else in_plan(kernel, arrangement, profile)
    return lowered, kernel, certificate_of(kernel, lowered.form, profile)


def emit(selection: Selection, choice: Choice, kernel: SemanticKernel, certificate: Certificate) -> KernelSource | None:
    """Return the source that the backend prints, or None if it has no emitter for the family; what was printed before is remembered."""
    emitter = selection.manifest.emitters.get(choice.variant.family)
    if emitter is None:
        return None
    place = (emitter, kernel.digest(), certificate.digest())
    with _guard:
        known = _sources.get(place)
    if known is None:
        known = _printed(selection, emitter, kernel, certificate)
        _keep(place, known)
    return known


def keep_source(emitter: Emitter, source: KernelSource) -> None:
    """Remember what another process printed by the same emitter, under the kernel and the certificate that it names."""
    _keep((emitter, source.kernel_digest, source.certificate), source)


def _keep(place: tuple[Emitter, str, str], source: KernelSource) -> None:
    with _guard:
        if len(_sources) >= _MOST_SOURCES:
            _sources.clear()
        _sources[place] = source


Emitter = Callable[[SemanticKernel, Certificate], KernelSource]
_MOST_SOURCES = 256
_sources: dict[tuple[Emitter, str, str], KernelSource] = {}


def _printed(selection: Selection, emitter: Emitter, kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    try:
        return emitter(kernel, certificate)
    except TraceaError:
        raise
    except Exception as error:
        raise broken(selection.manifest.name, "the emitter", error) from error


def source_digest(selection: Selection, choice: Choice, configuration: PipelineConfig) -> str | None:
    """Return the digest of the source that a configuration gives today, alone, None where the backend prints none."""
    _, kernel, certificate = build(choice, configuration)
    source = emit(selection, choice, kernel, certificate)
    return None if source is None else source.text_digest


_certificates: dict[tuple[str, str], Certificate] = {}
_guard = threading.Lock()


@functools.lru_cache(maxsize=1)
def _certificate_cache() -> BinaryCache:
    return BinaryCache()


def certificate_cache() -> BinaryCache:
    """Return where certificates and known plans are kept."""
    return _certificate_cache()


def is_certified(kernel: SemanticKernel, form: Form, profile: CapabilityProfile) -> bool:
    """Whether the kernel's certificate is remembered or in the cache."""
    key = _certificate_key(kernel.digest(), form.digest(), profile)
    return (kernel.digest(), form.digest()) in _certificates or _stored(key, kernel) is not None


def certificate_of(kernel: SemanticKernel, form: Form, profile: CapabilityProfile) -> Certificate:
    """Return the kernel's certificate: remembered, from the cache, or proved now.

    A stored certificate is named by the digests of kernel, form and profile and by the version of the proofs, so it can
    only be found for exactly what it was proved about.

    Raises
    ------
    CertificationError
        If a proof fails.
    """
    place = (kernel.digest(), form.digest())
    with _guard:
        known = _certificates.get(place)
    if known is not None:
        return known
    key = _certificate_key(*place, profile)
    certificate = _stored(key, kernel)
    if certificate is None:
        from tracea_core.semantic.verify.certify import certify  # imported when something is to be proved

        certificate = certify(kernel, form, profile)
        _certificate_cache().put(key, certificate.to_json().encode())
    with _guard:
        _certificates[place] = certificate
    return certificate


def _certificate_key(kernel: str, form: str, profile: CapabilityProfile) -> str:
    toolchain = f"proofs {PROOF_VERSION}"
    return key_digest(arch=_as_read(profile), toolchain=toolchain, source=kernel, flags=(form,), abi="certificate")


@functools.lru_cache(maxsize=16)
def _as_read(profile: CapabilityProfile) -> str:
    """Return the digest of a profile as a worker reads it, where 1980 MHz are 1980.0: equal profiles have equal ones."""
    return CapabilityProfile.from_json(profile.to_json()).digest()


def _stored(key: str, kernel: SemanticKernel) -> Certificate | None:
    content = _certificate_cache().get(key)
    if content is None:
        return None
    try:
        certificate = Certificate.from_json(content)
    except MalformedDataError:
        return None
    return certificate if certificate.kernel == kernel.digest() else None
