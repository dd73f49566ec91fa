# SPDX-License-Identifier: MIT
"""The doctor's report on the terminal."""

from __future__ import annotations

import contextlib

from rich.console import Console
from rich.text import Text
from tracea_core.diagnose import DoctorReport, diagnose
from tracea_core.diagnose.report import named
from tracea_core.errors import TraceaError
from tracea_core.plugin.manifest import Finding, Severity

_COLOUR = {Severity.OK: "green", Severity.INFO: "cyan", Severity.WARNING: "yellow", Severity.ERROR: "red"}


def report(as_json: bool, console: Console, measure: bool = False) -> None:
    """Diagnose this installation, measure its devices if asked to, and print what was found."""
    waiting = Console(stderr=True)
    with waiting.status("looking at this machine") if not as_json else contextlib.nullcontext():
        found = diagnose()
    if measure:
        found = _measured(found, waiting)
    if as_json:
        print(found.to_json())
        return
    for line in found.describe().splitlines():
        text = Text(line)
        for severity, colour in _COLOUR.items():
            text.highlight_regex(rf"\[{severity.value}\]", colour)
        if line and not line.startswith(" ") and line.endswith(":"):
            text.stylize("bold")
        console.print(text, soft_wrap=True)


def _measured(found: DoctorReport, waiting: Console) -> DoctorReport:
    """Return the report with the rates of each device, or a finding that says why there are none."""
    from tracea_core.pipeline.rates import measure_rates

    rates, findings = {}, []
    for target in found.devices:
        with waiting.status(f"measuring {named(target)}"):
            try:
                rates[named(target)] = measure_rates(target)
            except TraceaError as error:
                findings.append(Finding(Severity.WARNING, f"rates of {named(target)}", error.message, error.hint or ""))
    return found.replace(rates=rates, findings=(*findings, *found.findings))
