# SPDX-License-Identifier: MIT
"""What becomes of planted faults: refused by certification, shown to change nothing, or missed.

A fault that certification lets pass is looked at again: interpreted under other seeds, so with other operands, sizes of
strides, interleavings and moments at which effects land, everything poisoned. If all of these runs give what the
form defines, the fault is called equivalent; if one does not, certification has missed it. A fault that is refused
must show in the text of every emitter that serves the kernel: else the text could have been wrong in the same way, unseen.
An emitter that refuses it by an error of ours shows it, too; one that fails in any other way has shown nothing.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from dataclasses import dataclass, field

from tracea_core.data import Data
from tracea_core.emit.source import KernelSource
from tracea_core.errors import TraceaError
from tracea_core.semantic.forms import Form
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify, prove_meaning
from tracea_core.semantic.verify.runs import few_at_first
from tracea_core.target import CapabilityProfile
from tracea_core.testing.claims import program, without_claims
from tracea_core.testing.faults import Fault
from tracea_core.testing.reemit import Emitter

_SEEDS = (1009, 2003, 3001)
_FEW = 12
"""Sizes that are tried together: most faults show in the first ones."""


class Outcome(enum.Enum):
    """What became of a fault."""

    CAUGHT = "caught"
    EQUIVALENT = "equivalent"
    MISSED = "missed"


class Verdict(Data, frozen=True):
    """One fault's outcome, why, and the emitters whose text did not change, or which failed, although it was caught or missed."""

    kind: str
    words: str
    outcome: Outcome
    reason: str
    silent: tuple[str, ...] = ()


class Failed(Data, frozen=True):
    """An emitter's failure that is no refusal: neither a text nor a difference."""

    why: str


@dataclass
class Specimen:
    """A shipped kernel to plant faults in: what it must compute, on what, and who prints it."""

    name: str
    kernel: SemanticKernel
    form: Form
    profile: CapabilityProfile
    emitters: Mapping[str, Emitter] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Certify and print the kernel as it should be."""
        self.certificate = certify(self.kernel, self.form, self.profile)
        self._texts = {
            name: bare(emit(self.kernel, self.certificate), self.kernel, self.certificate)
            for name, emit in self.emitters.items()
        }

    def judge(self, fault: Fault, seeds: tuple[int, ...] = _SEEDS) -> Verdict:
        """Return what becomes of one fault in this kernel."""
        outcome, reason = self._outcome(fault.kernel, seeds)
        silent: tuple[str, ...] = ()
        if outcome is not Outcome.EQUIVALENT:
            texts = {name: self._text(name, fault.kernel) for name in self._texts}
            silent = tuple(name for name, text in texts.items() if text == self._texts[name])
            if silent and outcome is Outcome.CAUGHT and self._only_claims(fault.kernel, seeds):
                silent = ()
            silent += tuple(
                f"{name}, which fails: {text.why}" for name, text in texts.items() if isinstance(text, Failed)
            )
        return Verdict(fault.kind, f"{self.name}: {fault.words}", outcome, reason, silent)

    def _outcome(self, kernel: SemanticKernel, seeds: tuple[int, ...]) -> tuple[Outcome, str]:
        try:
            with few_at_first(_FEW):
                certify(kernel, self.form, self.profile)
        except TraceaError as error:
            return Outcome.CAUGHT, str(error).splitlines()[0]
        except Exception as error:  # a verifier that fails itself has refused nothing
            return Outcome.MISSED, f"certification itself fails: {type(error).__name__}: {error}"
        wrong = self._wrong(kernel, seeds)
        if wrong is not None:
            return Outcome.MISSED, wrong
        return Outcome.EQUIVALENT, f"right in every run under {len(seeds)} more seeds"

    def _only_claims(self, kernel: SemanticKernel, seeds: tuple[int, ...]) -> bool:
        """Whether a fault leaves the program as it was and only contradicts a claim that the text need not repeat.

        Claims are that lanes, or a lane's registers, address memory one after the other, where each address, or the first, is said
        anyway; the order of elements within a chunk that matrices move as a whole; that a coordinate stays within its axis, where
        another axis reaches the same place; a budget of registers that nothing deals out; and what is said twice: an operand's lanes,
        which its instruction fixes. A lane map that leaves elements out is none at all.
        """
        if program(kernel) == program(self.kernel) or self._wrong(without_claims(kernel), seeds) is None:
            return True
        return any(not fragment.layout.covers() for role in kernel.roles for fragment in role.fragments)

    def _wrong(self, kernel: SemanticKernel, seeds: tuple[int, ...]) -> str | None:
        """What goes wrong in some run, or None if nothing does."""
        for seed in seeds:
            try:
                prove_meaning(kernel, self.form, seed, elsewhere=True)
            except Exception as error:
                return f"seed {seed}: {type(error).__name__}: {error}".splitlines()[0]
        return None

    def _text(self, name: str, kernel: SemanticKernel) -> object:
        """What an emitter prints, without the digests in its head; None if it refuses, which is a difference too.

        What no certified kernel holds may be refused, but not by accident: an emitter that fails on all that is new would else
        pass for one that prints every change.
        """
        certificate = Certificate(kernel.digest(), self.certificate.proofs)
        try:
            source = self.emitters[name](kernel, certificate)
        except TraceaError:
            return None
        except Exception as error:
            return Failed(f"{type(error).__name__}: {error}".splitlines()[0])
        return bare(source, kernel, certificate)


def bare(source: KernelSource, kernel: SemanticKernel, certificate: Certificate) -> tuple[object, ...]:
    """Return all that a source says, without the digests in its head, which differ for every kernel."""
    text = source.text.replace(kernel.digest(), "").replace(certificate.digest(), "")
    return text, source.workspaces, source.parameters, source.symbols, source.launch, source.boxes
