# SPDX-License-Identifier: MIT
"""The page: a head with the figures that matter, then one card per picture; a picture that fails says why in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tracea_core.errors import TraceaError
from tracea_core.policy.engine import PolicyEngine
from tracea_core.policy.model import predict_seconds
from tracea_core.policy.topology import topology_of
from tracea_core.semantic.build.schedules import launch_symbols
from tracea_core.semantic.forms import lower_any
from tracea_core.semantic.show import show
from tracea_core.semantic.timeline import pace_of
from tracea_core.tuner.record import Record

from tracea.pictures.banks import banks_section
from tracea.pictures.budgets import budgets_section
from tracea.pictures.choice import certificate_section, choice_section, configuration_section
from tracea.pictures.lanes import lanes_section
from tracea.pictures.pipeline import pipeline_section
from tracea.pictures.roofline import attainable, roofline_section
from tracea.pictures.section import Section, counted, folded, rate, seconds, size
from tracea.pictures.style import STYLE
from tracea.pictures.svg import escape
from tracea.pictures.tiles import tiles_section
from tracea.pictures.tuning import tuning_section
from tracea.pictures.visits import visits

if TYPE_CHECKING:
    from tracea.explanation import Explanation


def html_page(explained: Explanation, records: Sequence[Record]) -> str:
    """Return the HTML of an explanation.

    Parameters
    ----------
    explained : Explanation
        Every stage of one call.
    records : sequence of Record
        Measurements of this problem class, if there are any.
    """
    context = _Context(explained, records)
    sections = [_safely(key, title, draw) for key, title, draw in context.sections()]
    title = f"{context.words} on {explained.target.profile.name}"
    links = "".join(f'<a href="#{section.key}">{escape(section.title)}</a>' for section in sections)
    figures = "".join(
        f"<div><dt>{escape(name)}</dt><dd>{escape(value)} <small>{escape(note)}</small></dd></div>"
        for name, value, note in context.figures()
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body><header><h1>{escape(title)}</h1>"
        f'<div class="lead"><code>{escape(explained.kernel.name)}</code></div>'
        f'<dl class="figures">{figures}</dl><nav>{links}</nav></header>\n<main>'
        + "\n".join(section.render() for section in sections)
        + f"</main>\n<footer>Drawn by tracea {_version()} from the semantic kernel with digest "
        f"<code>{explained.certificate.kernel}</code>. This page holds everything it shows.</footer></body></html>\n"
    )


class _Context:
    """What several pictures need, worked out once."""

    def __init__(self, explained: Explanation, records: Sequence[Record]) -> None:
        self.explained, self.records = explained, records
        self.problem = explained.choice.problem
        self.profile = explained.target.profile
        self.config = explained.configuration.configuration
        variant = explained.choice.variant
        self.lowered, self.operator = lower_any(self.problem, variant), topology_of(self.problem, variant)
        self.values = launch_symbols(self.lowered, self.config, self.profile, variant.schedule)
        self.operand = self.problem.inputs[0].dtype
        self.predicted = predict_seconds(self.config, self.profile, self.operator)
        times = [r.measurement.seconds for r in records if r.measurement and r.configuration == self.config]
        self.measured = times[-1] if times else None

    @property
    def words(self) -> str:
        """The call in words, such as ``matmul 512×512×512 fp32``."""
        return self.explained.configuration.decision.operator

    def figures(self) -> list[tuple[str, str, str]]:
        """Return (name, value, note) of the figures at the head."""
        flops, moved = self.problem.flops(), self.problem.op.bytes()
        limit = attainable(self.profile, self.operand, flops / max(moved, 1))
        time = self.measured or self.predicted
        found = [
            ("work", f"{flops / 1e9:.4g} GFLOP", f"{size(moved)} at least"),
            ("limit of the device", rate(limit) if limit < float("inf") else "unknown", self.operand.value),
            ("variant", self.explained.choice.variant.name.rsplit(".", 1)[-1], self.explained.target.backend),
            (
                "tile",
                f"{self.config.tile_m}×{self.config.tile_n}×{self.config.tile_k}",
                counted(self.config.stages, "stage"),
            ),
            ("certificate", f"{len(self.explained.certificate.proofs)} proofs", "all hold"),
        ]
        if time > 0:
            name = "measured" if self.measured else "model, not measured"
            found.insert(1, (name, seconds(time), rate(flops / time / 1e9)))
        return found

    def sections(self) -> list[tuple[str, str, Callable[[], Section]]]:
        """Return (key, title, what draws it) of every card in order."""
        explained, kernel, profile = self.explained, self.explained.kernel, self.profile
        return [
            ("choice", "Choice", lambda: choice_section(explained.choice)),
            (
                "configuration",
                "Configuration",
                lambda: configuration_section(explained.choice, explained.configuration),
            ),
            ("tiles", "Tile graph and order", self._tiles),
            (
                "pipeline",
                "Pipeline by role",
                lambda: pipeline_section(kernel, pace_of(profile, self.operand), self.values),
            ),
            ("banks", "Swizzle as a bank map", lambda: banks_section(kernel, profile)),
            ("lanes", "Lane map of the fragments", lambda: lanes_section(kernel)),
            ("budgets", "Budgets", lambda: budgets_section(kernel, profile, self.values)),
            (
                "roofline",
                "Roofline",
                lambda: roofline_section(self.problem, profile, self.operand, self.predicted, self.measured),
            ),
            (
                "tuning",
                "Tuning landscape",
                lambda: tuning_section(self.records, self.config, explained.target.executable),
            ),
            ("certificate", "Certificate", lambda: certificate_section(explained.certificate)),
            ("text", "Text", self._text),
        ]

    def _tiles(self) -> Section:
        graph = PolicyEngine(self.profile).graph(self.operator, self.config)
        seen = visits(self.explained.kernel, graph, self.values, self.profile.processors)
        return tiles_section(graph, seen)

    def _text(self) -> Section:
        parts = [folded(title, text) for title, text in self.explained.layers() if title in ("Problem", "Target")]
        parts.append(folded("Semantic kernel", show(self.explained.kernel)))
        if self.explained.source is not None:
            parts.append(folded(f"Source, {self.explained.source.language}", self.explained.source.text))
        return Section("text", "Text", "The stages in words; the source in full.", "".join(parts))


def _safely(key: str, title: str, draw: Callable[[], Section]) -> Section:
    """Return the section, or one that says why it could not be drawn: one picture must not cost the others."""
    try:
        return draw()
    except TraceaError as error:
        return Section(key, title, f"This picture could not be drawn: {escape(error)}", "")


def _version() -> str:
    from tracea import __version__

    return __version__
