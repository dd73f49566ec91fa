# SPDX-License-Identifier: MIT
"""The roofline: what the device could reach at the problem's arithmetic intensity, and what was measured.

S. Williams, A. Waterman, D. Patterson, *Roofline*, CACM 52(4), 2009: attainable = min(peak, intensity × bandwidth).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tracea_core.dtypes import DType
from tracea_core.ops.problem import Problem
from tracea_core.target import CapabilityProfile

from tracea.pictures.section import Section, rate, seconds
from tracea.pictures.svg import Drawing, escape

_LEFT, _TOP, _WIDTH, _HEIGHT = 86.0, 20.0, 900.0, 330.0
_CLEAR = 16.0  # from a line to the baseline of the words below it


@dataclass(frozen=True)
class Point:
    """A rate in GFLOP/s that is drawn at the problem's intensity."""

    name: str
    gflops: float
    fill: str


def attainable(profile: CapabilityProfile, dtype: DType, intensity: float) -> float:
    """Return the lower of peak and bandwidth limit in GFLOP/s; a limit that the profile does not state is none."""
    peak = profile.peak(dtype) or math.inf
    return min(peak, intensity * profile.memory_gbps if profile.memory_gbps else math.inf)


def roofline_section(
    problem: Problem, profile: CapabilityProfile, dtype: DType, predicted: float, measured: float | None
) -> Section:
    """Return the roofline of `profile` with the problem on it.

    Parameters
    ----------
    dtype : DType
        In which operands are multiplied.
    predicted, measured : float
        Seconds by the model, and by the best measurement of this problem class (None: never measured).
    """
    intensity = problem.flops() / max(problem.op.bytes(), 1)
    limit = attainable(profile, dtype, intensity)
    if not problem.flops() or not math.isfinite(limit):
        return Section(
            "roofline", "Roofline", "The profile states neither peak nor bandwidth, so there is no roof.", ""
        )
    points = [Point("limit", limit, "ink")]
    if predicted > 0:
        points.append(Point("model of this configuration", problem.flops() / predicted / 1e9, "c0"))
    if measured:
        points.append(Point("measured", problem.flops() / measured / 1e9, "c4"))
    bound = "memory" if limit < (profile.peak(dtype) or math.inf) else "arithmetic"
    lead = (
        f"{intensity:,.0f} FLOP per byte that must move: the limit is {bound}, {rate(limit)}, "
        f"{seconds(problem.flops() / limit / 1e9)} for a call. "
        + (f"The model expects {seconds(predicted)}, never a measurement. " if predicted > 0 else "")
        + (f"Measured on this machine: {seconds(measured)}." if measured else "Nothing has been measured for it here.")
    )
    return Section(
        "roofline",
        "Roofline",
        escape(lead),
        f'<div class="scroll">{_draw(profile, dtype, intensity, points).render()}</div>',
    )


def _draw(profile: CapabilityProfile, dtype: DType, intensity: float, points: list[Point]) -> Drawing:
    peak = profile.peak(dtype) or max(point.gflops for point in points)
    ridge = peak / profile.memory_gbps if profile.memory_gbps else intensity
    left = math.floor(math.log10(min(intensity, ridge) / 8))
    right = math.ceil(math.log10(max(intensity, ridge) * 4))
    low = math.floor(math.log10(min([peak, *(p.gflops for p in points)]) / 5))
    high = math.log10(peak) + 0.18
    picture = Drawing(_LEFT + _WIDTH + 20, _TOP + _HEIGHT + 44, "Roofline")

    def x(value: float) -> float:
        return _LEFT + (math.log10(value) - left) / (right - left) * _WIDTH

    def y(value: float) -> float:
        return _TOP + (high - math.log10(value)) / (high - low) * _HEIGHT

    for decade in range(left, right + 1):
        picture.line([(x(10**decade), _TOP), (x(10**decade), _TOP + _HEIGHT)], "line", weight=0.7)
        picture.text(x(10**decade), _TOP + _HEIGHT + 16, f"{10.0**decade:g}", size=10.5, anchor="middle", fill="faint")
    for level in (10.0**decade * digit for decade in range(low, math.floor(high) + 1) for digit in (1, 2, 5)):
        if math.log10(level) <= high:
            picture.line([(_LEFT, y(level)), (_LEFT + _WIDTH, y(level))], "line", weight=0.7)
            picture.text(_LEFT - 8, y(level) + 4, rate(level), size=10.5, anchor="end", fill="faint")
    picture.text(
        _LEFT + _WIDTH / 2, _TOP + _HEIGHT + 36, "FLOP per byte of memory traffic", anchor="middle", fill="faint"
    )
    roof = [(x(ridge), y(peak)), (x(10**right), y(peak))]
    if profile.memory_gbps:
        start = max(10.0**left, 10.0**low / profile.memory_gbps)
        roof.insert(0, (x(start), y(start * profile.memory_gbps)))
    picture.line(roof, "accent", weight=2.5)
    picture.text(
        x(10**right) - 6, y(peak) - 8, f"peak {dtype.value} {rate(peak)}", anchor="end", fill="accent", bold=True
    )
    if profile.memory_gbps:
        half = math.sqrt(max(10.0**left, 10.0**low / profile.memory_gbps) * ridge)
        picture.text(x(half) - 12, y(half * profile.memory_gbps) - 10, f"memory {profile.memory_gbps:,.0f} GB/s",
                     anchor="end", fill="accent", bold=True)  # fmt: skip
    picture.line([(x(intensity), _TOP), (x(intensity), _TOP + _HEIGHT)], "faint", dash="4 4")
    for number, point in enumerate(points):
        tip = f"{point.name}: {rate(point.gflops)}"
        picture.dot(x(intensity), y(point.gflops), 5.5, point.fill, tip=tip)
        if number:
            side = -1 if x(intensity) > _LEFT + _WIDTH * 0.7 else 1
            below = max(y(point.gflops) + 4, y(peak) + _CLEAR)  # the roof would strike the words through
            picture.text(x(intensity) + side * 11, below + 14 * (number - 1), tip,
                         anchor="start" if side > 0 else "end")  # fmt: skip
    return picture
