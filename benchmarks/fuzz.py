# SPDX-License-Identifier: MIT
"""Random problems through the public calls, each compared with float64.

    python -m benchmarks.fuzz --backend cpu --count 500 --seed 1

Shapes (ragged, tiny, empty), strides, batches, types, epilogues and convolution options are drawn at random; outputs are poisoned and
stand inside guard bands. Reports how many agreed; exits with 1 if one did not. Each problem depends only on the seed, its number and how
many share a form, and ``--only NUMBER`` runs one again. To prove and compile a kernel takes many times what a problem takes, so thousands

    python -m benchmarks.fuzz --backend cpu --count 5000 --shared 100 --jobs 2

share more of them. A run tells every half minute how far it is; one that is stopped, by Control-C or by the system, reports what it has
judged and exits with 1. On a GPU,

    python -m benchmarks.fuzz --backend cuda --count 2000 --seconds 600

every buffer lies between guard bands in its memory, and problems that no kernel takes are counted by reason; with ``--jobs 12`` so many
processes share the numbers. Products, convolutions and both gradients of convolutions are drawn (`benchmarks.fuzz_device_cases`), with
``--work convolutions`` those alone.
Without a GPU,

    python -m benchmarks.fuzz --backend hip --emulated --count 500

executes the printed kernels of a GPU backend in the SIMT emulator (`benchmarks.fuzz_emulated`).
"""

from __future__ import annotations

import argparse
import functools
import json
import multiprocessing
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.ops.stages import as_chain
from tracea_core.ops.tolerance import tolerance, worst

from benchmarks import fuzz_emulated
from benchmarks.fuzz_cases import SHARED as SHARED_ON_HOST
from benchmarks.fuzz_cases import Case, host, make, present
from benchmarks.fuzz_device import DeviceMemory
from benchmarks.fuzz_device_cases import SHARED, WORK, make_for_device

_SENTINEL = 77
_BAND = 2
_DEVICE_FAILED = "the device failed"
_LATE = 10.0  # seconds that a problem may take beyond the end
_SECONDS_BETWEEN_LINES = 30.0
_device_serves = True  # until a kernel broke this process's work on it for good


@dataclass(frozen=True)
class Verdict:
    """How many bounds the worst element is off, what was computed, the share of elements whose bound says nothing.

    `refused` says why no kernel takes the problem, where a device's backend may say so; `seconds` is what judging took.
    """

    off: float
    words: str
    unbounded: float = 0.0
    refused: str = ""
    seconds: float = 0.0


@dataclass
class Judged:
    """The verdicts of a run by number, told as they come in: in place on a terminal, elsewhere a line each half minute."""

    count: int
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    begin: float = field(default_factory=time.monotonic)
    told: float = field(default_factory=time.monotonic)

    def add(self, verdicts: dict[int, Verdict]) -> None:
        """Keep what has been judged, and tell how far the run is."""
        self.verdicts |= verdicts
        on_terminal, now = sys.stderr.isatty(), time.monotonic()
        if on_terminal or now - self.told >= _SECONDS_BETWEEN_LINES:
            self.told = now
            wrong = sum(not verdict.off <= 1.0 for verdict in self.verdicts.values())
            line = f"{len(self.verdicts)} of {self.count}, {wrong} disagreed, {now - self.begin:.0f} s"
            print(f"\r{line}" if on_terminal else line, end="" if on_terminal else "\n", file=sys.stderr, flush=True)


def check(seed: int, number: int, backend: str, shared: int = SHARED_ON_HOST) -> Verdict:
    """Make problem `number` of a seed, run it and judge it. An error of the call is a disagreement."""
    case = make(seed, number, backend, shared)
    try:
        return judge(case, np.random.default_rng((seed, number)))
    except Exception as error:  # whatever it is, the others are to be judged
        return Verdict(float("inf"), f"{type(error).__name__}: {error}; {case.words}")


def check_on_device(
    seed: int, number: int, backend: str, device: str, work: str = "all", shared: int = SHARED
) -> Verdict:
    """Do the same in memory of a device; a problem that no kernel takes is refused, which is no disagreement."""
    random = np.random.default_rng((seed, number))
    memory = DeviceMemory(device, random)
    case = make_for_device(seed, number, backend, memory.show, work, shared)
    shape = as_chain(case.epilogue).epilogue.output_shape(case.op.output_shape())
    out = memory.output(shape, case.op.output_dtype(), _axes(len(shape), random))
    try:
        case.call(out)
        damage = memory.damage()
    except UnsupportedError as error:
        return Verdict(0.0, case.words, refused=error.message)
    except RuntimeError as error:  # PyTorch is the first to notice that a kernel failed
        return Verdict(float("inf"), f"{_DEVICE_FAILED}: {error}; {case.words}")
    except Exception as error:  # whatever it is, the others are to be judged
        return Verdict(float("inf"), f"{type(error).__name__}: {error}; {case.words}")
    return Verdict(float("inf"), f"{damage}: {case.words}") if damage else compare(case, memory.result())


def _axes(count: int, random: np.random.Generator) -> tuple[int, ...]:
    """Draw the order in which an output's axes lie in memory: by rows or by columns, images mostly channels-last."""
    if count == 4:
        return (0, 2, 3, 1) if random.random() < 0.8 else (0, 1, 2, 3)
    axes = tuple(range(count))
    return axes if random.random() < 0.85 else axes[::-1]


def judge(case: Case, random: np.random.Generator) -> Verdict:
    """Run a case into poisoned memory inside guard bands and compare."""
    chain = as_chain(case.epilogue)
    shape, kind = chain.epilogue.output_shape(case.op.output_shape()), case.op.output_dtype()
    guarded = np.full([extent + 2 * _BAND for extent in shape], _SENTINEL, kind.storage)
    inside = tuple(slice(_BAND, _BAND + extent) for extent in shape)
    if is_channels_last(case.inputs[0]):
        guarded = np.ascontiguousarray(guarded.transpose(0, 2, 3, 1)).transpose(0, 3, 1, 2)
    elif random.random() < 0.3:
        guarded = np.asfortranarray(guarded)
    out = guarded[inside]
    out[...] = kind.encode(np.nan if kind.is_float else kind.lowest)
    case.call(present(out, kind, case.torch))
    outside = np.ones(guarded.shape, bool)
    outside[inside] = False
    if not (guarded[outside] == _SENTINEL).all():
        return Verdict(float("inf"), f"memory around the output was written: {case.words}")
    return compare(case, out)


def is_channels_last(x: np.ndarray) -> bool:
    """Whether an array of four axes lies in memory with several channels of a pixel side by side."""
    return x.ndim == 4 and x.shape[1] > 1 and x.strides[1] == x.itemsize < x.strides[3]


def compare(case: Case, out: np.ndarray) -> Verdict:
    """Compare stored results with float64."""
    if not out.size:
        return Verdict(0.0, case.words)
    chain, kinds, shape, kind = as_chain(case.epilogue), case.kinds, out.shape, case.op.output_dtype()
    second = {slot: host(chain.operands[slot]) for slot in chain.epilogue.auxiliaries}
    specs = tuple(TensorSpec.contiguous(x.shape, d) for x, d in zip(case.inputs, kinds, strict=True))
    operands = tuple(TensorSpec.contiguous(x.shape, DType.FP32) for x in case.operands)
    problem = Problem(case.op, specs, TensorSpec.contiguous(shape, kind), chain.epilogue, operands, case.options)
    exact = [d.decode(x) for x, d in zip(case.inputs, kinds, strict=True)]
    values = [np.asarray(x, np.float64) for x in case.operands]
    bound = tolerance(problem, exact, values)
    off = worst(kind.decode(out), problem.reference(*exact, *values), bound)
    for slot, found in second.items():
        meant = problem.auxiliary(slot)
        off = max(off, worst(found, meant.reference(*exact, *values), tolerance(meant, exact, values)))
    return Verdict(off, case.words, float(np.isinf(bound).mean()))


def _judge_all(
    numbers: Sequence[int], given: argparse.Namespace, until: float, judged: Judged | None = None
) -> dict[int, Verdict]:
    """Judge problems one after another, as many as the time (of `time.time`) allows and the device survives."""
    global _device_serves
    verdicts: dict[int, Verdict] = {}
    device = given.device or {"cuda": "cuda:0"}.get(given.backend)
    judge_one: Callable[[int, int, str], Verdict] = functools.partial(check, shared=given.shared)
    if device:
        judge_one = functools.partial(check_on_device, device=device, work=given.work, shared=given.shared)
    for number in numbers:
        if time.time() > until or not _device_serves:
            break
        begin = time.perf_counter()
        verdict = judge_one(given.seed, number, given.backend)
        verdicts[number] = replace(verdict, seconds=time.perf_counter() - begin)
        if _DEVICE_FAILED in verdicts[number].words or "earlier kernel broke" in verdicts[number].words:
            _device_serves = False
        if judged is not None:
            judged.add({number: verdicts[number]})
    return verdicts


def parts_of_forms(numbers: Sequence[int], shared: int) -> list[Sequence[int]]:
    """Return the problems in parts that one process takes: the first part of every form, then the second ones, whose kernels are known."""
    starts = [form + first for form in range(0, len(numbers), shared) for first in range(0, shared, SHARED)]
    parts = [
        (start % shared, numbers[start : min(start + SHARED, start - start % shared + shared)]) for start in starts
    ]
    return [part for _, part in sorted(parts, key=lambda one: one[0]) if len(part)]


def _judge_together(numbers: Sequence[int], given: argparse.Namespace, until: float, judged: Judged) -> None:
    """Do the same in several processes, which take a part of a form at a time. What is not judged a while after the end is left."""
    forms = parts_of_forms(numbers, given.shared)
    with multiprocessing.get_context("spawn").Pool(given.jobs, signal.signal, (signal.SIGINT, signal.SIG_IGN)) as pool:
        parts = pool.imap_unordered(functools.partial(_judge_all, given=given, until=until), forms)
        try:
            for _ in forms:
                judged.add(parts.next(None if until == float("inf") else max(until + _LATE - time.time(), 0.0)))
        except multiprocessing.TimeoutError:
            print(f"processes were still busy {_LATE:g} s after the end, and are left", file=sys.stderr)


def judge_until_stopped(numbers: Sequence[int], given: argparse.Namespace) -> tuple[dict[int, Verdict], bool]:
    """Judge problems as the command line says; return what is known at the end or when the run is stopped, and whether it was."""

    def stop(*_: Any) -> None:
        raise KeyboardInterrupt

    judged, until = Judged(len(numbers)), time.time() + given.seconds
    before = signal.signal(signal.SIGTERM, stop)
    try:
        (_judge_together if given.jobs > 1 else _judge_all)(numbers, given, until, judged)
    except KeyboardInterrupt:
        print("stopped", file=sys.stderr)
        return judged.verdicts, True
    finally:
        signal.signal(signal.SIGTERM, before)
        if sys.stderr.isatty():
            print(file=sys.stderr)
    return judged.verdicts, False


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", type=int, help="the number of one problem")
    parser.add_argument(
        "--device", help="where arrays live, as PyTorch names it; by default cuda:0 for the backend cuda, else the host"
    )
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after this long")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the problems")
    parser.add_argument("--work", choices=sorted(WORK), default="all", help="what is drawn on a device")
    parser.add_argument(
        "--shared",
        type=int,
        help=f"problems in succession that have one form; by default {SHARED_ON_HOST}, on a device {SHARED}",
    )
    parser.add_argument("--emulated", action="store_true", help="execute the kernels in the SIMT emulator")
    parser.add_argument(
        "--served", help="put the problems through few kernels on this device of the backend, or oclgrind"
    )
    parser.add_argument("--kernels", type=int, default=25, help="kernels to print and compile, at most")
    parser.add_argument("--slowest", type=int, default=0, help="print so many of the problems that took longest")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args(arguments)
    if given.emulated or given.served:
        return fuzz_emulated.main(given)
    if given.shared is None:
        given.shared = SHARED if given.device or given.backend == "cuda" else SHARED_ON_HOST
    numbers = range(given.count) if given.only is None else range(given.only, given.only + 1)
    begin = time.perf_counter()
    verdicts, stopped = judge_until_stopped(numbers, given)
    failures = {number: verdict for number, verdict in verdicts.items() if not verdict.off <= 1.0}
    refused = Counter(verdict.refused[:200] for verdict in verdicts.values() if verdict.refused)
    agreed = [verdict for verdict in verdicts.values() if verdict.off <= 1.0 and not verdict.refused]
    largest = max((verdict.off for verdict in agreed), default=0.0)
    unbounded = sum(verdict.unbounded for verdict in agreed) / max(len(agreed), 1)
    if given.json:
        print(json.dumps({
            "backend": given.backend, "seed": given.seed, "count": len(verdicts), "agreed": len(agreed), "refused": refused,
            "largest": largest,
            "unbounded": unbounded, "failures": [{"number": n, "off": str(v.off), "words": v.words} for n, v in failures.items()],
        }, indent=2))  # fmt: skip
        return 1 if failures or stopped else 0
    for number, verdict in list(failures.items())[:20]:
        print(f"problem {number} (seed {given.seed}): {verdict.off:.3g} bounds off: {verdict.words}")
    for reason, count in refused.most_common(5):
        print(f"{count} refused: {reason}")
    for number in sorted(verdicts, key=lambda number: -verdicts[number].seconds)[: given.slowest]:
        print(f"{verdicts[number].seconds:.1f} s: problem {number}: {verdicts[number].words}")
    print(
        f"{len(agreed)} of {len(verdicts) - sum(refused.values())} problems agreed with float64 "
        f"on {given.backend} in {time.perf_counter() - begin:.0f} s; "
        f"the worst used {largest:.2f} of its bound, {unbounded:.2%} of the elements had none"
    )
    return 1 if failures or stopped else 0


if __name__ == "__main__":
    raise SystemExit(main())
