# SPDX-License-Identifier: MIT
"""The survey calls what it is shown by the right name: caught, equivalent, missed, and silent."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tracea_core.emit.source import KernelSource
from tracea_core.errors import CertificationError, EmitError
from tracea_core.ops.expr import Binary, BinaryFn, Constant
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Compute, Fill, If, Loop, Node, Staged, Store
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.testing import survey
from tracea_core.testing.faults import Fault
from tracea_core.testing.kit import collect
from tracea_core.testing.null import null_backend
from tracea_core.testing.survey import Outcome, Specimen

Edit = Callable[[Node], tuple[Node, ...]]


@pytest.fixture(scope="module")
def specimen() -> Specimen:
    (check,) = [c for c in collect(null_backend()) if c.name == "null:0/null.contraction.fp32/gemm-fp32-13x29x17"]
    subject, case = check.run.args  # type: ignore[attr-defined]
    walked = subject.walk(case)
    emitters = {"null": subject.manifest.emitters["contraction"]}
    return Specimen("gemm", walked.kernel, walked.lowered.contraction, subject.target.profile, emitters)


def edited(kernel: SemanticKernel, edit: Edit) -> Fault:
    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop | Staged):
                node = node.replace(body=visit(node.body))
            elif isinstance(node, If):
                node = node.replace(then=visit(node.then), otherwise=visit(node.otherwise))
            result.extend(edit(node))
        return tuple(result)

    changed = kernel.replace(roles=tuple(role.replace(body=visit(role.body)) for role in kernel.roles))
    assert changed != kernel
    return Fault("planted", "a fault", changed)


def test_a_dropped_store_is_caught_and_shows(specimen: Specimen) -> None:
    verdict = specimen.judge(edited(specimen.kernel, lambda n: () if isinstance(n, Store) else (n,)))
    assert verdict.outcome is Outcome.CAUGHT and verdict.silent == () and verdict.words == "gemm: a fault"


def test_clearing_twice_is_equivalent(specimen: Specimen) -> None:
    verdict = specimen.judge(edited(specimen.kernel, lambda n: (n, n) if isinstance(n, Fill) else (n,)))
    assert verdict.outcome is Outcome.EQUIVALENT and "3 more seeds" in verdict.reason


def test_what_certification_lets_pass_is_missed(specimen: Specimen, monkeypatch: pytest.MonkeyPatch) -> None:
    def plus_one(node: Node) -> tuple[Node, ...]:
        return (
            (node.replace(expr=Binary(BinaryFn.ADD, node.expr, Constant(1.0))),)
            if isinstance(node, Compute)
            else (node,)
        )

    fault = edited(specimen.kernel, plus_one)
    assert specimen.judge(fault).outcome is Outcome.CAUGHT
    monkeypatch.setattr(survey, "certify", lambda *_: None)
    verdict = specimen.judge(fault)
    assert verdict.outcome is Outcome.MISSED and "seed" in verdict.reason


def test_a_verifier_that_breaks_has_caught_nothing(specimen: Specimen, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("no")

    fault = edited(specimen.kernel, lambda n: () if isinstance(n, Store) else (n,))
    monkeypatch.setattr(survey, "certify", broken)
    verdict = specimen.judge(fault)
    assert verdict.outcome is Outcome.MISSED and "ZeroDivisionError" in verdict.reason


def test_an_emitter_that_ignores_what_was_changed_is_silent(specimen: Specimen) -> None:
    text = specimen.emitters["null"](specimen.kernel, specimen.certificate).replace(text="always the same")
    deaf = Specimen(
        "deaf", specimen.kernel, specimen.form, specimen.profile, {"deaf": lambda kernel, certificate: text}
    )
    verdict = deaf.judge(edited(specimen.kernel, lambda n: () if isinstance(n, Store) else (n,)))
    assert verdict.silent == ("deaf",)


def test_an_emitter_that_fails_on_all_that_was_changed_has_shown_nothing(specimen: Specimen) -> None:
    emit = specimen.emitters["null"]

    def frail(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
        if kernel != specimen.kernel:
            raise KeyError("never seen before")
        return emit(kernel, certificate)

    def strict(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
        if kernel != specimen.kernel:
            raise EmitError("this language cannot express it")
        return emit(kernel, certificate)

    both = Specimen("both", specimen.kernel, specimen.form, specimen.profile, {"frail": frail, "strict": strict})
    verdict = both.judge(edited(specimen.kernel, lambda n: () if isinstance(n, Store) else (n,)))
    assert len(verdict.silent) == 1
    assert "frail" in verdict.silent[0] and "never seen before" in verdict.silent[0]


def test_an_emitter_that_fails_on_the_kernel_itself_is_no_specimen(specimen: Specimen) -> None:
    def broken(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
        raise KeyError("no")

    with pytest.raises(KeyError):
        Specimen("broken", specimen.kernel, specimen.form, specimen.profile, {"broken": broken})


def test_only_right_kernels_are_specimens(specimen: Specimen) -> None:
    fault = edited(specimen.kernel, lambda n: () if isinstance(n, Store) else (n,))
    with pytest.raises(CertificationError):
        Specimen("wrong", fault.kernel, specimen.form, specimen.profile)
