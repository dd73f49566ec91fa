# SPDX-License-Identifier: MIT
"""The doctor's report on the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text
from tracea_core.diagnose import diagnose
from tracea_core.plugin.manifest import Severity

_COLOUR = {Severity.OK: "green", Severity.INFO: "cyan", Severity.WARNING: "yellow", Severity.ERROR: "red"}


def report(as_json: bool, console: Console) -> None:
    """Diagnose this installation and print what was found."""
    if as_json:
        print(diagnose().to_json())
        return
    with Console(stderr=True).status("looking at this machine"):
        found = diagnose()
    for line in found.describe().splitlines():
        text = Text(line)
        for severity, colour in _COLOUR.items():
            text.highlight_regex(rf"\[{severity.value}\]", colour)
        if line and not line.startswith(" ") and line.endswith(":"):
            text.stylize("bold")
        console.print(text, soft_wrap=True)
