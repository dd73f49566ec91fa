# SPDX-License-Identifier: MIT
"""The decision: which variant runs a problem on a target, why each other one does not, and which precision stands in.

Hard requirements filter, and the first that fails is the reason. What is left is scored: a matrix instruction of the device counts
most, then the variant's priority, then the weights of the preferences that hold. Where no variant takes the operands' dtype, a wider
one may stand in (bf16 becomes fp32; fp16 only when asked for, since its range is smaller), and the decision says so.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence

from tracea_core.data import Data
from tracea_core.doctor.variants import Variant, matrix_dtypes
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.gemm import FusedGemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.scaled import ScaledGemmOp, ScaledGroupedGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.storage import warn_once
from tracea_core.target import Target

log = logging.getLogger("tracea.doctor")

SCALED = (ScaledGemmOp, ScaledGroupedGemmOp)
"""Ops whose sums are scaled along k: of one kind of schedule, and in their own types."""
MATRIX_UNIT_SCORE = 1000
"""What a matrix instruction of the device is worth: more than any priority, so that matrix units come first."""

_WIDER: dict[DType, tuple[DType, ...]] = {
    DType.FP8_E4M3: (DType.BF16, DType.FP32),
    DType.FP8_E5M2: (DType.BF16, DType.FP32),
    DType.FP8_E4M3FNUZ: (DType.BF16, DType.FP32),
    DType.FP8_E5M2FNUZ: (DType.BF16, DType.FP32),
    DType.BF16: (DType.FP32,),
    DType.FP16: (DType.FP32,),
    DType.TF32: (DType.FP32,),
}
"""Types that hold every value of another, so that multiplying in them costs time and nothing else."""

_MAY_BE_FP16 = (DType.FP8_E4M3, DType.FP8_E5M2, DType.BF16)
_CANDIDATES = (DType.FP16, DType.BF16, DType.FP32, DType.FP64)


class Rejection(Data, frozen=True):
    """A variant that does not run, and why."""

    variant: str
    reason: str


class PrecisionFallback(Data, frozen=True):
    """Another type stands in for that of the operands: inputs are converted before; what is stored keeps its type.

    Attributes
    ----------
    asked, used : DType
        The operands' own type, and the one they are multiplied in.
    reason : str
        What led to it.
    exact : bool
        Whether `used` holds every value of `asked`.
    """

    asked: DType
    used: DType
    reason: str
    exact: bool

    def describe(self) -> str:
        """Return the fallback as one line."""
        note = "exact" if self.exact else "operands may be rounded or overflow"
        return f"{self.asked.value} -> {self.used.value} ({note}), because {self.reason}"


class Choice(Data, frozen=True, kw_only=True):
    """The outcome of a decision.

    Attributes
    ----------
    variant : Variant
        What runs.
    problem : Problem
        What it runs: the problem asked for, or the same with the inputs in the type that stands in.
    target : Target
        Where.
    score : int
        The winner's score; `ranking` lists every variant that qualified with its own, best first.
    rejected : tuple of Rejection
        Every other variant, with its reason, in the order in which the backend lists them.
    fallback : PrecisionFallback, optional
        The type that stands in, if one does.
    """

    variant: Variant
    problem: Problem
    target: Target
    score: int
    ranking: tuple[tuple[str, int], ...]
    rejected: tuple[Rejection, ...]
    fallback: PrecisionFallback | None = None

    def describe(self) -> str:
        """Return the decision in a few lines: what runs, in which precision, and why nothing else does."""
        lines = [f"{self.variant.name} (score {self.score}) on {self.target.device}, {self.target.profile.name}"]
        if self.fallback is not None:
            lines.append(f"  precision fallback: {self.fallback.describe()}")
        lines += [f"  rejected: {item.variant}: {item.reason}" for item in self.rejected]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.describe()


def choose(problem: Problem, target: Target, variants: Sequence[Variant]) -> Choice:
    """Return the variant that should run `problem` on `target`.

    Parameters
    ----------
    problem : Problem
        What is asked for; its options say which fallbacks are allowed.
    target : Target
        Where.
    variants : sequence of Variant
        Everything the backend offers for such a device.

    Raises
    ------
    UnsupportedError
        If none qualifies, even in a precision that may stand in; the message lists each one with its reason.
    """
    stated = problem.normalized() if isinstance(problem.op, FusedGemmOp) else problem
    refused: dict[str, str] = {}  # where several types are tried, the reason in a type that the variant takes
    for used in _attempts(stated, stated.options):
        candidate = stated if used is None else _in_type(stated, used)
        qualified: list[tuple[Variant, int]] = []
        for variant in variants:
            reason = reason_against(variant, candidate, target)
            if reason is None:
                qualified.append((variant, score(variant, candidate, target)))
            elif variant.name not in refused or variant.refuses(matrix_dtypes(candidate)) is None:
                refused[variant.name] = reason
        if qualified:
            break
    else:
        raise _unsupported(stated, target, variants, refused)
    qualified.sort(key=lambda entry: (-entry[1], entry[0].name))
    best, points = qualified[0]
    beaten = {other.name: _beaten(theirs, points) for other, theirs in qualified[1:]}
    fallback = None if used is None else _fallback(stated, used)
    if fallback is not None:
        _announce(fallback, target)
    return Choice(
        variant=best,
        problem=candidate,
        target=target,
        score=points,
        ranking=tuple((variant.name, theirs) for variant, theirs in qualified),
        rejected=tuple(
            Rejection(variant.name, beaten.get(variant.name) or refused[variant.name])
            for variant in variants
            if variant is not best
        ),
        fallback=fallback,
    )


def reason_against(variant: Variant, problem: Problem, target: Target) -> str | None:
    """Return why `variant` cannot run `problem`: it does not fit, does not take the dtypes, or a requirement fails."""
    if problem.options.panel_columns and (variant.schedule != "panel" or problem.epilogue.gated):
        return "it reads no operand that lies in panels" + (" for a gated epilogue" if problem.epilogue.gated else "")
    if problem.epilogue.sums is not None and variant.schedule != "warp_specialized":
        return "its schedule sums no columns"
    if isinstance(problem.op, SCALED) and variant.schedule != "warp_specialized":
        return "it adds what groups of k give before anything scales them"
    tensors = (*problem.inputs, problem.output, *problem.epilogue_inputs)
    unknown = [s.dtype.value for s in tensors if s.dtype.is_fnuz and s.dtype not in target.profile.native_dtypes]
    if unknown:
        return f"{target.profile.name} knows no {unknown[0]}"
    return variant.misfit(problem) or variant.refuses(matrix_dtypes(problem)) or variant.unmet(problem, target.profile)


def score(variant: Variant, problem: Problem, target: Target) -> int:
    """Return what `variant` is worth for a problem that it can run."""
    profile = target.profile
    held = sum(p.weight for p in variant.preferences if p.reason(problem, profile) is None)
    return variant.priority + held + (MATRIX_UNIT_SCORE if variant.uses_matrix_unit(profile) else 0)


def _beaten(theirs: int, best: int) -> str:
    return f"scores {theirs}, below {best}" if theirs < best else f"scores {theirs} too; the name decides"


def _attempts(problem: Problem, options: Options) -> Iterator[DType | None]:
    """Types to multiply in, best first; None stands for the operands' own."""
    dtypes = matrix_dtypes(problem)
    if options.allow_tf32 and DType.FP32 in dtypes and set(dtypes) <= {DType.FP32, DType.TF32}:
        yield DType.TF32
    yield None
    if options.allow_fallback and not isinstance(problem.op, SCALED):
        yield from (used for used in _CANDIDATES if set(dtypes) != {used} and _stands_in(used, problem, options))


def _stands_in(used: DType, problem: Problem, options: Options) -> bool:
    """Whether all operands may be multiplied as `used`."""
    wide_sums = getattr(problem.op, "accumulator", None) is DType.FP64
    for dtype in matrix_dtypes(problem):
        widened = used in _WIDER.get(dtype, ()) or (used is DType.FP64 and wide_sums and dtype.is_float)
        asked = used is DType.FP16 and options.allow_fp16 and dtype in _MAY_BE_FP16
        if not (dtype is used or widened or asked):
            return False
    return True


def _in_type(problem: Problem, used: DType) -> Problem:
    """Return the same problem with its operands multiplied as `used`.

    Inputs that change are contiguous, as a conversion leaves them. The output keeps its type: every schedule can convert
    what it stores, and none what it multiplies.
    """
    changes: dict[str, DType] = {"dtype": used, "out_dtype": problem.op.output_dtype()}
    if getattr(problem.op, "b_dtype", None) is not None:
        changes["b_dtype"] = used
    held = {field for field in problem.op.__struct_fields__ if field in changes}
    op = problem.op.replace(**{field: dtype for field, dtype in changes.items() if field in held})
    inputs = tuple(
        spec if before is after or used is DType.TF32 else TensorSpec.contiguous(spec.shape, after)
        for spec, before, after in zip(problem.inputs, problem.op.input_dtypes(), op.input_dtypes(), strict=True)
    )
    return problem.replace(op=op, inputs=inputs)


def _fallback(problem: Problem, used: DType) -> PrecisionFallback:
    changed = [dtype for dtype in matrix_dtypes(problem) if dtype is not used]
    asked = changed[0]
    if used is DType.TF32:
        return PrecisionFallback(asked, used, "allow_tf32 was given", exact=False)
    # fp16 holds every fp8 value: both have 8 bits, at most 3 of them fraction and 5 exponent
    exact = all(used is DType.FP64 or used in _WIDER.get(dtype, ()) or dtype.bits == 8 for dtype in changed)
    permitted = " and allow_fp16 was given" if used is DType.FP16 else ""
    return PrecisionFallback(asked, used, f"no variant that qualifies multiplies {asked.value}{permitted}", exact)


def _announce(fallback: PrecisionFallback, target: Target) -> None:
    """Log a fallback: as a warning if operands may change and nobody asked for exactly that, else for those who look."""
    text = f"precision fallback on {target.device}: {fallback.describe()}"
    if fallback.exact or fallback.used is DType.TF32:
        log.info("%s", text)
    else:
        warn_once(target.device, f"{fallback.asked.value} as {fallback.used.value}", text)


def _unsupported(
    problem: Problem, target: Target, variants: Sequence[Variant], refused: dict[str, str]
) -> UnsupportedError:
    name = type(problem.op).__name__
    own = [variant for variant in variants if variant.family == problem.op.family]
    against: dict[str, list[str]] = {}
    for variant in own or variants:  # where there are kernels of the family, what others lack is not the reason
        against.setdefault(refused[variant.name], []).append(variant.name)
    listed = "; ".join(f"{', '.join(names)}: {reason}" for reason, names in against.items())
    hint = "Use another dtype, layout or backend; `tracea doctor` lists them"
    freer = problem.options.replace(allow_fallback=True, allow_fp16=True)
    for used in _attempts(problem, freer):
        if used is None or used is DType.TF32:
            continue
        candidate = _in_type(problem, used)
        if any(reason_against(variant, candidate, target) is None for variant in variants):
            option = "allow_fp16=True" if used is DType.FP16 else "allow_fallback=True"
            hint = f"A precision fallback to {used.value} was forbidden; {option} allows it"
            if used is not DType.FP16:
                break
    return UnsupportedError(
        f"no variant runs {name} on {target.device}: {listed or 'the backend has none for ' + target.profile.name}",
        hint=hint,
        op=name,
        shapes=tuple(spec.shape for spec in problem.inputs),
        dtypes=tuple(dtype.value for dtype in problem.op.input_dtypes()),
        device=target.device,
    )
