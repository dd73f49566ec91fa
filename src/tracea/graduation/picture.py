# SPDX-License-Identifier: MIT
"""The graduation as a picture: one bar for each bout, its length the speed relative to the fastest peer."""

from __future__ import annotations

from pathlib import Path

from tracea_core.errors import TraceaError

from tracea.graduation.run import Report

_AHEAD, _BEHIND, _LINE = "#1b7f5c", "#b9541a", "#444444"


def draw(report: Report, path: Path) -> None:
    """Write the picture as PNG.

    Raises
    ------
    TraceaError
        If matplotlib is not installed.
    """
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError as error:
        raise TraceaError("the picture needs matplotlib", hint="pip install tracea[bench]") from error
    rows = report.rows
    figure, axes = pyplot.subplots(figsize=(9.5, 1.8 + 0.36 * len(rows)), layout="constrained")
    labels = [f"{row.name}" for row in rows]
    places = list(range(len(rows)))
    colours = [_AHEAD if row.ratio >= 1 else _BEHIND for row in rows]
    axes.barh(places, [row.ratio for row in rows], color=colours, height=0.62)
    for place, row in zip(places, rows, strict=True):
        text = f"{row.ratio:.2f}×   {row.gflops('tracea'):.0f} against {row.gflops(row.best_peer):.0f} GFLOP/s ({row.best_peer})"
        axes.text(row.ratio + 0.02, place, text, va="center", fontsize=8, color=_LINE)
    axes.axvline(1, color=_LINE, linewidth=1, linestyle="--")
    axes.set_yticks(places, labels, fontsize=8)
    axes.invert_yaxis()
    axes.set_xlim(0, 1.55 * max([1.0, *(row.ratio for row in rows)]))
    axes.set_xlabel("speed relative to the fastest peer (right of the dashed line: tracea is faster)")
    for name in report.rounds:
        first = next(index for index, row in enumerate(rows) if row.round == name)
        if first:
            axes.axhline(first - 0.5, color="#cccccc", linewidth=0.8)
        axes.text(1.0, first - 0.42, f"{name}: {report.verdict(name):.2f}× ", transform=axes.get_yaxis_transform(),
                  ha="right", va="top", fontsize=8, fontweight="bold", color=_LINE)  # fmt: skip
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.set_title(
        f"tracea graduation on {report.device}, {report.threads} threads, fp32\n"
        + ", ".join(f"{name} {version}" for name, version in report.versions if name in ("tracea", "torch", "numpy")),
        fontsize=10,
        loc="left",
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)
