# SPDX-License-Identifier: MIT
"""The very first call of an op in a process may be one that is compiled: nothing of what happens once may stand in the tracer's way.

Each case runs in a process of its own, forked from one that has imported everything and called nothing.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")

_PROCESS = Path(__file__).with_name("first_calls.py")


def test_the_first_call_may_be_compiled() -> None:
    done = subprocess.run([sys.executable, str(_PROCESS)], capture_output=True, text=True, timeout=1100)
    assert done.returncode == 0, done.stderr
    said: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    assert "Unsupported" in said.pop("planted, gradients"), "what cannot be traced would be seen"
    assert len(said) > 25
    assert not {name: reason for name, reason in said.items() if reason != "agrees"}


def test_a_first_product_waits_for_no_symbolic_shapes() -> None:
    """SymPy takes two seconds to load where its byte code is not stored (an H200's host), forty times what the call may take."""
    code = (
        "import sys, torch; from tracea import ops; a = torch.ones(3, 8, 8); "
        "ops.matmul(a, a); ops.matmul(a[0], a[0]); print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["False"]


def test_a_first_product_imports_no_plugin_of_other_devices_and_searches_no_sources() -> None:
    """On an H200's host that took a first product, whose kernel the disk had, from 85 ms to 30."""
    code = (
        "import inspect, sys, torch\nbefore = len(inspect.modulesbyfile)\nfrom tracea import ops\n"
        "ops.matmul(torch.ones(8, 8), torch.ones(8, 8), fallback='error')\n"
        "print(sorted(name for name in sys.modules if name.endswith('.plugin') and name.startswith('tracea_') and 'core' not in name))\n"
        "print(len(inspect.modulesbyfile) - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("\n")[:2] == ["['tracea_cpu.plugin']", "0"]


@pytest.mark.parametrize("first", ["torch", "tracea"])
def test_what_was_compiled_first_is_not_compiled_again_after_eager_calls(first: str) -> None:
    """What eager calls remember for their own shortest way must be nothing that compiled code was told to watch."""
    process = Path(__file__).with_name("compiled_first.py")
    done = subprocess.run([sys.executable, str(process), first], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    said: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    assert said.pop("served") == (first == "torch"), (
        "operators are registered by an import beside PyTorch, else by the first call"
    )
    assert said == dict.fromkeys(said, "1") and len(said) > 5
