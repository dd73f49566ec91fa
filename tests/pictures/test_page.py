# SPDX-License-Identifier: MIT
"""The page holds every picture, reads them off the kernel, escapes what it prints and asks for nothing from outside."""

from __future__ import annotations

import re
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path

import pytest
from tracea_core.errors import ConfigurationError, TraceaError
from tracea_core.tuner.record import Record

from tracea.cli.problems import make_problem
from tracea.cli.words import Words
from tracea.explanation import Explanation, explain_op
from tracea.pictures import page as pages
from tracea.pictures.svg import Drawing, escape

VOID = {"meta", "br", "rect", "polyline", "polygon", "circle", "path"}
CASES = {
    "hopper": (["matmul", [1024, 640, 256]], {"dtype": "bf16"}, "h200"),
    "hopper ragged": (["matmul", [100, 72, 24]], {"dtype": "bf16", "epilogue": "bias,gelu"}, "h200"),
    "warps": (["matmul", [300, 200, 256]], {"dtype": "bf16"}, "b200"),
    "waves": (["matmul", [512, 512, 512]], {"dtype": "fp16"}, "mi300x"),
    "lanes": (["matmul", [512, 512, 512]], {}, "a100"),
    "cpu": (["matmul", [70, 50, 33]], {"epilogue": "bias,gelu"}, None),
    "cpu, split k": (["matmul", [16, 16, 9000]], {}, None),
    "cpu, convolution": (["conv2d", [2, 8, 9, 9, 12, 3, 3]], {"padding": 1}, None),
    "cpu, linear int8": (["linear", [33, 20, 64]], {"dtype": "int8"}, None),
    "neon": (["linear", [64, 100, 30]], {}, "neon"),
}


def explained(name: str) -> Explanation:
    (op, dims), options, preset = CASES[name]
    return explain_op(make_problem(op, dims, Words(**options)), None if preset else "cpu", preset=preset)


class Balance(HTMLParser):
    """Whether every element that is opened is closed in its place."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.outside += [f"{tag} {name}={value}" for name, value in attributes if name in ("src", "xlink:href", "data")]
        self.outside += [f"{tag} {v}" for n, v in attributes if n == "href" and not (v or "").startswith("#")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        pass

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open and self.open.pop() == tag, f"</{tag}> closes nothing"


def faults(text: str) -> list[str]:
    """What is wrong with a page: elements that are not closed, and anything fetched from elsewhere."""
    parser = Balance()
    try:
        parser.feed(text)
    except AssertionError as error:
        return [str(error)]
    styles = "".join(re.findall(r"<style>(.*?)</style>", text, re.DOTALL))
    fetched = re.findall(r"url\([^)]*\)|@import[^;]*", styles)
    return [*(f"<{tag}> is never closed" for tag in parser.open), *parser.outside, *fetched]


@pytest.mark.parametrize("name", CASES)
def test_every_card_is_there_and_drawn(name: str) -> None:
    text = explained(name).to_html([])
    assert "could not be drawn" not in text
    assert faults(text) == []
    for key in (
        "choice",
        "configuration",
        "tiles",
        "pipeline",
        "banks",
        "lanes",
        "budgets",
        "roofline",
        "tuning",
        "certificate",
    ):
        assert f'<section id="{key}">' in text and f'href="#{key}"' in text
    assert text.count("<svg") >= 6


@pytest.mark.parametrize("name", CASES)
def test_bank_maps_show_what_is_proved(name: str) -> None:
    """Reads of the kernel as it lies have no conflict; in rows of whole lines, without the swizzle, matrices would."""
    text = explained(name).to_html([])
    verdicts = re.findall(r"(as the kernel lays it out|without a swizzle): ([^<]*)<", text)
    own = [verdict for title, verdict in verdicts if title.startswith("as")]
    assert bool(own) is not ("cpu" in name or name == "neon") and set(own) <= {"no conflict"}
    assert all("cycles instead of 1" in verdict for title, verdict in verdicts if title.startswith("without"))


@pytest.mark.parametrize("name", CASES)
def test_every_variant_is_listed_once(name: str) -> None:
    text = explained(name).to_html([])
    (card,) = re.findall(r'<section id="choice">(.*?)</section>', text, re.DOTALL)
    rows = re.findall(r"<tr[^>]*><td>([^<]*)</td>", card)
    assert len(rows) == len(set(rows)) > 1


@pytest.mark.parametrize(
    "text",
    [
        "<p><b>x</p></b>",
        "<div>",
        '<img src="x.png">',
        '<a href="https://example.org">x</a>',
        "<style>a{b:url(c)}</style>",
    ],
)
def test_planted_faults_of_a_page_are_seen(text: str) -> None:
    assert faults(text)


def test_a_page_can_be_made_from_stored_json() -> None:
    first = explained("hopper")
    again = Explanation.from_json(first.to_json())
    without_numbers = [re.sub(r"picture\d+", "", made.to_html([])) for made in (first, again)]
    assert without_numbers[0] == without_numbers[1]


def test_measurements_make_a_landscape(measured: Callable[[Explanation], list[Record]]) -> None:
    made = explained("cpu")
    text = made.to_html(measured(made))
    assert "Measured times by rank" in text and "Best time for each tile" in text and "1 failed" in text
    assert "measured</dt><dd>1 ms" in text and "could not be drawn" not in text and faults(text) == []


def test_one_picture_that_fails_costs_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ConfigurationError("planted <fault>")

    monkeypatch.setattr(pages, "lanes_section", fail)
    text = explained("cpu").to_html([])
    assert "could not be drawn: planted &lt;fault&gt;" in text and text.count("could not be drawn") == 1
    assert '<section id="budgets">' in text


def test_the_command_writes_the_page(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from tracea.cli.app import app

    file = tmp_path / "x.html"
    done = CliRunner().invoke(app, ["explain", "matmul", "64", "64", "64", "--html", str(file)])
    assert done.exit_code == 0 and str(file) in done.output.replace("\n", "")
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")
    failed = CliRunner().invoke(app, ["explain", "matmul", "64", "64", "64", "--html", str(tmp_path / "no" / "x.html")])
    assert isinstance(failed.exception, TraceaError) and "cannot be written" in str(failed.exception)


def test_text_in_pictures_is_escaped() -> None:
    picture = Drawing(10, 10, "a <b>")
    picture.text(1, 2, '<script>"&')
    picture.rect(0, 0, 1, 1, "c0", tip="x < y & z")
    text = picture.render()
    assert (
        "<script>" not in text and escape('<script>"&') in text and "x &lt; y &amp; z" in text and "a &lt;b&gt;" in text
    )
