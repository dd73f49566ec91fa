# SPDX-License-Identifier: MIT
"""What can be measured of GPU backends without their hardware: numerics in the emulator, bank conflicts, syntax, sizes.

    python -m benchmarks.rows dialects --jobs 2

The conformance kit runs twice: *here*, on devices that this machine has (for a backend that has none, on texts for published devices), and
in the emulator, which takes most of the time. With ``--record FILE`` each check's outcome is written as it comes, and the same command goes
on where a run of the same sources was cut, here or on another machine.

A backend may bring rows of its own in ``benchmarks/dialects_NAME.py``, a module with ``rows(given)`` that returns them
(what its compiler or its disassembler says, or another device that runs its language). What needs hardware or tools that this machine lacks
is listed as pending: neither met nor missed. Each row is stored as it comes, with its day and commit, so that runs with ``--only`` fill
one table; of a ``--quick`` run nothing is stored. Rows that other devices measured are printed at the end.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import importlib.util
import json
import multiprocessing
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeAlias

from tracea_core.doctor.choose import choose
from tracea_core.doctor.variants import Variant
from tracea_core.errors import (
    BackendUnavailableError,
    CertificationError,
    CompileError,
    ConfigurationError,
    UnsupportedError,
)
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.verify.block import check_block
from tracea_core.semantic.verify.shared import check_shared
from tracea_core.target import Target
from tracea_core.testing import suite
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.record import FAILED, PASSED, UNSERVED, Chosen, Outcome, Record, sources_of
from tracea_core.testing.simt.metal import check_address_spaces
from tracea_core.testing.simt.toolchain import find_compiler
from tracea_core.tuner.winners import FOLDER, read_winners

from benchmarks import fuzz_emulated, table
from benchmarks.fuzz_forms import EXACT
from benchmarks.row import Row

PACKAGES = Path(__file__).parents[1] / "packages"
EMULATED = ("metal", "hip", "sycl", "oneapi", "cuda")
"""Backends whose text the emulator executes."""
BACKENDS = ("cpu", "cuda", "hip", "sycl", "metal")
PRINTERS = ("llvm",)
"""What backends print with, in distributions of their own."""
MOST_LINES = 2500
_LANGUAGE = re.compile(
    r"\basm\b\s*(volatile)?\s*[(\"]|__builtin_|\b(mma|wgmma|cp\.async|ldmatrix)\.\w+\.|__global__|\bkernel void\b"
)
_COUNTED = re.compile(r"\b(of|and) \d+\b|\(\d+ of them|\([\d.]+ s each\)|, \d+ kernels\b")
_HARDWARE = ("launches on an AMD GPU", "launches on an Intel GPU", "launches on an Apple GPU")


def rows(given: argparse.Namespace, tell: Callable[[Row], None] = lambda row: None) -> list[Row]:
    """Measure what ``--only`` leaves, print and `tell` each row, and return all. What runs in the emulator goes to ``--jobs`` processes."""
    found: list[Row] = []
    for row in _every(given):
        if re.search(given.only, row.name):
            print(f"  {row}", flush=True)
            found.append(row)
            tell(row)
    return found


def store(path: Path, head: Mapping[str, Any], row: Row, mark: Mapping[str, str]) -> None:
    """Put a row into a table, in place of the one that is about the same; what is pending replaces nothing that was measured.

    Parameters
    ----------
    path : Path
        The table.
    head, mark
        As for `benchmarks.table.merge`.
    """
    same = [one for one in table.read(path)["rows"] if _about(one["name"]) == _about(row.name)]
    if not row.pending or all(one["pending"] for one in same):
        table.merge(path, head, [table.as_stored(row, mark)], [], [one["name"] for one in same])


def _about(name: str) -> str:
    """A row's name without the numbers that another run may count otherwise."""
    return _COUNTED.sub("", name)


def elsewhere(results: Path, only: str = "", here: str = "") -> list[dict[str, Any]]:
    """Print and return what stored tables hold that devices other than `here` measured, each figure with its device, day and commit."""
    found = []
    for path in sorted(results.glob("dialects-*.json")):
        device = json.loads(path.read_text())["device"]
        for stored in table.read(path)["rows"] if device != here else ():
            if re.search(only, stored["name"]):
                row = Row(**{field.name: stored[field.name] for field in dataclasses.fields(Row)})
                print(f"  {row}; {device}, {stored['measured'][:10]}, commit {stored['commit']}", flush=True)
                found.append({"device": device, **stored})
    return found


def _every(given: argparse.Namespace) -> Iterator[Row]:
    yield from sizes()
    yield target_language_in_core()
    wanted = re.compile(given.only)
    if wanted.search("MSL syntax"):
        yield syntax()
    with ProcessPoolExecutor(given.jobs, multiprocessing.get_context("spawn")) as pool:
        for listed in [pool.submit(_listed, part, given) for part in _parts(wanted)]:
            yield from listed.result()
    until = time.time() + given.seconds
    for backend in EMULATED:
        if wanted.search(f"{backend} conformance in the emulator"):
            yield from emulated_conformance(backend, given, until)
    for backend in (*BACKENDS, "oneapi"):
        if wanted.search(f"{backend} conformance here"):
            yield from conformance(backend, None, given, until)
    for backend in BACKENDS:
        module = f"benchmarks.dialects_{backend}"
        if importlib.util.find_spec(module) is not None:
            yield from importlib.import_module(module).rows(given)
    for name in _HARDWARE:
        yield pending(name, "no such device is here")


_Part: TypeAlias = tuple[str, str]
"""A function of this module by its name, and a backend."""


def _parts(wanted: re.Pattern[str]) -> Iterator[_Part]:
    """What takes long and needs nothing but cores."""
    for backend in EMULATED:
        if wanted.search(f"{backend}: bank conflicts by the model"):
            yield "modelled_conflicts", backend
    for backend in EMULATED:
        if wanted.search(f"{backend} numerics in the emulator"):
            yield "numerics", backend


def _listed(part: _Part, given: argparse.Namespace) -> list[Row]:
    name, backend = part
    return list(globals()[name](backend, given))


def pending(name: str, reason: str) -> Row:
    """Return a row that cannot be measured here."""
    return Row(name, "", 0.0, None, 0.0, at_most=True, pending=reason)


# ---- packages


def _lines(backend: str) -> int:
    """Lines of a package's sources, headers of its own language included, tests and goldens not."""
    source = PACKAGES / f"tracea-{backend}" / "src"
    files = (path for path in source.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    return sum(len(path.read_text("utf-8", errors="replace").splitlines()) for path in files)


def sizes() -> Iterator[Row]:
    """Lines of every backend, and of what one prints with."""
    for backend in (*BACKENDS, *PRINTERS):
        yield Row(f"size of tracea-{backend}", "lines", _lines(backend), None, MOST_LINES, at_most=True)


def target_language_in_core() -> Row:
    """Places in core, the emulator's own headers aside, that spell a target's language."""
    core = PACKAGES / "tracea-core" / "src" / "tracea_core"
    emulator = core / "testing" / "simt"
    hits = 0
    for path in core.rglob("*.py"):
        if emulator not in path.parents:
            hits += len(_LANGUAGE.findall(path.read_text("utf-8")))
    return Row("target-language text in core", "places", hits, None, 0, at_most=True)


def syntax() -> Row:
    """Golden Metal kernels that a syntax check with real address spaces rejects."""
    name = "MSL syntax with address spaces, golden kernels rejected"
    goldens = sorted((PACKAGES / "tracea-metal" / "tests" / "golden").rglob("*.metal"))
    begin, rejected = time.perf_counter(), 0
    for path in goldens:
        try:
            check_address_spaces(path.read_text("utf-8"))
        except BackendUnavailableError as error:
            return pending(name, error.message)
        except CompileError as error:
            print(f"  {path.name}: {error}")
            rejected += 1
    took = (time.perf_counter() - begin) / max(len(goldens), 1)
    return Row(f"{name} of {len(goldens)} ({took:.2f} s each)", "kernels", rejected, None, 0, at_most=True)


# ---- schedules


def modelled_conflicts(backend: str, given: argparse.Namespace) -> Iterator[Row]:
    """Configurations with a conflict, or for which no layout without one is found, by the device's own model of banks."""
    manifest = fuzz_emulated.manifest_of(backend)
    built = refused = won = 0
    for target in fuzz_emulated.published(backend):
        won += len(_winners(target))
        for variant, problem, config in _configurations(manifest, target):
            try:
                kernel = build_kernel(lower_any(problem, variant).form, config, target.profile, variant)
                (check_shared if kernel.rings else check_block)(kernel, target.profile)
                built += 1
            except (ConfigurationError, CertificationError) as error:
                if "bank conflicts" in error.message:
                    print(f"  {target.device} {variant.name} {config.describe()}: {error.message}")
                    refused += 1
    shipped = f" ({won} of them shipped winners)" if won else ""
    name = f"{backend}: bank conflicts by the model, configurations that have any, of {built + refused}{shipped}"
    yield Row(name, "configurations", refused, None, 0, at_most=True)


def _configurations(manifest: BackendManifest, target: Target) -> Iterator[tuple[Variant, Problem, PipelineConfig]]:
    """What the policy would begin with for large problems of every variant, and the winners of tuning that are shipped."""
    for variant in manifest.variants(target.profile):
        for problem in _large(variant):
            try:
                problem = choose(problem, target, (variant,)).problem
            except UnsupportedError:
                continue
            for hero in PolicyEngine(target.profile).decide(problem, variant).heroes:
                yield variant, problem, hero
    yield from _winners(target)


def _winners(target: Target) -> list[tuple[Variant, Problem, PipelineConfig]]:
    """Return the shipped winners for a device; their variants are those that it has by that name."""
    profile = target.profile
    variants = {one.name: one for one in fuzz_emulated.manifest_of(target.backend).variants(profile)}
    files = (read_winners(path) for path in sorted(FOLDER.glob("*.json")))
    return [
        (variants[one.variant], one.problem, one.configuration)
        for file in files
        if file.arch == profile.arch and profile.name.startswith(file.name)
        for one in file.winners
    ]


def _large(variant: Variant) -> Iterator[Problem]:
    """Problems whose configurations are looked at: products in all layouts, a convolution, attention and low-rank products."""
    dtype = variant.operand_dtypes[0]
    if variant.family == "contraction":
        for layout in ("nn", "nt", "tn", "tt"):
            yield gemm((4096, 4096, 4096), dtype, layout)
        op = Conv2dOp(32, 64, 56, 56, 128, 3, 3, (1, 1), (1, 1), dtype=dtype)
        last = [dense(shape, dtype, (0, 2, 3, 1)) for shape in op.input_shapes()]
        yield Problem(op, tuple(last), dense(op.output_shape(), op.output_dtype(), (0, 2, 3, 1)), options=EXACT)
    elif variant.family == "chained":
        for width in (64, 128):
            yield chain_problem(AttentionOp(4, 16, 2048, 2048, width, causal=True, dtype=dtype))
        for rank in (16, 64, 128):
            yield chain_problem(LowRankOp(4096, 4096, 4096, rank, dtype=dtype))


# ---- the emulator


def numerics(
    backend: str, given: argparse.Namespace, where: str = fuzz_emulated.EMULATOR, most: int = 500
) -> Iterator[Row]:
    """Random problems through few kernels against float64, in the emulator or on a device; see `benchmarks.fuzz_emulated`.

    So many problems go through at most 25 kernels, and as many again, of the next seed, until every kind of kernel had its turn.
    """
    each = most // 10 if given.quick else most
    kernels, seed = 25 if most > 100 else 5, given.seed or 0
    place = "in the emulator" if where == fuzz_emulated.EMULATOR else f"on {where}"
    begin, tally, ran_through = time.perf_counter(), fuzz_emulated.Tally(), 0
    try:
        rounds = 1 if given.quick or most <= 100 else fuzz_emulated.rounds_of(backend, where)
        for own in range(seed, seed + rounds):
            options = argparse.Namespace(
                backend=backend, count=each, kernels=kernels, seed=own, only=None, json=False, served=where,
                seconds=given.seconds - (time.perf_counter() - begin), record=getattr(given, "record", None),
            )  # fmt: skip
            found, used = fuzz_emulated.run(options)
            tally, ran_through = tally + found, ran_through + used
    except BackendUnavailableError as error:
        yield pending(f"{backend} numerics {place}", error.message)
        return
    count, kernels = each * rounds, ran_through
    for failure in tally.failures[:5]:
        print(f"  {failure[:500]}")
    words = f"{backend} numerics {place}, {kernels} kernels"
    ran = tally.agreed + len(tally.failures)
    cut = ran < count and tally.clean and time.perf_counter() - begin > given.seconds
    short = f"{ran} of {count} problems ran in {given.seconds:.0f} s, and all agreed" if cut else ""
    print(f"  {words}: {tally.describe(backend, kernels)}")
    if tally.refused:
        print(f"  {words}: {tally.refused} problems were drawn that their kernel does not serve")
    agreed = Row(f"{words}: problems that agree with float64", "problems", tally.agreed, None, count, at_most=False)
    yield dataclasses.replace(agreed, pending=short)
    yield Row(
        f"{words}: problems with a finding or a wrong value", "problems", len(tally.failures), None, 0, at_most=True
    )
    yield Row(f"{words}: races", "findings", tally.kinds["race"], None, 0, at_most=True)
    yield Row(f"{words}: uninitialised reads", "findings", tally.kinds["uninitialised"], None, 0, at_most=True)
    yield Row(f"{words}: bank conflicts", "cycles", tally.conflicts, None, 0, at_most=True)


def emulated_conformance(backend: str, given: argparse.Namespace, until: float) -> Iterator[Row]:
    """Yield a row for each published device that runs a kind of kernel, or one by another instruction, which none before it runs."""
    try:
        find_compiler()
    except BackendUnavailableError as error:
        yield pending(f"{backend} conformance in the emulator", error.message)
        return
    devices = [target.device.removeprefix("preset:") for target in fuzz_emulated.published(backend)]
    yield from conformance(backend, devices, given, until)


def conformance(backend: str, devices: Sequence[str] | None, given: argparse.Namespace, until: float) -> Iterator[Row]:
    """Yield a row of checks of the conformance kit that fail, on this machine or each of `devices`; under ``--quick`` of every tenth."""
    manifest = fuzz_emulated.manifest_of(backend)
    try:
        listed = suite.chosen(manifest, devices, "", (1, 1))[:: 10 if given.quick else 1]
    except BackendUnavailableError as error:
        yield pending(f"{backend} conformance", error.message)
        return
    record = None if given.record is None else Record(given.record, sources_of(manifest))
    outcomes = suite.run(backend, listed, given.jobs, lambda one: None, record, until)
    for device in dict.fromkeys(device for device, _ in listed):
        yield _conforms(backend, device, listed, [one for one in outcomes if one.device == device])


def _conforms(backend: str, device: str, listed: Sequence[Chosen], outcomes: Sequence[Outcome]) -> Row:
    """Return the row of a device; what time left no room for is pending, unless something failed."""
    states = Counter(one.state for one in outcomes)
    for one in outcomes:
        if one.state == FAILED:
            print(f"  {device} {one.check}: {one.reason[:300]}")
    ran, every = states[PASSED] + states[FAILED], sum(where == device for where, _ in listed)
    place = f"in the emulator as {device}" if device else "here"
    words = f"{backend} conformance {place}: checks that fail, of {ran} and {states[UNSERVED]} that do not apply"
    row = Row(words, "checks", states[FAILED], None, 0, at_most=True)
    if len(outcomes) < every and not states[FAILED]:
        return dataclasses.replace(row, pending=f"{len(outcomes)} of {every} checks were tried, and none failed")
    return row
