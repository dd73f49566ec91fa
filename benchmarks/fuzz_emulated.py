# SPDX-License-Identifier: MIT
"""Random problems through few kernels of a GPU backend, executed in the SIMT emulator and compared with float64.

    python -m benchmarks.fuzz --backend metal --emulated --count 500 --seed 1

At most ``--kernels`` kernels are printed and compiled: of all the backend's devices and kinds of kernel, layouts, batches, epilogues,
convolutions and ragged groups, from configurations that the policy would start with. Every problem then goes through one of them with
sizes and strides of its own. Outputs are poisoned between guard bands; wrong values, writes beside the output, races, reads of what nobody
wrote, bank conflicts and every other finding of the emulator count as failures. A kernel depends on the seed and its number, a problem on
the seed and its own.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from tracea_core.doctor.choose import choose
from tracea_core.doctor.presets import preset_names, preset_target
from tracea_core.doctor.variants import Variant
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError, TraceaError, UnsupportedError
from tracea_core.ops.activations import BatchNorm, BiasAdd, Gelu, Lambda, ReLU, Residual, Scale, SiLU, SwiGLU
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import IDENTITY, Epilogue
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.named import bias
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import Stage, join
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.target import Target
from tracea_core.testing.cases import dense
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.simt.served import Served

_EXACT = Options(allow_fallback=False)
_DRAWS = 60
Draw = Callable[[np.random.Generator], Problem]


@dataclass(frozen=True)
class Form:
    """What problems of one kernel share; `draw` makes one of them with random sizes."""

    target: Target
    variant: Variant
    words: str
    draw: Draw


@dataclass
class Tally:
    """What came of all problems."""

    agreed: int = 0
    refused: int = 0
    conflicts: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    @property
    def clean(self) -> bool:
        """Whether nothing was found and something ran."""
        return self.agreed > 0 and not self.failures and not self.conflicts

    def describe(self, backend: str, kernels: int) -> str:
        """Return one line for people."""
        total = self.agreed + len(self.failures)
        found = ", ".join(f"{count} {kind}" for kind, count in self.kinds.items()) or "no findings"
        return (
            f"{self.agreed} of {total} problems through {kernels} kernels of {backend} agreed with float64; "
            f"races {self.kinds['race']}, uninitialised reads {self.kinds['uninitialised']}, bank conflicts {self.conflicts} "
            f"({found})"
        )


def manifest_of(backend: str) -> BackendManifest:
    """Return what a backend's plugin registers."""
    registered: BackendManifest = importlib.import_module(f"tracea_{backend}.plugin").tracea_register_backend()
    return registered


def kinds(manifest: BackendManifest) -> list[tuple[Target, Variant]]:
    """Return every kind of kernel that published devices of a backend can run, each once for an architecture."""
    found: dict[tuple[str, str], tuple[Target, Variant]] = {}
    for target in map(preset_target, preset_names()):
        for variant in manifest.variants(target.profile) if target.backend == manifest.name else ():
            if variant.family == "contraction" and _runs(target, variant):
                found.setdefault((target.profile.arch, variant.name), (target, variant))
    return list(found.values())


def _runs(target: Target, variant: Variant) -> bool:
    """Whether the device can run a large product of the variant's type."""
    if variant.schedule == "depthwise":
        return True
    op = GemmOp(4096, 4096, 4096, dtype=variant.operand_dtypes[0])
    inputs = (dense((4096, 4096), op.dtype), dense((4096, 4096), op.dtype))
    try:
        choose(Problem(op, inputs, dense((4096, 4096), op.output_dtype()), options=_EXACT), target, (variant,))
    except UnsupportedError:
        return False
    return True


# ---- forms


def form_of(seed: int, number: int, listed: list[tuple[Target, Variant]]) -> Form:
    """Return what the problems of kernel `number` share."""
    random = np.random.default_rng((seed, number, 1))
    target, variant = listed[number % len(listed)]
    dtype = variant.operand_dtypes[int(random.integers(len(variant.operand_dtypes)))]
    if variant.schedule == "depthwise":
        return _convolutions(target, variant, dtype, random)
    ragged = bool(random.random() < 0.4)
    if number % 6 == 5:
        return _groups(target, variant, dtype, random)
    if random.random() < 0.25:
        return _convolutions(target, variant, dtype, random)
    layout = str(random.choice(["nn", "nt", "tn", "tt"]))
    batch = bool(random.random() < 0.25)
    tail = int(random.integers(9)) if dtype.is_float and random.random() < 0.7 else -1
    across = bool(random.random() < 0.2)
    exchanged = variant.schedule == "warp_specialized" and bool(random.random() < 0.4)
    words = f"{dtype.value} {layout}{' batch' if batch else ''}{' ragged' if ragged else ''}{f' tail {tail}' if tail >= 0 else ''}"
    words += " exchanged" if exchanged else ""
    options = _EXACT.replace(exchanged=exchanged)

    def draw(random: np.random.Generator) -> Problem:
        step = 1 if ragged else 8
        m, n, k = (_extent(random, step) for _ in range(3))
        if exchanged:  # few rows
            m, n = int(random.choice([1, 2, 3, 8, 16, 17, 24, 31, 48, 65])), 4 * n
        lead = (int(random.integers(2, 4)),) if batch else ()
        epilogue, extra = _epilogue(tail, lead, m, n)
        op = GemmOp(m, n * (2 if epilogue.gated else 1), k, batch=lead, dtype=dtype)
        axes = tuple(range(len(lead)))
        orders = [(*axes, len(axes) + 1, len(axes)) if letter == "t" else None for letter in layout]

        def gap() -> int:
            return step * int(random.choice([0, 0, 1, 3]))

        a = dense((*lead, m, k), dtype, orders[0], gap())
        b = dense((*lead, k, op.n), dtype, orders[1], gap())
        out = dense((*lead, m, n), op.output_dtype(), (*axes, len(axes) + 1, len(axes)) if across else None, gap())
        return Problem(op, (a, b), out, epilogue, extra, options)

    return Form(target, variant, words, draw)


def _extent(random: np.random.Generator, step: int) -> int:
    """Around what instructions and tiles are, or anything up to a tile and a half."""
    near = int(random.choice([1, 8, 16, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129]))
    extent = near if random.random() < 0.4 else int(random.integers(1, 180))
    return max(-(-extent // step) * step, 1)


def _epilogue(tail: int, lead: tuple[int, ...], m: int, n: int) -> tuple[Epilogue, tuple[TensorSpec, ...]]:
    if tail < 0:
        return IDENTITY, ()
    flat, full = np.ones(n, np.float32), np.ones((*lead, m, n), np.float32)
    stages: list[Callable[[], Stage]] = [
        lambda: BiasAdd(flat) | ReLU(),
        lambda: BiasAdd(flat) | Gelu(),
        lambda: Gelu("tanh"),
        lambda: Residual(full) | SiLU(),
        lambda: BatchNorm(flat, flat, flat, flat) | ReLU(),
        lambda: Scale(np.ones(m, np.float32), "row"),
        lambda: BiasAdd(flat) | Gelu() | Residual(full) | Scale(0.5),
        lambda: Lambda(lambda x: np.where(x > 0.25, x, x * 0.125) / (1 + abs(x))),
        lambda: SwiGLU(),
    ]
    epilogue, arrays = stages[tail]().bind()
    return epilogue, tuple(dense(np.shape(array), DType.FP32) for array in arrays)


def _groups(target: Target, variant: Variant, dtype: DType, random: np.random.Generator) -> Form:
    """Rows that fall into ragged groups, whose ends are drawn where the kernel runs."""
    layout, tail = str(random.choice(["n", "t"])), bool(random.random() < 0.5) and dtype.is_float
    words = f"grouped {dtype.value} weights {layout}{' bias, relu' if tail else ''}"

    def draw(random: np.random.Generator) -> Problem:
        m, n, k = int(random.integers(1, 500)), _extent(random, 8), _extent(random, 8)
        op = GroupedGemmOp(m, int(random.integers(1, 12)), n, k, dtype=dtype)
        weights = dense((op.groups, k, n), dtype, (0, 2, 1) if layout == "t" else None)
        inputs = (dense((m, k), dtype), weights, dense((op.groups,), DType.INT32))
        epilogue, extra = IDENTITY, ()
        if tail:
            epilogue, extra = join(bias(), ReLU().bind()[0]), (dense((op.groups, n), DType.FP32),)
        return Problem(op, inputs, dense((m, n), op.output_dtype()), epilogue, extra, _EXACT)

    return Form(target, variant, words, draw)


def _convolutions(target: Target, variant: Variant, dtype: DType, random: np.random.Generator) -> Form:
    own = variant.schedule == "depthwise"
    last = own or bool(random.random() < 0.5)
    r, s, groups = int(random.integers(1, 4)), int(random.integers(1, 4)), int(random.choice([1, 1, 2]))
    deep, each = (int(random.choice([1, 1, 1, 2, 3])), int(random.choice([1, 1, 2]))) if own else (0, 0)
    channels = 8 * int(random.integers(1, 9)) + int(random.choice([0, 0, 1]))
    stride, padding, dilation = (tuple(int(x) for x in random.integers(low, 3, 2)) for low in (1, 0, 1))
    tail = bool(random.random() < 0.5) and dtype.is_float
    words = f"conv {r}x{s} {dtype.value} groups {groups} {'channels last' if last else 'channels second'}"
    words += f" stride {stride} padding {padding} dilation {dilation}"

    def draw(random: np.random.Generator) -> Problem:
        c, k = groups * int(random.integers(2, 9)), groups * int(random.integers(2, 24))
        if own:  # the distance of pixels is a part of the form
            c, k = channels * deep, channels * each
        h, w = ((size - 1) * d + 2 + int(random.integers(0, 9)) for size, d in zip((r, s), dilation, strict=True))
        parts = channels if own else groups
        op = Conv2dOp(int(random.integers(1, 3)), c, h, w, k, r, s, stride, padding, dilation, parts, dtype=dtype)
        order = (0, 2, 3, 1) if last else (0, 1, 2, 3)
        tensors = tuple(dense(shape, dtype, order) for shape in op.input_shapes())
        epilogue, arrays = (BiasAdd(np.ones(k, np.float32)) | ReLU()).bind() if tail else (IDENTITY, ())
        extra = tuple(dense(np.shape(array), DType.FP32) for array in arrays)
        return Problem(op, tensors, dense(op.output_shape(), op.output_dtype(), order), epilogue, extra, _EXACT)

    return Form(target, variant, words, draw)


# ---- kernels and problems


def kernel_of(seed: int, number: int, form: Form, manifest: BackendManifest) -> Served | str:
    """Return the compiled kernel of a form, from one of the policy's configurations, or why there is none."""
    random = np.random.default_rng((seed, number, 2))
    preset = form.target.device.removeprefix("preset:")
    reason = ""
    for _ in range(4):
        problem = form.draw(random)
        if problem.is_empty:
            continue
        try:
            heroes = PolicyEngine(form.target.profile).decide(problem, form.variant).heroes
            chosen = _buildable(manifest, preset, problem, form.variant, heroes, random)
        except (UnsupportedError, ConfigurationError) as error:
            reason = error.message
            continue
        if chosen is not None:
            return chosen
    return reason or "no configuration fits"


def _buildable(
    manifest: BackendManifest, preset: str, problem: Problem, variant: Variant, heroes: tuple[PipelineConfig, ...],
    random: np.random.Generator,
) -> Served | None:  # fmt: skip
    """Return a kernel from a random hero that fits, else from the first that the policy can narrow."""
    for place in random.permutation(len(heroes))[:3]:
        try:
            served = Served(manifest, preset, problem, heroes[int(place)], variant.name)
        except ConfigurationError:
            continue
        if not served.refusal(problem):
            return served
    return Served(manifest, preset, problem, None, variant.name)


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
    tally.conflicts += report.bank_conflicts


def run(given: argparse.Namespace) -> tuple[Tally, int]:
    """Run `count` problems; return what came of them, and how many kernels they went through."""
    manifest = manifest_of(given.backend)
    listed = kinds(manifest)
    tally, begin, kernels = Tally(), time.perf_counter(), 0
    count = min(given.kernels, given.count)
    for number in range(count):
        if time.perf_counter() - begin > given.seconds:
            break
        form = form_of(given.seed, number, listed)
        try:
            served = kernel_of(given.seed, number, form, manifest)
        except TraceaError as error:
            tally.failures.append(
                f"kernel {number}: {form.words} of {form.variant.name}: {type(error).__name__}: {error}"
            )
            continue
        if isinstance(served, str):
            print(f"  kernel {number} is not built: {form.words} of {form.variant.name}: {served}", file=sys.stderr)
            continue
        kernels += 1
        for problem in range(number, given.count, count):
            if time.perf_counter() - begin > given.seconds:
                break
            if given.only is None or given.only == problem:
                before = tally.conflicts
                try_problem(given.seed, problem, form, served, tally)
                if tally.conflicts > before:
                    where = (
                        f"{form.words} of {served.variant} for {form.target.device} ({served.configuration.describe()})"
                    )
                    print(f"  problem {problem}: {tally.conflicts - before} bank conflicts: {where}", file=sys.stderr)
        if sys.stderr.isatty():
            print(f"\r{kernels} kernels, {tally.agreed} problems", end="", file=sys.stderr)
    return tally, kernels


def main(given: argparse.Namespace) -> int:
    """Run the command line of `benchmarks.fuzz` with ``--emulated``; return its exit code."""
    begin = time.perf_counter()
    tally, kernels = run(given)
    if given.json:
        print(json.dumps({
            "backend": given.backend, "emulated": True, "seed": given.seed, "kernels": kernels, "agreed": tally.agreed,
            "findings": tally.kinds, "bank_conflicts": tally.conflicts, "failures": tally.failures,
        }, indent=2))  # fmt: skip
    else:
        for failure in tally.failures[:20]:
            print(failure[:2000])
        print(f"{tally.describe(given.backend, kernels)}, in {time.perf_counter() - begin:.0f} s")
        if tally.refused:
            print(f"{tally.refused} problems were drawn that their kernel does not serve")
    return 0 if tally.clean else 1
