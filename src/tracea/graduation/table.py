# SPDX-License-Identifier: MIT
"""The graduation as a table for the terminal."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from tracea.graduation.rounds import OURS
from tracea.graduation.run import NOISE, Report


def show(report: Report, console: Console) -> None:
    """Print one table for each round, with all contestants, and the verdicts."""
    console.print(
        f"[bold]{report.device}[/bold], {report.threads} threads, {report.clock_mhz:.0f} MHz, {report.system}"
    )
    console.print(", ".join(f"{name} {version}" for name, version in report.versions))
    if report.note:
        console.print(f"[yellow]{report.note}[/yellow]")
    for name in report.rounds:
        rows = [row for row in report.rows if row.round == name]
        peers = [timing.name for timing in rows[0].timings if timing.name not in (OURS, NOISE)]
        table = Table(
            title=f"{name}: {report.verdict(name):.2f}× the fastest peer (geometric mean)", title_justify="left"
        )
        table.add_column("work")
        for contestant in (OURS, *peers):
            table.add_column(f"{contestant}\nGFLOP/s", justify="right")
        for heading in ("± %", "ratio", "noise", "error\nbounds"):
            table.add_column(heading, justify="right")
        for row in rows:
            ours = next(timing.measurement for timing in row.timings if timing.name == OURS)
            colour = "green" if row.ratio >= 1 else "red"
            table.add_row(
                row.name,
                *(f"{row.gflops(contestant):.0f}" for contestant in (OURS, *peers)),
                f"{100 * ours.spread:.1f}",
                f"[{colour}]{row.ratio:.2f}[/{colour}]",
                f"{row.noise:.2f}",
                f"{dict(row.errors)[OURS]:.2f}",
            )
        console.print(table)
    console.print("ratio: time of the fastest peer over tracea's, measured in turns; noise: tracea against itself")
