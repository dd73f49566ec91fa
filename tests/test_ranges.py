# SPDX-License-Identifier: MIT
"""Launches are ranges where the environment asks for it: each call opens one, closes it, and computes what it computes without."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tracea import dispatch, ops


class Nvtx(SimpleNamespace):
    """An imitation of the package nvtx that remembers."""

    def __init__(self) -> None:
        self.events: list[str] = []
        super().__init__(push_range=self.events.append, pop_range=lambda: self.events.append("end"))


@pytest.fixture
def nvtx(monkeypatch: pytest.MonkeyPatch) -> Iterator[Nvtx]:
    """Ranges are on, and PyTorch is not loaded."""
    imitation: Any = Nvtx()
    monkeypatch.setitem(sys.modules, "nvtx", imitation)
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    monkeypatch.setenv("TRACEA_NVTX", "1")
    dispatch.forget_plans()
    yield imitation
    dispatch.forget_plans()


def test_every_call_is_a_range(nvtx: Nvtx) -> None:
    a, b = np.full((5, 7), 2, np.float32), np.ones((7, 3), np.float32)
    for _ in range(3):
        assert (ops.matmul(a, b) == 14).all()
    assert nvtx.events[1::2] == ["end"] * 3 and len(set(nvtx.events[::2])) == 1 and len(nvtx.events) == 6
    assert nvtx.events[0].startswith("tracea GemmOp 5x7 7x3 fp32: matmul_fp32")


def test_a_range_ends_whatever_happens(nvtx: Nvtx, monkeypatch: pytest.MonkeyPatch) -> None:
    from tracea.ranges import ranged

    problem: Any = SimpleNamespace(op=1, inputs=(SimpleNamespace(shape=(2,), dtype=SimpleNamespace(value="fp32")),))
    known: Any = SimpleNamespace(steps=())

    def broken(*pointers: int) -> None:
        raise RuntimeError("the launch failed")

    with pytest.raises(RuntimeError):
        ranged(broken, problem, known)(1, 2)
    assert nvtx.events == ["tracea int 2 fp32: ", "end"]
    monkeypatch.setenv("TRACEA_NVTX", "0")
    assert ranged(broken, problem, known) is broken, "no cost where it is off"


def test_it_is_said_if_nothing_can_make_ranges(
    nvtx: Nvtx, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "nvtx", None)
    assert (ops.matmul(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32)) == 2).all()
    assert "pip install nvtx" in caplog.text


_PROFILED = """
import torch
from tracea import ops
a, b = torch.ones(8, 8), torch.ones(8, 8)
with torch.profiler.profile() as seen:
    for _ in range(3):
        ops.matmul(a, b, fallback="error")
print(sum(e.count for e in seen.key_averages() if e.key.startswith("tracea GemmOp 8x8 8x8 fp32: ")))
"""


@pytest.mark.parametrize(("value", "count"), [("1", 3), ("0", 0)])
def test_torch_profiler_shows_each_call(value: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("torch")
    monkeypatch.setenv("TRACEA_NVTX", value)
    done = subprocess.run([sys.executable, "-c", _PROFILED], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) == count
