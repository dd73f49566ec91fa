# SPDX-License-Identifier: MIT
"""The examples for PyTorch run, and print what the documentation shows."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
ROOT = Path(__file__).resolve().parents[2]
SHOWN = re.findall(r"^```text\n(.*?)^```$", (ROOT / "docs" / "pytorch.md").read_text(), re.MULTILINE | re.DOTALL)
MACHINE = re.compile(r"(kernel|certificate|gain): .*")


def printed(name: str) -> str:
    path = ROOT / "examples" / "pytorch" / f"{name}.py"
    result = subprocess.run([sys.executable, str(path)], capture_output=True, text=True, timeout=1100)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.mark.slow
def test_fusion() -> None:
    assert printed("fusion") == SHOWN[0]


def test_explain() -> None:
    shown, said = (MACHINE.sub(r"\1", text) for text in (SHOWN[1], printed("explain")))
    assert said.startswith(shown) and said.endswith("as JSON: True and as a page: True\n")


def test_patching() -> None:
    assert printed("patching") == SHOWN[2]
