# SPDX-License-Identifier: MIT
"""Frozen data: strict decoding, equal text for equal values."""

import pytest
from tracea_core.data import Data
from tracea_core.errors import MalformedDataError, OptionError


class Point(Data, frozen=True):
    x: int
    y: float = 0.0
    names: tuple[str, ...] = ()

    def __post_init__(self):
        if self.x < 0:
            raise OptionError("x must not be negative")


def test_round_trip_and_digest():
    point = Point(3, 0.1, ("a", "b"))
    again = Point.from_json(point.to_json())
    assert again == point
    assert hash(again) == hash(point)
    assert len(point.digest()) == 64
    assert point.digest() == again.digest() != point.replace(x=4).digest()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        '{"y": 1}',
        '{"x": "3"}',
        '{"x": 1.5}',
        '{"x": 1, "z": 2}',
        '{"x": -1}',
        '{"x": 1, "names": [1]}',
        b"\xff\xfe",
    ],
)
def test_anything_else_is_malformed(text):
    with pytest.raises(MalformedDataError, match="Point"):
        Point.from_json(text)


def test_values_are_frozen_and_replace_validates():
    point = Point(1)
    with pytest.raises(AttributeError):
        point.x = 2
    with pytest.raises(OptionError):
        point.replace(x=-1)
