# SPDX-License-Identifier: MIT
"""A second process finds everything in the cache: it proves, compiles and times nothing of tracea's, and decides the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

_PROCESS = """
import collections, json
import torch
from torch import nn
import tracea_cpu.compile as compiler
from tracea_core.semantic.verify import certify
from tracea.torch.compiler import backend, inductor, trial

counts, said = collections.Counter(), []
def counted(owner, name):
    real = getattr(owner, name)
    def call(*given, **more):
        counts[name] += 1
        return real(*given, **more)
    setattr(owner, name, call)
counted(certify, "certify"), counted(compiler, "compile_object"), counted(trial, "_measure")
inductor.cpp_compiler = lambda: None  # the rest of the graph is not what is counted
backend.count = said.append
trial.Load.of_others = lambda self: 0.0  # what was measured on a busy machine would not be kept

torch.manual_seed(0)
model, x = nn.Sequential(nn.Linear(32, 48), nn.GELU(), nn.Linear(48, 16), nn.ReLU()).eval(), torch.randn(16, 32)
with torch.no_grad():
    got = torch.compile(model, backend="tracea", options={"tracea.seconds": 600})(x)
    torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
decided = [[region.taken, region.configuration, region.reason] for report in said for region in report.regions]
print(json.dumps({"counts": counts, "decided": decided}))
"""


def run(cache: Path) -> dict[str, Any]:
    environment = {**os.environ, "TRACEA_CACHE_DIR": str(cache)}
    done = subprocess.run(
        [sys.executable, "-c", _PROCESS], capture_output=True, text=True, timeout=550, env=environment
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_second_process_compiles_nothing(tmp_path: Path) -> None:
    first, second = run(tmp_path), run(tmp_path)
    assert set(first["counts"]) == {"certify", "compile_object", "_measure"}, "the first one does all of it"
    assert second["counts"] == {}
    assert second["decided"] == first["decided"] and len(first["decided"]) == 2
