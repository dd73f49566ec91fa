# SPDX-License-Identifier: MIT
"""A few shapes of SVG, escaped and coloured by class, so that one stylesheet serves light and dark."""

from __future__ import annotations

import html
import itertools
from collections.abc import Sequence

_numbers = itertools.count()


def escape(text: object) -> str:
    """Return `text` as it may stand in HTML."""
    return html.escape(str(text), quote=True)


def number(value: float) -> str:
    """Return a coordinate with at most two decimals and no needless zeros."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("", "-0") else text


class Drawing:
    """An SVG picture that grows by calls; coordinates are in pixels of a `width` by `height` canvas.

    A `fill` or `stroke` is a class of the stylesheet (``c0`` … ``c7``, ``ink``, ``line``, …) or a colour that starts
    with ``#``. `tip` is shown when the pointer rests on the shape.
    """

    def __init__(self, width: float, height: float, title: str, description: str = "") -> None:
        self.width, self.height, self.title, self.description = width, height, title, description
        self._parts: list[str] = []
        self._cells: dict[str, list[str]] = {}

    def rect(
        self, x: float, y: float, width: float, height: float, fill: str, *,
        tip: str = "", radius: float = 0.0, opacity: float = 1.0, stroke: str = "",
    ) -> None:  # fmt: skip
        """Add a rectangle."""
        extra = f' rx="{number(radius)}"' if radius else ""
        extra += f' opacity="{number(opacity)}"' if opacity < 1 else ""
        box = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        self._shape("rect", f"{box}{extra}{_paint(fill, stroke)}", tip)

    def cell(self, x: float, y: float, width: float, height: float, fill: str) -> None:
        """Add a rectangle of a large grid: all of one colour become one path, without tips."""
        w, h = number(width), number(height)
        self._cells.setdefault(fill, []).append(f"M{number(x)} {number(y)}h{w}v{h}h-{w}z")

    def outline(self, x: float, y: float, width: float, height: float, stroke: str, weight: float = 1.5) -> None:
        """Add a frame."""
        self._settle()
        box = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        self._shape("rect", f'{box} fill="none" stroke-width="{number(weight)}"{_paint("", stroke)}', "")

    def line(
        self, points: Sequence[tuple[float, float]], stroke: str, *, weight: float = 1.0, dash: str = "",
        opacity: float = 1.0, arrow: bool = False, tip: str = "",
    ) -> None:  # fmt: skip
        """Add a line through `points`."""
        self._settle()
        places = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        extra = f' stroke-dasharray="{dash}"' if dash else ""
        extra += f' opacity="{number(opacity)}"' if opacity < 1 else ""
        self._shape(
            "polyline", f'points="{places}" fill="none" stroke-width="{number(weight)}"{extra}{_paint("", stroke)}', tip
        )
        if arrow and len(points) > 1:
            (x0, y0), (x1, y1) = points[-2], points[-1]
            length = max(((x1 - x0) ** 2 + (y1 - y0) ** 2) ** 0.5, 1e-9)
            dx, dy = (x1 - x0) / length * 5, (y1 - y0) / length * 5
            head = ((x1, y1), (x1 - dx - dy * 0.5, y1 - dy + dx * 0.5), (x1 - dx + dy * 0.5, y1 - dy - dx * 0.5))
            corners = " ".join(f"{number(x)},{number(y)}" for x, y in head)
            fade = f' opacity="{number(opacity)}"' if opacity < 1 else ""
            self._shape("polygon", f'points="{corners}"{fade}{_paint(stroke.replace("s-", ""), "")}', "")

    def dot(self, x: float, y: float, radius: float, fill: str, *, tip: str = "", opacity: float = 1.0) -> None:
        """Add a filled circle."""
        self._settle()
        fade = f' opacity="{number(opacity)}"' if opacity < 1 else ""
        self._shape("circle", f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"{fade}{_paint(fill, "")}', tip)

    def text(
        self, x: float, y: float, text: object, *, size: float = 11.0, anchor: str = "start", fill: str = "ink",
        bold: bool = False, turn: float = 0.0, mono: bool = False,
    ) -> None:  # fmt: skip
        """Add a line of text whose baseline starts (ends, is centred) at the point."""
        self._settle()
        extra = "" if anchor == "start" else f' text-anchor="{anchor}"'
        extra += ' font-weight="600"' if bold else ""
        extra += f' transform="rotate({number(turn)} {number(x)} {number(y)})"' if turn else ""
        extra += ' font-family="var(--mono)"' if mono else ""
        place = f'x="{number(x)}" y="{number(y)}" font-size="{number(size)}"'
        self._parts.append(f"<text {place}{extra}{_paint(fill, '')}>{escape(text)}</text>")

    def legend(self, x: float, y: float, entries: Sequence[tuple[str, str]]) -> None:
        """Add (fill, words) side by side with their left end at `x`, in further lines where the picture ends."""
        place = x
        for fill, words in entries:
            width = 26 + 6.4 * len(words)
            if place > x and place + width > self.width:
                place, y = x, y + 17
            self.rect(place, y - 9, 10, 10, fill, radius=2)
            self.text(place + 14, y, words, fill="faint")
            place += width

    def render(self) -> str:
        """Return the picture as an ``svg`` element."""
        self._settle()
        name = f"picture{next(_numbers)}"
        box = f"0 0 {number(self.width)} {number(self.height)}"
        head = f'<svg class="picture" viewBox="{box}" style="max-width:{number(self.width)}px" role="img"'
        label = f'<title id="{name}">{escape(self.title)}</title>'
        label += f"<desc>{escape(self.description)}</desc>" if self.description else ""
        return f'{head} aria-labelledby="{name}">{label}{"".join(self._parts)}</svg>'

    def _shape(self, element: str, attributes: str, tip: str) -> None:
        if element == "rect":
            self._settle()
        inside = f"<title>{escape(tip)}</title>" if tip else ""
        self._parts.append(f"<{element} {attributes}>{inside}</{element}>" if tip else f"<{element} {attributes}/>")

    def _settle(self) -> None:
        """Write the cells gathered so far, so that what is drawn later lies on top."""
        for fill, pieces in self._cells.items():
            self._parts.append(f'<path d="{"".join(pieces)}"{_paint(fill, "")}/>')
        self._cells = {}


def _paint(fill: str, stroke: str) -> str:
    """Return fill and stroke as attributes (colours) or classes (names of the stylesheet)."""
    words, attributes = [], ""
    for value, attribute, prefix in ((fill, "fill", ""), (stroke, "stroke", "s-")):
        if value.startswith("#"):
            attributes += f' {attribute}="{value}"'
        elif value:
            words.append(value if value.startswith(prefix) else prefix + value)
    return attributes + (f' class="{" ".join(words)}"' if words else "")
