# SPDX-License-Identifier: MIT
"""Frozen data: strict decoding, equal text for equal values."""

import subprocess
import sys

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


AT_ONCE = """
import sys, threading, types
from tracea_core.data import Data

sys.setswitchinterval(1e-6)
CLASSES = (
    "class Leaf(Data, frozen=True):\\n    a: 'int'\\n    b: 'tuple[str, ...]' = ()\\n"
    "class Node(Data, frozen=True):\\n    leaf: 'Leaf'\\n    more: 'tuple[Leaf, ...]' = ()\\n    n: 'dict[str, int]' = {}\\n"
)
for number in range(60):
    module = sys.modules[f"made{number}"] = types.ModuleType(f"made{number}")
    module.Data = Data
    exec(CLASSES, vars(module))
    begin = threading.Barrier(4)

    def decode():
        begin.wait()
        assert module.Node.from_json('{"leaf":{"a":1},"more":[{"a":2}]}').more[0].a == 2

    threads = [threading.Thread(target=decode) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
print("alive")
"""


def test_threads_may_decode_a_class_for_the_first_time_at_once():
    command = [sys.executable, "-X", "faulthandler", "-c", AT_ONCE]  # a fault here ends the process
    result = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert result.returncode == 0 and result.stdout.strip() == "alive", result.stderr
