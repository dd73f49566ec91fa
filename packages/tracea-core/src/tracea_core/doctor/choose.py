# SPDX-License-Identifier: MIT
"""The decision: which variant runs a problem on a target, why each other one does not, and which precision stands in.

Hard requirements filter, then a score ranks: a matrix instruction of the device counts most, then the variant's priority, then
the weights of the preferences that hold. Where no variant takes the dtype, a wider one may stand in (bf16 becomes fp32; fp16
only when asked for, since its range is smaller), and the decision says so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tracea_core.data import Data
from tracea_core.doctor.variants import Variant, matrix_dtypes
from tracea_core.dtypes import DType
from tracea_core.errors import UnsupportedError
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.target import Target

MATRIX_UNIT_SCORE = 100
"""What a matrix instruction of the device is worth: more than any priority, so that matrix units come first."""

_WIDER = {
    DType.BF16: (DType.FP32,),
    DType.FP16: (DType.FP32,),
    DType.TF32: (DType.FP32,),
    DType.FP8_E4M3: (DType.FP16, DType.BF16, DType.FP32),
    DType.FP8_E5M2: (DType.FP16, DType.BF16, DType.FP32),
}


class Rejection(Data, frozen=True):
    """A variant that does not run, and why."""

    variant: str
    reason: str


class PrecisionFallback(Data, frozen=True):
    """Another operand type stands in for the one asked for: inputs are converted before, the output after."""

    asked: DType
    used: DType
    reason: str


class Choice(Data, frozen=True, kw_only=True):
    """The outcome of a decision.

    Attributes
    ----------
    variant : Variant
        What runs.
    problem : Problem
        What it runs: the problem asked for, or the same in the type that stands in.
    target : Target
        Where.
    score : int
        The winner's score; `ranking` lists every variant that qualified with its own, best first.
    rejected : tuple of Rejection
        Every other variant, with its reason.
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
        """Return the decision in a few lines."""
        lines = [f"{self.variant.name} (score {self.score}) on {self.target.device}, {self.target.profile.name}"]
        if self.fallback is not None:
            f = self.fallback
            lines.append(f"  precision fallback: {f.asked.value} -> {f.used.value}, because {f.reason}")
        lines += [f"  also qualified: {name} (score {score})" for name, score in self.ranking[1:]]
        lines += [f"  rejected: {item.variant}: {item.reason}" for item in self.rejected]
        return "\n".join(lines)


def choose(problem: Problem, target: Target, variants: Sequence[Variant]) -> Choice:
    """Return the variant that should run `problem` on `target`.

    Parameters
    ----------
    variants : sequence of Variant
        Everything the backend offers for such a device.

    Raises
    ------
    UnsupportedError
        If none qualifies, even in a precision that may stand in; the message lists each one with its reason.
    """
    rejected: list[Rejection] = []
    asked = matrix_dtypes(problem)[0]
    for candidate, used in _attempts(problem, asked):
        found = _rank(candidate, target, variants)
        qualified = {variant.name for variant, _ in found}
        reasons = [
            Rejection(variant.name, variant.unmet(candidate, target.profile) or "")
            for variant in variants
            if variant.name not in qualified
        ]
        if not found:
            rejected = rejected or reasons
            continue
        variant, score = found[0]
        fallback = None
        if used is not asked:
            why = f"no variant on {target.profile.name} takes {asked.value} operands"
            fallback = PrecisionFallback(asked, used, why)
        ranking = tuple((other.name, points) for other, points in found)
        reasons += [Rejection(other.name, f"scores {points}, below {score}") for other, points in found[1:]]
        return Choice(
            variant=variant, problem=candidate, target=target, score=score, ranking=ranking, rejected=tuple(reasons),
            fallback=fallback,
        )  # fmt: skip
    listed = "; ".join(f"{item.variant}: {item.reason}" for item in rejected)
    forbidden = "" if problem.options.allow_fallback else "Precision fallback was forbidden. "
    raise UnsupportedError(
        f"no variant runs {type(problem.op).__name__} on {target.device}: {listed or 'the backend has none for it'}",
        hint=f"{forbidden}Use another dtype, layout or backend; `tracea doctor` lists them",
        op=type(problem.op).__name__,
        shapes=tuple(spec.shape for spec in problem.inputs),
        dtypes=tuple(spec.dtype.value for spec in problem.inputs),
        device=target.device,
    )


def _rank(problem: Problem, target: Target, variants: Sequence[Variant]) -> list[tuple[Variant, int]]:
    found = []
    for variant in variants:
        if variant.unmet(problem, target.profile) is None:
            score = variant.priority
            score += MATRIX_UNIT_SCORE if variant.uses_matrix_unit(target.profile) else 0
            score += sum(p.weight for p in variant.preferences if p.reason(problem, target.profile) is None)
            found.append((variant, score))
    return sorted(found, key=lambda entry: (-entry[1], entry[0].name))


def _attempts(problem: Problem, asked: DType) -> Iterator[tuple[Problem, DType]]:
    yield problem, asked
    if not problem.options.allow_fallback:
        return
    others = list(_WIDER.get(asked, ()))
    if asked is DType.BF16 and problem.options.allow_fp16:
        others.append(DType.FP16)
    for used in others:
        if used is DType.FP16 and not problem.options.allow_fp16:
            continue
        yield _in_type(problem, asked, used), used


def _in_type(problem: Problem, asked: DType, used: DType) -> Problem:
    """The same problem with tensors of type `asked` held in `used`, contiguous as a conversion leaves them."""

    def spec(tensor: TensorSpec) -> TensorSpec:
        return TensorSpec.contiguous(tensor.shape, used) if tensor.dtype is asked else tensor

    changes: dict[str, DType] = {"dtype": used}
    for field in ("b_dtype", "out_dtype"):
        if getattr(problem.op, field, None) is asked:
            changes[field] = used
    return problem.replace(
        op=problem.op.replace(**changes),
        inputs=tuple(spec(tensor) for tensor in problem.inputs),
        output=spec(problem.output),
        epilogue_inputs=tuple(spec(tensor) for tensor in problem.epilogue_inputs),
    )
