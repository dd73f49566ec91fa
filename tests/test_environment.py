# SPDX-License-Identifier: MIT
"""Every environment variable that the sources read is known to the doctor and stands on its page, and no other does."""

from __future__ import annotations

import re
from pathlib import Path

from tracea_core.diagnose.variables import KNOWN, examine_variables

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(r"""["'`](TRACEA_[A-Z_]+)["'`]""")


def test_what_is_read_is_known_and_documented() -> None:
    sources = [*ROOT.glob("src/**/*.py"), *ROOT.glob("packages/*/src/**/*.py")]
    aside = ROOT / "packages/tracea-core/src/tracea_core/diagnose/variables.py"
    assert aside in sources and len(sources) > 300
    read = {name for path in sources if path != aside for name in NAME.findall(path.read_text("utf-8"))}
    page = set(NAME.findall((ROOT / "docs/environment.md").read_text("utf-8")))
    assert read == page == set(KNOWN)


def test_the_doctor_has_nothing_against_them() -> None:
    variables, findings = examine_variables([], 2, {**dict.fromkeys(KNOWN, "1"), "TRACEA_PLUGINS": ""})
    assert {variable.name for variable in variables} == set(KNOWN) and all(v.meaning for v in variables)
    assert not findings
    _, (finding,) = examine_variables([], 2, {"TRACEA_VERBOS": "1"})
    assert "TRACEA_VERBOSE" in finding.hint
