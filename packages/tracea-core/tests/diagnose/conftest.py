# SPDX-License-Identifier: MIT
"""What every report about something broken must be: readable back, in sections, with a finding that says what is broken."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from tracea_core.diagnose import DoctorReport
from tracea_core.plugin.manifest import Severity


def _says(report: DoctorReport, severity: Severity, subject: str, words: tuple[str, ...]) -> None:
    assert DoctorReport.from_json(report.to_json()) == report
    assert json.loads(report.to_json())["findings"]
    told = [f for f in report.findings if f.severity is severity and f.subject == subject]
    assert any(all(word in f"{f.message} {f.hint}" for word in words) for f in told), report.describe()
    text = report.describe()
    assert all(section in text for section in ("system", "findings", words[0]))


@pytest.fixture
def says() -> Callable[[DoctorReport, Severity, str, tuple[str, ...]], None]:
    """Return a check that a report is whole, and has a finding of a severity and subject with these words in message or hint."""
    return _says
