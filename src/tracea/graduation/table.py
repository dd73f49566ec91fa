# SPDX-License-Identifier: MIT
"""The graduation as a table for the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from tracea.graduation.rounds import OURS
from tracea.graduation.run import Report, Row

_LEGEND = """GFLOP/s from median times ± half their 95 % interval, all contestants measured in turns.
Ratio: time of the fastest peer over tracea's; green or red beyond the interval, yellow where the bout was unsteady.
Noise: a contestant against itself. Error: the share that tracea used of its bound around the float64 result."""


def show(report: Report, console: Console) -> None:
    """Print one table for each round, with all contestants, and the verdicts."""
    console.print(f"[bold]{report.device}[/bold], {report.processors}, {report.clock_mhz:.0f} MHz, {report.system}")
    console.print(", ".join(f"{name} {version}" for name, version in report.versions))
    for note in report.notes:
        console.print(f"[yellow]{note}[/yellow]")
    for name in report.rounds:
        rows = [row for row in report.rows if row.round == name]
        peers = rows[0].peers
        title = f"{name}, speed over the fastest peer's, geometric mean: {report.summary(name)}"
        table = Table(title=title, title_justify="left")
        table.add_column("work")
        for contestant in (OURS, *peers):
            table.add_column(f"{contestant}\nGFLOP/s", justify="right")
        for heading in ("ratio", "interval", "noise", "noise of\npeer", "error\nbounds"):
            table.add_column(heading, justify="right")
        for row in rows:
            colour = "yellow" if not row.steady else "green" if row.low >= 1 else "red" if row.high <= 1 else "white"
            table.add_row(
                row.name,
                *(_rate(row, contestant) for contestant in (OURS, *peers)),
                f"[bold {colour}]{row.ratio:.2f}[/bold {colour}]",
                f"{row.low:.2f}–{row.high:.2f}",
                f"{row.noise:.2f}",
                f"{row.peer_noise:.2f}",
                f"{dict(row.errors)[OURS]:.2f}",
            )
        console.print(table)
    console.print(_LEGEND)


def _rate(row: Row, contestant: str) -> str:
    measurement = row.measurement(contestant)
    return f"{row.gflops(contestant):.{0 if row.gflops(contestant) >= 10 else 1}f} ±{100 * measurement.spread:.0f}%"
