# SPDX-License-Identifier: MIT
"""The graduation as a picture: one bar for each bout, its length the speed relative to the fastest peer."""

from __future__ import annotations

from pathlib import Path

from tracea_core.errors import TraceaError

from tracea.graduation.run import Report, Row

_AHEAD, _EVEN, _BEHIND = "#1b7f5c", "#8a8f98", "#c2622d"
_TEXT, _FAINT = "#30343b", "#d9dce1"
_ROW, _HEADING = 0.3, 0.42  # inches


def draw(report: Report, path: Path) -> None:
    """Write the picture as PNG.

    Green and orange bars are ahead and behind by more than the intervals of both times; grey ones are not, or were unsteady. The thin
    line is the interval.

    Raises
    ------
    TraceaError
        If matplotlib is not installed.
    """
    try:
        import matplotlib

        matplotlib.use("Agg")
        from matplotlib import pyplot
        from matplotlib.patheffects import withStroke
    except ImportError as error:
        raise TraceaError("the picture needs matplotlib", hint="pip install tracea[bench]") from error
    places, headings, depth = _places(report)
    figure, axes = pyplot.subplots(figsize=(10.5, 1.5 + depth), layout="constrained")
    right = 1.15 * max(
        [1.3, *(row.ratio for row in report.rows if row.steady)]
    )  # an unsteady bar may leave the picture
    for row, place in zip(report.rows, places, strict=True):
        axes.barh(place, row.ratio, color=_colour(row), height=0.72 * _ROW)
        axes.plot([row.low, row.high], [place, place], color=_TEXT, linewidth=1, alpha=0.6)
        axes.text(
            0.012 * right, place, _label(row), va="center", color="white", fontsize=8, fontweight="bold"
        ).set_path_effects([withStroke(linewidth=2.2, foreground=_colour(row))])
        rates = f"{row.gflops('tracea'):.3g} against {row.gflops(row.best_peer):.3g} GFLOP/s, {row.best_peer}"
        axes.text(1.015, place, rates, transform=axes.get_yaxis_transform(), va="center", fontsize=8, color=_TEXT)
    for name, place in headings:
        axes.axhline(place - 0.55 * _HEADING, color=_FAINT, linewidth=0.8)
        paper = {"facecolor": "white", "edgecolor": "none", "pad": 1.5}
        axes.text(
            0,
            place,
            f" {name}: {report.summary(name)}",
            va="center",
            fontweight="bold",
            color=_TEXT,
            bbox=paper,
            zorder=3,
        )
    axes.axvline(1, color=_TEXT, linewidth=1.2, linestyle=(0, (4, 3)))
    axes.set_yticks(places, [row.name for row in report.rows], fontsize=8.5)
    axes.set_ylim(depth + 0.1, -0.1)
    axes.set_xlim(0, right)
    axes.set_xlabel(
        f"speed relative to the fastest peer, {report.element} (right of the dashed line tracea is faster)", fontsize=9
    )
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    versions = ", ".join(
        f"{name} {version}" for name, version in report.versions if name in ("tracea", "torch", "numpy")
    )
    axes.set_title(
        f"tracea graduation: {report.device}, {report.processors}\n{versions}, {report.started[:10]}",
        fontsize=11,
        loc="left",
        color=_TEXT,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150)
    pyplot.close(figure)


def _label(row: Row) -> str:
    return f"{row.ratio:.2f}×" + ("" if row.steady else ", unsteady")


def _colour(row: Row) -> str:
    if not row.steady:
        return _EVEN
    return _AHEAD if row.low >= 1 else _BEHIND if row.high <= 1 else _EVEN


def _places(report: Report) -> tuple[list[float], list[tuple[str, float]], float]:
    """Return where each row and each round's heading stands, in inches from the top, and the whole depth."""
    places: list[float] = []
    headings: list[tuple[str, float]] = []
    depth = 0.0
    for index, row in enumerate(report.rows):
        if index == 0 or report.rows[index - 1].round != row.round:
            headings.append((row.round, depth + _HEADING / 2))
            depth += _HEADING
        places.append(depth + _ROW / 2)
        depth += _ROW
    return places, headings, depth
