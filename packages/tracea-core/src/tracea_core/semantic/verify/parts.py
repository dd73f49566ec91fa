# SPDX-License-Identifier: MIT
"""Operands that a matrix unit takes in fewer bits than they have: multiplied as two parts each, and none of the products left out.

The meaning of a kernel is proved on integers, of which nothing is left after rounding to tf32. So that rounding loses no more than
tolerances allow is read off the steps: x is split into high, x rounded, and low, what is left rounded; and each sum that gets the
product of two high parts gets both products of a high and a low part as well, of the same two operands.
"""

from __future__ import annotations

from collections import Counter

from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.forms import Form
from tracea_core.semantic.kernel import Role, SemanticKernel
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.steps import Compute, Load, Mma, Node
from tracea_core.semantic.verify.certificate import Proof

_ROUNDED, _LEFT = Accumulator(0), Binary(BinaryFn.SUB, Accumulator(0), Accumulator(1))
_WANTED = Counter((("high", "high"), ("high", "low"), ("low", "high")))


def check_parts(kernel: SemanticKernel, form: Form) -> tuple[Proof, ...]:
    """Prove of a contraction of fp32 that every product of a tf32 instruction is one of three that belong together.

    Raises
    ------
    CertificationError
        If an instruction multiplies anything else, or one of the three is missing or stands there twice.
    """
    if not isinstance(form, Contraction) or form.a.dtype is not DType.FP32:
        return ()
    count = sum(_check(role, role.body) for role in kernel.roles)
    if not count:
        return ()
    return (
        Proof(
            "parts",
            "fp32 is multiplied by tf32 in two parts each, of which three products are added",
            f"{count} products",
        ),
    )


def _check(role: Role, body: tuple[Node, ...]) -> int:
    """The products of one body, in which operands are read, split and multiplied."""
    count = 0
    part: dict[str, tuple[str, int]] = {}
    sums: dict[tuple[str, int, int], Counter[tuple[str, str]]] = {}
    for number, node in enumerate(body):
        for inner in (getattr(node, "body", ()), getattr(node, "then", ()), getattr(node, "otherwise", ())):
            count += _check(role, inner)
        if isinstance(node, Load):
            part[node.fragment] = ("whole", number)
        elif isinstance(node, Compute):
            part.pop(node.target, None)
            kind, read = part.get(node.accumulators[0], ("", -1)) if node.accumulators else ("", -1)
            if kind == "whole" and node.expr == _ROUNDED and len(node.accumulators) == 1:
                part[node.target] = ("high", read)
            elif kind == "whole" and node.expr == _LEFT and part.get(node.accumulators[1]) == ("high", read):
                part[node.target] = ("low", read)
        elif isinstance(node, Mma) and instruction(node.instruction).operand is DType.TF32:
            (a, first), (b, second) = (part.get(name, ("unsplit", number)) for name in (node.a, node.b))
            sums.setdefault((node.accumulator, first, second), Counter())[a, b] += 1
            count += 1
    for (name, _, _), products in sums.items():
        if products != _WANTED:
            listed = ", ".join(f"{a} by {b}" for a, b in products.elements())
            raise CertificationError(
                f"{name!r} gets {listed} parts of two operands, not the three that make a product", role=role.name
            )
    return count
