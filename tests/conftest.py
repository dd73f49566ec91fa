# SPDX-License-Identifier: MIT
"""Comparison runs belong to no distribution, so the checkout must be importable for their tests; what tests of tables share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1]))

from benchmarks.device_turns import Clock


class Turns:
    """Every contestant of a table runs, and takes as long as `seconds` says of its name, or 1 s."""

    device = "cpu"

    def __init__(self, seconds: Mapping[str, float]) -> None:
        self.seconds = seconds

    def synchronize(self) -> None: ...

    def compare(self, calls: Mapping[str, Callable[[], Any]]) -> tuple[dict[str, float], Clock]:
        for call in calls.values():
            call()
        return {name: self.seconds.get(name, 1.0) for name in calls}, Clock(1500.0, 600.0)

    def host(self, calls: Mapping[str, Callable[[], Any]]) -> dict[str, float]:
        for call in calls.values():
            call()
        return dict.fromkeys(calls, 3.0)


@pytest.fixture
def turns() -> Callable[..., Any]:
    """What stands for a device's clock: made of seconds by name."""
    return Turns


@pytest.fixture
def options() -> Callable[..., argparse.Namespace]:
    """The options of a table on a device, as changed."""

    def made(**changes: Any) -> argparse.Namespace:
        given = {"device": "cpu", "quick": True, "only": "", "seconds": 60.0, "compile": False, "seed": 0}
        return argparse.Namespace(**{**given, **changes})

    return made
