# SPDX-License-Identifier: MIT
"""The promises of the plugin contract, one function each; every one raises `ConformanceError` where it is broken."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tracea_core.doctor.depthwise import filters_channels
from tracea_core.doctor.device_requirements import (
    RequiresArch,
    RequiresArchAtLeast,
    RequiresAsyncCopy,
    RequiresFeatures,
    RequiresInstruction,
    RequiresRegisters,
    RequiresSharedMemory,
)
from tracea_core.doctor.few_rows import FEW_ROWS
from tracea_core.doctor.presets import preset, preset_names
from tracea_core.doctor.variants import Variant
from tracea_core.emit.source import KernelSource, header
from tracea_core.errors import TraceaError
from tracea_core.plugin.manifest import BackendManifest, ProbeReport
from tracea_core.semantic.build.schedules import SCHEDULES
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import CapabilityProfile, Target
from tracea_core.testing.errors import ConformanceError, demand
from tracea_core.testing.mutate import mutants
from tracea_core.testing.reemit import Emitter, again
from tracea_core.testing.subject import Subject, Unserved, Walked

_HEAD_LINES = 24
"""The head of a source begins within this many lines: some languages want a line or two before any comment."""
_MUTANTS = 400
_GUARD = re.compile(r": (?:fill \+ 1|guard without \d+)$")
_OF_DEVICES = (
    RequiresArch,
    RequiresArchAtLeast,
    RequiresFeatures,
    RequiresInstruction,
    RequiresAsyncCopy,
    RequiresSharedMemory,
    RequiresRegisters,
)
"""What a variant demands of a device alone."""
_PRINTED = 0.25
"""The share of changed kernels that an emitter prints at least (those that ship print more than half)."""


def check_manifest(manifest: BackendManifest) -> None:
    """The manifest is one, for this core's plugin interface."""
    demand(
        isinstance(manifest, BackendManifest),
        "tracea_register_backend returns a BackendManifest",
        got=type(manifest).__name__,
    )
    reason = manifest.incompatibility()
    demand(reason is None, f"the manifest fits this core: {reason}")


def check_probe(manifest: BackendManifest) -> None:
    """The probe raises nothing, says the same twice, and reports devices of its own that can be used."""
    reports = []
    for attempt in ("first", "second"):
        try:
            reports.append(manifest.probe())
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            raise ConformanceError(
                f"a probe never raises; it did at the {attempt} call: {type(error).__name__}: {error}",
                hint="Catch what a missing driver does, and report it as a Finding",
            ) from error
    first, second = reports
    demand(isinstance(first, ProbeReport), "a probe returns a ProbeReport", got=type(first).__name__)
    demand(first == second, "two probes of one machine say the same", first=first, second=second)
    for target in first.devices:
        demand(isinstance(target, Target), "a probe's devices are Targets", got=repr(target))
        demand(target.backend == manifest.name, "a probe reports devices of its own backend", device=target.device)
        demand(target.executable, "a probed device can be launched on; presets belong to core", device=target.device)
        demand(target.profile.probed, "the profile of a probed device says so (probed=True)", device=target.device)
        text = target.to_json()
        demand(Target.from_json(text) == target, "a target survives JSON", device=target.device)


def check_variants(manifest: BackendManifest, profile: CapabilityProfile) -> None:
    """Variants are a pure function of the profile, named after the backend, with schedules and instructions that exist."""
    first, second = _variants(manifest, profile), _variants(manifest, CapabilityProfile.from_json(profile.to_json()))
    demand(first == second, "variants(profile) is pure: equal profiles give equal variants", profile=profile.name)
    names = [variant.name for variant in first]
    demand(len(set(names)) == len(names), "every variant has a name of its own", names=names)
    for variant in first:
        demand(variant.backend == manifest.name, "a variant is named after its backend", variant=variant.name)
        demand(Variant.from_json(variant.to_json()) == variant, "a variant survives JSON", variant=variant.name)
        demand(variant.family in manifest.emitters, "every family that a backend has variants of has an emitter",
               variant=variant.name, family=variant.family)  # fmt: skip
        known = SCHEDULES.get(variant.family, ())
        demand(variant.schedule in known, "a variant's schedule is one of core's for its family", variant=variant.name,
               schedule=variant.schedule, known=known)  # fmt: skip
        if variant.family == "rowwise" or variant.schedule == FEW_ROWS or filters_channels(variant):
            continue  # such kernels multiply no matrices, and nothing looks their instruction up
        try:
            instruction(variant.instruction)
        except TraceaError as error:
            raise ConformanceError(f"{variant.name} names an instruction without lane maps: {error}") from error


def check_foreign_profiles(manifest: BackendManifest) -> None:
    """Variants of any profile, of whatever vendor, can be asked for."""
    for name in preset_names():
        _variants(manifest, preset(name))


def _variants(manifest: BackendManifest, profile: CapabilityProfile) -> tuple[Variant, ...]:
    try:
        found = manifest.variants(profile)
    except Exception as error:
        raise ConformanceError(
            f"variants() raised for {profile.name}: {type(error).__name__}: {error}",
            hint="Return an empty tuple for devices that are not yours",
        ) from error
    demand(isinstance(found, tuple) and all(isinstance(variant, Variant) for variant in found),
           "variants(profile) returns a tuple of Variant", got=repr(found)[:200])  # fmt: skip
    return found


def check_serves(subject: Subject) -> None:
    """The variant takes at least one case, unless the device lacks what it needs whatever the problem is."""
    if subject.cases():
        problem, profile = subject.cases()[0].problem, subject.target.profile
        for wanted in subject.variant.requirements:
            reason = wanted.reason(problem, profile) if isinstance(wanted, _OF_DEVICES) else None
            if reason is not None:
                raise Unserved(reason)
        taken = next(subject.served(), None) or next(subject.served(every=True), None)
        demand(taken is not None, "a variant takes at least one of the cases", variant=subject.variant.name)


def check_source(subject: Subject, walked: Walked) -> None:
    """The source says what it is, and is the same when it is emitted again."""
    kernel, source = walked.kernel, walked.source
    second = _emitter(subject)(kernel, walked.certificate)
    if second.text != source.text:
        raise ConformanceError(
            "an emitter is pure: one kernel gives the same bytes every time\n" + _difference(source.text, second.text)
        )
    demand(second == source, "an emitter is pure: beside the text, the source's other fields changed")
    _check_head(source, header(kernel, walked.certificate))
    demand(source.entry in source.text, "the entry point stands in the text", entry=source.entry)
    facts = {"parameters": kernel.parameters, "symbols": kernel.symbols, "launch": kernel.launch, "arch": kernel.arch,
             "kernel_digest": kernel.digest(), "certificate": walked.certificate.digest()}  # fmt: skip
    for name, expected in facts.items():
        given = getattr(source, name)
        demand(given == expected, f"KernelSource.{name} is the kernel's own", expected=expected, given=given)


def _check_head(source: KernelSource, head: str) -> None:
    lines, wanted = source.text.split("\n"), head.split("\n")
    for start in range(min(_HEAD_LINES, len(lines))):
        if all(line.endswith(want) for line, want in zip(lines[start:], wanted, strict=False)):
            return
    top = "\n".join(lines[: len(wanted) + 1])
    raise ConformanceError(
        f"a source opens with its header (op, variant, configuration, digest, certificate) as comments; it opens with\n{top}",
        hint="Print tracea_core.emit.source.header(kernel, certificate) as comment lines, each as it is",
    )


def check_foreign_certificate(subject: Subject, walked: Walked) -> None:
    """The emitter refuses a certificate that was made for another kernel."""
    foreign = walked.certificate.replace(kernel="0" * 64)
    try:
        _emitter(subject)(walked.kernel, foreign)
    except TraceaError:
        return
    raise ConformanceError(
        "an emitter refuses a certificate that belongs to another kernel; it printed the text",
        hint="Begin with certificate.require(kernel)",
    )


def check_another_process(subject: Subject) -> None:
    """A fresh interpreter emits the same bytes from the kernels' JSON."""
    walked = list({one.kernel.digest(): one for one in subject.served()}.values())
    digests = again(_emitter(subject), [(one.kernel, one.certificate) for one in walked])
    wrong = [one.case.name for one, digest in zip(walked, digests, strict=True) if one.source.digest() != digest]
    demand(not wrong, "an emitter gives the same bytes in every process", cases=wrong,
           hint="Look for hash(), id(), the order of a set, a clock, or what was emitted before")  # fmt: skip


def check_mutants(subject: Subject, walked: Walked) -> None:
    """Every change of one node changes the text, or is refused by an error of ours; and some are printed."""
    emitter = _emitter(subject)
    original = _bare(walked.source, walked.kernel, walked.certificate)
    silent, printed = [], 0
    changed = mutants(walked.kernel, _MUTANTS)
    for words, kernel in changed:
        certificate = walked.certificate.replace(kernel=kernel.digest())
        try:
            source = emitter(kernel, certificate)
        except TraceaError:
            continue  # what no certified kernel holds may be refused, but not by accident
        except Exception as error:
            raise ConformanceError(
                f"an emitter prints a kernel or refuses it; {words!r} makes it fail: {type(error).__name__}: {error}",
                hint="Refuse what the language cannot express with EmitError",
            ) from error
        printed += 1
        if _bare(source, kernel, certificate) == original and not _says_nothing(words, kernel, subject, walked):
            silent.append(words)
    demand(
        printed >= len(changed) * _PRINTED,
        "an emitter prints what it can: these changes are mostly numbers and names",
        printed=printed,
        of=len(changed),
    )
    if silent:
        listed = "\n  ".join(silent)
        raise ConformanceError(
            f"an emitter prints all that a kernel says; these changes leave the text as it was:\n  {listed}",
            hint="Print the field, or refuse a value that the language cannot express with EmitError",
        )


def _says_nothing(words: str, kernel: SemanticKernel, subject: Subject, walked: Walked) -> bool:
    """Whether a change of a guard, or of what it fills with, is none: it always holds, so that the kernel without it is proved, too."""
    if _GUARD.search(words) is None:
        return False
    try:
        certify(kernel, walked.lowered.form, subject.target.profile)
    except TraceaError:
        return False
    return True


def _bare(source: KernelSource, kernel: SemanticKernel, certificate: Certificate) -> tuple[object, ...]:
    """The source without the digests in its head, which differ for every kernel."""
    text = source.text.replace(kernel.digest(), "").replace(certificate.digest(), "")
    return text, source.workspaces, source.parameters, source.symbols, source.launch


def check_binary(subject: Subject, walked: Walked) -> None:
    """The compiler that needs no device gives bytes, for the configuration that a call would take."""
    assert subject.manifest.compile_binary is not None
    _, binary = subject.kept(walked, subject.manifest.compile_binary)
    demand(isinstance(binary, bytes) and bool(binary), "compile_binary returns bytes", got=type(binary).__name__)


def _emitter(subject: Subject) -> Emitter:
    return subject.manifest.emitters[subject.variant.family]


def _difference(first: str, second: str) -> str:
    pairs: Iterable[tuple[int, tuple[str, str]]] = enumerate(
        zip(first.split("\n"), second.split("\n"), strict=False), 1
    )
    for number, (one, other) in pairs:
        if one != other:
            return f"line {number}, first:  {one}\nline {number}, second: {other}"
    return f"the texts have {first.count(chr(10))} and {second.count(chr(10))} lines"
