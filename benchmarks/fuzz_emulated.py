# SPDX-License-Identifier: MIT
"""Random problems through few kernels of a GPU backend, executed in the SIMT emulator or on a device and compared with float64.

    python -m benchmarks.fuzz --backend metal --emulated --count 500 --seed 1
    python -m benchmarks.fuzz --backend sycl --served cpu --count 500
    python -m benchmarks.fuzz --backend sycl --served oclgrind --count 20 --kernels 5

``--served`` names a device of the backend (``cpu`` and ``sycl:1`` are OpenCL's), or ``oclgrind`` (`benchmarks.oclgrind`).

At most ``--kernels`` kernels are printed and compiled: of all the backend's devices and kinds of kernel in the shares of
`benchmarks.fuzz_shares`, products with layouts, batches, epilogues and ragged groups, convolutions, attention, low-rank products, softmax
and norms, from configurations that the policy would start with. Every problem then goes through one of them with sizes and strides of its
own. Outputs are poisoned between guard bands; wrong values, writes beside the output, races, reads of what nobody
wrote, bank conflicts and every other finding of the emulator count as failures. A kernel depends on the seed and its number, a problem on
the seed and its own.
"""

from __future__ import annotations

import argparse
import dataclasses
import hashlib
import importlib
import json
import sys
import time
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from tracea_core.doctor.choose import choose
from tracea_core.doctor.few_rows import FEW_ROWS
from tracea_core.doctor.presets import preset_names, preset_target
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import BackendUnavailableError, ConfigurationError, TraceaError, UnsupportedError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.plugin.manifest import BackendManifest, ProbeReport
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.target import Target
from tracea_core.testing.cases import gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.executions import Executions
from tracea_core.testing.record import PASSED, Chosen, Outcome, Record, sources_of
from tracea_core.testing.row_cases import row_problem
from tracea_core.testing.simt.served import Served

from benchmarks import fuzz_forms, fuzz_fused, fuzz_shares, oclgrind
from benchmarks.fuzz_forms import Form, form_of, small
from benchmarks.fuzz_shares import SHARES, each_first, family_of, rounds, takes

EMULATOR, OCLGRIND = "emulator", "oclgrind"
_INTERPRETED = 20_000
"""Operations of a problem for Oclgrind, which takes some seconds for them; whatever lies beyond it in a tile counts as much."""
_EXCHANGING = ("staged_chain", "warp_rows", FEW_ROWS)
"""Schedules whose lanes reduce rows among themselves, by functions of sub-groups, which Oclgrind does not know."""
_DRAWS = 5000
"""How often a problem is drawn until a kernel serves it; some serve one in two hundred."""
_FORMS, _APART = 5, 1000
"""How many forms are tried for a kernel, and how far apart the numbers are that their configurations are drawn by."""
_PRESET = "preset:"
_MODULES = {"oneapi": "tracea_sycl.oneapi.plugin"}
"""Where a plugin is that shares a distribution with another one."""
_DEVICES_OF = {"oneapi": "sycl"}
"""Whose devices a backend prints for, if not those of its own name."""


@dataclass
class Tally:
    """What came of all problems."""

    agreed: int = 0
    refused: int = 0
    conflicts: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    families: Counter[str] = field(default_factory=Counter)
    """Problems that agreed, by the family of their kernel."""

    def __add__(self, other: Tally) -> Tally:
        """Return what came of the problems of both."""
        return Tally(*(getattr(self, one.name) + getattr(other, one.name) for one in dataclasses.fields(self)))

    @property
    def clean(self) -> bool:
        """Whether nothing was found and something ran."""
        return self.agreed > 0 and not self.failures and not self.conflicts

    def describe(self, backend: str, kernels: int) -> str:
        """Return one line for people."""
        total = self.agreed + len(self.failures)
        families = ", ".join(f"{self.families[family]} {family}" for family in SHARES if self.families[family])
        found = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items()) or "no findings"
        return (
            f"{self.agreed} of {total} problems through {kernels} kernels of {backend} agreed with float64 ({families or 'none'}); "
            f"races {self.kinds['race']}, uninitialised reads {self.kinds['uninitialised']}, bank conflicts {self.conflicts} "
            f"({found})"
        )


def manifest_of(backend: str) -> BackendManifest:
    """Return what a backend's plugin registers."""
    module = _MODULES.get(backend, f"tracea_{backend}.plugin")
    registered: BackendManifest = importlib.import_module(module).tracea_register_backend()
    return registered


def published(backend: str) -> list[Target]:
    """Return the published devices whose kernels a backend prints."""
    named = _DEVICES_OF.get(backend, backend)
    known = map(preset_target, preset_names())
    return [Target(backend, target.device, target.profile) for target in known if target.backend == named]


def served_by(manifest: BackendManifest, where: str) -> BackendManifest:
    """Return the manifest with one device: the one called `where`, or Oclgrind.

    Raises
    ------
    BackendUnavailableError
        If there is no such device.
    """
    if where == OCLGRIND:
        return oclgrind.interpreted(manifest, preset_target("arc_a770").profile)
    known = manifest.probe().devices
    listed = tuple(target for target in known if target.device == where)
    if not listed:
        names = ", ".join(target.device for target in known) or "none"
        raise BackendUnavailableError(f"{manifest.name} has no device {where!r}", hint=f"It has {names}")
    report = ProbeReport(listed, ())
    return dataclasses.replace(manifest, probe=lambda: report)


def kinds(manifest: BackendManifest, where: str = EMULATOR) -> list[tuple[Target, Variant]]:
    """Return every kind of kernel that published devices of a backend can run, or one device, each once for an architecture.

    Kinds that no other architecture before has come first.
    """
    if where != EMULATOR:
        (target,) = manifest.probe().devices
        without = [v for v in manifest.variants(target.profile) if not v.instruction.startswith("dpas")]
        if where == OCLGRIND:  # it takes a word as undefined once half of it was, though masks replace both halves
            without = [v.replace(operand_dtypes=(DType.FP32,)) for v in without if DType.FP32 in v.operand_dtypes]
            without = [v for v in without if v.schedule not in _EXCHANGING]
        return [(target, variant) for variant in without if _runs(target, variant)]
    found: dict[tuple[str, str], tuple[Target, Variant]] = {}
    for target in published(manifest.name):
        for variant in manifest.variants(target.profile):
            if _runs(target, variant):
                found.setdefault((target.profile.arch, variant.name), (target, variant))
    return each_first(list(found.values()))


def _runs(target: Target, variant: Variant) -> bool:
    """Whether the device can run a large product of the variant's type, or a chain or rows of it."""
    dtype = variant.operand_dtypes[0]
    if variant.schedule in ("depthwise", "planes", "plane_lanes", FEW_ROWS):
        return True
    if variant.family == "rowwise":
        problem = row_problem(SoftmaxOp((4096, 1024), dtype))
    elif variant.family == "chained":
        low_rank = LowRankOp(4096, 4096, 4096, 16, dtype=dtype)
        problem = chain_problem(
            AttentionOp(4, 8, 1024, 1024, 16, dtype=dtype) if takes(variant, AttentionOp) else low_rank
        )
    else:
        problem = gemm((4096, 4096, 4096), dtype)
    try:
        choose(problem, target, (variant,))
    except UnsupportedError:
        return False
    return True


def rounds_of(backend: str, where: str = EMULATOR) -> int:
    """Return how many runs of 25 kernels, of successive seeds, meet every kind of kernel of a backend or a device of it.

    Raises
    ------
    BackendUnavailableError
        If there is no such device.
    """
    manifest = manifest_of(backend)
    return rounds(kinds(manifest if where == EMULATOR else served_by(manifest, where), where))


# ---- kernels and problems


def kernel_of(
    seed: int, number: int, form: Form, manifest: BackendManifest, executions: Executions | None = None
) -> Served | str:
    """Return the compiled kernel of a form, from one of the policy's configurations, or why there is none."""
    random = np.random.default_rng((seed, number, 2))
    reason = ""
    for _ in range(4):
        problem = form.draw(random)
        if problem.is_empty:
            continue
        try:
            heroes = PolicyEngine(form.target.profile).decide(problem, form.variant).heroes
            chosen = _buildable(manifest, form, problem, heroes, random, executions)
        except (UnsupportedError, ConfigurationError) as error:
            reason = error.message
            continue
        if chosen is not None:
            return chosen
    return reason or "no configuration fits"


def _buildable(
    manifest: BackendManifest,
    form: Form,
    problem: Problem,
    heroes: tuple[PipelineConfig, ...],
    random: np.random.Generator,
    executions: Executions | None,
) -> Served | None:
    """Return a kernel from a random hero that fits, else from the first that the policy can narrow."""
    if form.target.device == OCLGRIND:
        heroes = tuple(sorted(heroes, key=lambda hero: hero.tile_m * hero.tile_n)[:1])
    for place in random.permutation(len(heroes))[:3]:
        try:
            served = _served(manifest, form, problem, heroes[int(place)], executions)
        except ConfigurationError:
            continue
        if not served.refusal(problem):
            return served
    return _served(manifest, form, problem, None, executions)


def _served(
    manifest: BackendManifest,
    form: Form,
    problem: Problem,
    configuration: PipelineConfig | None,
    executions: Executions | None,
) -> Served:
    """Return a kernel of a form, in the emulator where its device is a published one."""
    device, name = form.target.device, form.variant.name
    if device.startswith(_PRESET):
        return Served(manifest, device.removeprefix(_PRESET), problem, configuration, name, executions)
    return Served.on_first_device(manifest, problem, configuration, name)


def try_problem(seed: int, number: int, form: Form, served: Served, tally: Tally) -> None:
    """Draw problem `number` of a seed until the kernel serves it, run it, and count what came of it."""
    random = np.random.default_rng((seed, number, 3))
    for _ in range(_DRAWS):
        problem = form.draw(random)
        if not problem.is_empty and not served.refusal(problem):
            break
    else:
        tally.refused += 1
        return
    try:
        report = served.run(problem, seed=number + 1)
    except ConformanceError as error:
        for finding in served.findings:
            tally.kinds[finding.kind] += 1
        if not served.findings:
            tally.kinds["wrong"] += 1
        tally.failures.append(
            f"problem {number}: {form.words} of {served.variant} ({served.configuration.describe()}): {error}"
        )
        return
    except TraceaError as error:
        tally.kinds[type(error).__name__] += 1
        tally.failures.append(f"problem {number}: {form.words} of {served.variant}: {error}")
        return
    tally.agreed += 1
    tally.families[form.variant.family] += 1
    tally.conflicts += report.bank_conflicts


def record_of(manifest: BackendManifest, path: Path | None) -> Record | None:
    """Return what is known of problems that agreed without a conflict, of these sources and of those that draw them."""
    if path is None:
        return None
    modules = (sys.modules[__name__], fuzz_forms, fuzz_fused, fuzz_shares, oclgrind)
    drawn = "".join(Path(module.__file__ or "").read_text("utf-8") for module in modules)
    return Record(path, hashlib.sha256(f"{sources_of(manifest)}\n{drawn}".encode()).hexdigest())


def _name(where: str, given: argparse.Namespace, kernels: int, problem: int) -> Chosen:
    return where, f"problem {problem} of {given.count} through {kernels} kernels, seed {given.seed}"


def _kernel(
    seed: int,
    number: int,
    listed: list[tuple[Target, Variant]],
    manifest: BackendManifest,
    where: str,
    record: Record | None,
) -> tuple[Form, Served] | None:
    """Return kernel `number` and its form; where a form has none on the device, another one is drawn."""
    for again in range(_FORMS):
        form = form_of(seed, number, listed, again)
        if where == OCLGRIND:
            form = dataclasses.replace(form, draw=small(form.draw, _INTERPRETED))
        executions = None if record is None else Executions(record.path)
        served = kernel_of(seed, number + again * _APART, form, manifest, executions)
        if not isinstance(served, str):
            return form, served
        print(f"  kernel {number} is not built: {form.words} of {form.variant.name}: {served}", file=sys.stderr)
    return None


def run(given: argparse.Namespace, numbers: Collection[int] | None = None) -> tuple[Tally, int]:
    """Run `count` problems, or those of them that go through the kernels of some numbers.

    Returns
    -------
    tuple of (Tally, int)
        What came of them, and how many kernels they went through.
    """
    where = getattr(given, "served", None) or EMULATOR
    manifest = manifest_of(given.backend)
    record = record_of(manifest, getattr(given, "record", None))
    known = record.passed() if record else {}
    if where != EMULATOR:
        manifest = served_by(manifest, where)
    listed = kinds(manifest, where)
    tally, begin, kernels = Tally(), time.perf_counter(), 0
    count = min(given.kernels, given.count)
    for number in range(count) if numbers is None else sorted(numbers):
        if time.perf_counter() - begin > given.seconds:
            break
        asked = [one for one in range(number, given.count, count) if given.only in (None, one)]
        left = [one for one in asked if _name(where, given, count, one) not in known]
        tally.agreed += len(asked) - len(left)
        tally.families[family_of(number, listed)] += len(asked) - len(left)
        if asked and not left:
            kernels += 1
            continue
        try:
            found = _kernel(given.seed, number, listed, manifest, where, record)
        except TraceaError as error:
            tally.failures.append(f"kernel {number}: {type(error).__name__}: {error}")
            continue
        if found is None:
            continue
        form, served = found
        kernels += 1
        for problem in left:
            if time.perf_counter() - begin > given.seconds:
                break
            before, agreed = tally.conflicts, tally.agreed
            try_problem(given.seed, problem, form, served, tally)
            if tally.conflicts > before:
                words = f"{form.words} of {served.variant} for {form.target.device} ({served.configuration.describe()})"
                print(f"  problem {problem}: {tally.conflicts - before} bank conflicts: {words}", file=sys.stderr)
            elif tally.agreed > agreed and record is not None:
                record.add(Outcome(*_name(where, given, count, problem), PASSED, "", 0.0))
        if sys.stderr.isatty():
            print(f"\r{kernels} kernels, {tally.agreed} problems", end="", file=sys.stderr)
    return tally, kernels


def main(given: argparse.Namespace) -> int:
    """Run the command line of `benchmarks.fuzz` with ``--emulated`` or ``--served``; return its exit code."""
    begin = time.perf_counter()
    tally, kernels = run(given)
    if given.json:
        print(json.dumps({
            "backend": given.backend, "emulated": True, "seed": given.seed, "kernels": kernels, "agreed": tally.agreed,
            "families": tally.families, "findings": tally.kinds, "bank_conflicts": tally.conflicts, "failures": tally.failures,
        }, indent=2))  # fmt: skip
    else:
        for failure in tally.failures[:20]:
            print(failure[:2000])
        print(f"{tally.describe(given.backend, kernels)}, in {time.perf_counter() - begin:.0f} s")
        if tally.refused:
            print(f"{tally.refused} problems were drawn that their kernel does not serve")
    return 0 if tally.clean else 1
