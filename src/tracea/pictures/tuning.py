# SPDX-License-Identifier: MIT
"""The tuning landscape: every measured configuration by time, and the best time over the two tile extents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tracea_core.policy.config import PipelineConfig
from tracea_core.tuner.record import Record

from tracea.pictures.palette import on, scale
from tracea.pictures.section import Section, row, seconds, table
from tracea.pictures.svg import Drawing

_LEFT, _TOP, _WIDTH, _HEIGHT = 66.0, 34.0, 420.0, 290.0


def tuning_section(records: Sequence[Record], chosen: PipelineConfig, executable: bool) -> Section:
    """Return what was measured for this class of problems; nothing can be on a target that is not `executable`."""
    times = {record.configuration: record.measurement for record in records if record.measurement is not None}
    failed = sum(record.measurement is None for record in records)
    if not times:
        words = "Nothing has been measured for this problem class on this hardware; <code>tracea tune</code> measures."
        if not executable:
            words = "The target is a published profile, not a device: there is nothing to measure."
        return Section("tuning", "Tuning landscape", words, "")
    ranked = sorted(times.items(), key=lambda item: item[1].seconds)
    best = ranked[0][1].seconds
    lead = (
        f"{len(times)} configurations measured, {failed} failed; the fastest takes {seconds(best)}, the median "
        f"{ranked[len(ranked) // 2][1].seconds / best:.2f} times as long. Left: all of them by rank, with the interval of the "
        "median. Right: the best time for each tile, bright is fast."
    )
    points = [(configuration, m.seconds, m.low, m.high) for configuration, m in ranked]
    body = row(_ranks(points, chosen), _heat(points))
    shown = [(c.describe(), seconds(s), f"{s / best:.2f}×") for c, s, _, _ in points[:8]]
    body += table(("configuration", "time|", "over the best|"), shown, chosen=0)
    return Section("tuning", "Tuning landscape", lead, body)


_Point = tuple[PipelineConfig, float, float, float]


def _ranks(points: Sequence[_Point], chosen: PipelineConfig) -> Drawing:
    picture = Drawing(_LEFT + _WIDTH + 14, _TOP + _HEIGHT + 42, "Measured times by rank")
    low, high = math.log(points[0][1] * 0.97), math.log(max(p[1] for p in points) * 1.03)

    def place(index: int, value: float) -> tuple[float, float]:
        across = (index + 0.5) / len(points) * _WIDTH
        return _LEFT + across, _TOP + (high - min(max(math.log(value), low), high)) / (high - low) * _HEIGHT

    factor, best = 1.0, points[0][1]
    while math.log(best * factor) <= high:
        _, y = place(0, best * factor)
        picture.line([(_LEFT, y), (_LEFT + _WIDTH, y)], "line", weight=0.7)
        picture.text(_LEFT - 7, y + 4, seconds(best * factor), size=10, anchor="end", fill="faint")
        factor *= 1.25 if high - low < 1.2 else 2.0
    for index, (configuration, value, least, most) in enumerate(points):
        x, y = place(index, value)
        if len(points) <= 150:
            picture.line([(x, place(index, least)[1]), (x, place(index, most)[1])], "faint", weight=1, opacity=0.6)
        mine = configuration == chosen
        tip = f"{configuration.describe()}: {seconds(value)}"
        picture.dot(x, y, 5 if mine else 3, "c4" if mine else "c0", tip=tip)
    picture.text(
        _LEFT + _WIDTH / 2, _TOP + _HEIGHT + 18, "configurations, fastest first", anchor="middle", fill="faint"
    )
    picture.legend(_LEFT, _TOP + _HEIGHT + 36, [("c4", "in use"), ("c0", "measured")])
    return picture


def _heat(points: Sequence[_Point]) -> Drawing:
    """The best time for each (tile_m, tile_n), relative to the best of all."""
    heights = sorted({c.tile_m for c, *_ in points})
    widths = sorted({c.tile_n for c, *_ in points})
    best: dict[tuple[int, int], float] = {}
    for configuration, value, _, _ in points:
        place = (configuration.tile_m, configuration.tile_n)
        best[place] = min(best.get(place, math.inf), value)
    fastest = min(best.values())
    cell = (min(_WIDTH / len(widths), 64.0), min(_HEIGHT / len(heights), 40.0))
    picture = Drawing(_LEFT + _WIDTH + 14, _TOP + _HEIGHT + 42, "Best time for each tile")
    for i, height in enumerate(heights):
        y = _TOP + i * cell[1]
        picture.text(_LEFT - 7, y + cell[1] / 2 + 4, height, size=10, anchor="end", fill="faint")
        for j, width in enumerate(widths):
            x = _LEFT + j * cell[0]
            found = best.get((height, width))
            if found is None:
                picture.rect(x + 1, y + 1, cell[0] - 2, cell[1] - 2, "wash")
                continue
            colour = scale(1 - min(math.log2(found / fastest) / 1.5, 1.0))
            tip = f"{height} × {width}: {seconds(found)}, {found / fastest:.2f} times the best"
            picture.rect(x + 1, y + 1, cell[0] - 2, cell[1] - 2, colour, radius=2, tip=tip)
            if cell[0] > 26 and cell[1] > 14:
                picture.text(
                    x + cell[0] / 2,
                    y + cell[1] / 2 + 4,
                    f"{found / fastest:.2f}",
                    size=10,
                    anchor="middle",
                    fill=on(colour),
                )
    for j, width in enumerate(widths):
        picture.text(_LEFT + (j + 0.5) * cell[0], _TOP - 7, width, size=10, anchor="middle", fill="faint")
    picture.text(12, _TOP + len(heights) * cell[1] / 2, "tile_m", anchor="middle", fill="faint", turn=-90)
    picture.text(_LEFT + len(widths) * cell[0] / 2, 10, "tile_n", anchor="middle", fill="faint")
    return picture
