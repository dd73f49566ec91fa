# SPDX-License-Identifier: MIT
"""The layers of one call, from problem to source, as values, text or JSON; and the proof of what such a JSON says."""

from __future__ import annotations

from collections.abc import Sequence

from tracea_core.data import Data
from tracea_core.doctor.choose import Choice
from tracea_core.emit.source import KernelSource
from tracea_core.ops.problem import Problem
from tracea_core.pipeline import Path, trace
from tracea_core.pipeline.configure import Configured, store, store_key
from tracea_core.pipeline.passes import Pass
from tracea_core.policy.arrangement import Arrangement
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.show import show
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify
from tracea_core.target import Target
from tracea_core.tuner.record import Record

_SOURCE_LINES = 40


class Explanation(Data, frozen=True, kw_only=True):
    """Every stage of one call. `source` is None where the backend prints no kernels of this family.

    `arrangement` says of which kernels the plan consists, `considered` lists all that were possible, the fastest by estimate first; the
    stages from `configuration` on are those of the contraction, `before` and `after` are the other kernels.
    """

    problem: Problem
    target: Target
    choice: Choice
    configuration: Configured
    tile_graph: str
    kernel: SemanticKernel
    certificate: Certificate
    source: KernelSource | None = None
    arrangement: Arrangement | None = None
    considered: tuple[Arrangement, ...] = ()
    before: tuple[Pass, ...] = ()
    after: tuple[Pass, ...] = ()

    def layers(self) -> tuple[tuple[str, str], ...]:
        """Return (layer, text) for every stage, in order."""
        return (
            ("Problem", _problem_text(self.problem)),
            ("Target", _target_text(self.target)),
            ("Choice", self.choice.describe()),
            ("Arrangement", self._arrangement_text()),
            ("Configuration", _configuration_text(self.configuration)),
            ("Tile graph", self.tile_graph),
            ("Semantic kernel", show(self.kernel)),
            ("Certificate", self.certificate.describe()),
            ("Source", self._source_text()),
        )

    def __str__(self) -> str:
        """Return all layers as text."""
        return "\n\n".join(f"== {title} ==\n{text}" for title, text in self.layers())

    def prove(self) -> Certificate:
        """Prove the kernel again, against the meaning of the problem and the target's limits; nothing stored is trusted.

        Raises
        ------
        CertificationError
            If a proof fails.
        """
        for one in (*self.before, *self.after):
            certify(one.kernel, one.lowered.form, self.target.profile)
        return certify(self.kernel, lower_any(self.choice.problem, self.choice.variant).form, self.target.profile)

    def to_html(self, measurements: Sequence[Record] | None = None) -> str:
        """Return a self-contained page that shows every stage as a picture (`tracea.pictures`).

        Parameters
        ----------
        measurements : sequence of Record, optional
            What the tuning landscape shows; by default what this machine has measured for the problem's class.
        """
        from tracea.pictures import html_page

        return html_page(self, measured_for(self) if measurements is None else measurements)

    def _arrangement_text(self) -> str:
        if self.arrangement is None:
            return "one kernel"
        lines = [self.arrangement.describe()]
        lines += [f"  before: {one.kernel.name}: {one.purpose}" for one in self.before]
        lines += [f"  after: {one.kernel.name}: {one.purpose}" for one in self.after]
        lines += [f"  rejected: {other.describe()}" for other in self.considered if other != self.arrangement]
        return "\n".join(lines)

    def _source_text(self) -> str:
        if self.source is None:
            family, backend = self.choice.variant.family, self.target.backend
            return f"the backend {backend!r} prints no {family} kernels in this version; the path ends here, with a certified schedule"
        lines = self.source.text.splitlines()
        size = f"{len(lines)} lines, {len(self.source.text.encode())} bytes"
        head = f"{self.source.language}, {size}, digest {self.source.text_digest}"
        more = len(lines) - _SOURCE_LINES
        rest = (f"… {more} more lines: tracea emit",) if more > 0 else ()
        return "\n".join((head, *lines[:_SOURCE_LINES], *rest))


def explain_op(
    problem: Problem,
    device: str | None = None,
    backend: str | None = None,
    preset: str | None = None,
    configuration: PipelineConfig | None = None,
) -> Explanation:
    """Walk one call through the layers.

    Parameters
    ----------
    problem : Problem
        What is computed.
    device, backend, preset : str, optional
        Where, such as ``cpu`` or the preset ``h200``; by default what a call would use.
    configuration : PipelineConfig, optional
        Use this one instead of choosing.

    Raises
    ------
    TraceaError
        As `tracea_core.pipeline.trace`.

    Examples
    --------
    >>> from tracea_core.ops.problem import Problem
    >>> from tracea_core.ops.spec import TensorSpec
    >>> from tracea import DType, GemmOp
    >>> t = TensorSpec.contiguous
    >>> problem = Problem(GemmOp(4, 6, 5), (t((4, 5), DType.FP32), t((5, 6), DType.FP32)), t((4, 6), DType.FP32))
    >>> [title for title, text in explain_op(problem, "cpu").layers()][:3]
    ['Problem', 'Target', 'Choice']
    """
    return explanation(trace(problem, device, backend, preset, configuration))


def explanation(path: Path) -> Explanation:
    """Return the explanation of a path that has been walked."""
    return Explanation(
        problem=path.problem,
        target=path.target,
        choice=path.choice,
        configuration=path.configured,
        tile_graph=path.tile_graph().describe(),
        kernel=path.kernel,
        certificate=path.certificate,
        source=path.source,
        arrangement=path.arrangement,
        considered=path.considered,
        before=path.before,
        after=path.after,
    )


def measured_for(explained: Explanation) -> tuple[Record, ...]:
    """Return what this machine has measured for the problem's class with today's tools; nothing for a preset."""
    if not explained.target.executable:
        return ()
    return store().records(store_key(explained.choice, lower_any(explained.choice.problem, explained.choice.variant)))


def _problem_text(problem: Problem) -> str:
    inputs = (f"input {i}: {s.shape} {s.dtype.value}, strides {s.strides}" for i, s in enumerate(problem.inputs))
    operands = (
        f"epilogue operand {operand.name}: {s.shape} {s.dtype.value}, one per {operand.axes.value}"
        for operand, s in zip(problem.epilogue.operands, problem.epilogue_inputs, strict=True)
    )
    output = problem.output
    return "\n".join(
        (
            str(problem.op),
            *inputs,
            f"output: {output.shape} {output.dtype.value}, strides {output.strides}",
            f"epilogue: {problem.epilogue.describe() or 'none'}",
            *operands,
            f"{problem.flops() / 1e9:.4g} GFLOP, {problem.op.bytes() / 1e6:.4g} MB at least",
        )
    )


def _target_text(target: Target) -> str:
    profile = target.profile
    where = f"{profile.name}, {profile.arch}, {profile.processors} processors, {profile.lanes} lanes"
    return f"{target.device} through {target.backend}: {where}\nsource: {profile.source}"


def _configuration_text(configured: Configured) -> str:
    return f"{configured.configuration.describe()} ({configured.origin.value})\n{configured.decision.describe()}"
