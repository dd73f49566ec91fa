# SPDX-License-Identifier: MIT
"""The import contracts catch what they are there for: each is shown a copy of the sources with one forbidden import."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LAYERS = "Inside core the layers import downward only"
CORE = "Core imports nothing of ours"
OTHERS = "tracea and its backends import core only, never each other"
LIGHT = "Core never needs torch or numba"
PRINTER = "A printer imports core only, and needs no compiler"


def broken_contracts(sources: Path) -> set[str]:
    """The names of the contracts that the sources under a folder break."""
    command = (
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(*sys.argv[1:], no_cache=True))"
    )
    result = subprocess.run(
        [sys.executable, "-c", command, str(ROOT / "pyproject.toml")],
        capture_output=True,
        text=True,
        cwd=sources,
        env=os.environ | {"PYTHONPATH": str(sources), "COLUMNS": "200"},
        timeout=500,
    )
    verdicts = dict(re.findall(r"^(.+) (KEPT|BROKEN)$", result.stdout, re.MULTILINE))
    assert set(verdicts) == {LAYERS, CORE, OTHERS, LIGHT, PRINTER}, result.stdout + result.stderr
    return {name for name, verdict in verdicts.items() if verdict == "BROKEN"}


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of every package's sources, side by side."""
    for package in (ROOT / "src/tracea", *ROOT.glob("packages/*/src/*")):
        shutil.copytree(package, tmp_path / package.name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def test_the_sources_keep_every_contract(copy: Path) -> None:
    assert broken_contracts(copy) == set()


@pytest.mark.parametrize(
    ("file", "line", "contract"),
    [
        ("tracea_core/errors.py", "import tracea_core.plugin.manifest", LAYERS),
        ("tracea_core/doctor/variants.py", "def late():\n    from tracea_core.semantic import kernel", LAYERS),
        ("tracea_core/errors.py", "import tracea", CORE),
        ("tracea_cuda/probe.py", "import tracea_cpu", OTHERS),
        ("tracea_cpu/__init__.py", "import tracea", OTHERS),
        ("tracea/__init__.py", "import tracea_cpu", OTHERS),
        ("tracea_core/errors.py", "import tracea_llvm", CORE),
        ("tracea_llvm/walk.py", "import tracea_cpu", PRINTER),
        ("tracea_llvm/walk.py", "def late():\n    import llvmlite", PRINTER),
        ("tracea_core/dtypes.py", "def late():\n    import torch", LIGHT),
    ],
)
def test_a_forbidden_import_is_caught(file: str, line: str, contract: str, copy: Path) -> None:
    with (copy / file).open("a") as stream:
        stream.write(f"\n{line}\n")
    assert contract in broken_contracts(copy)


def test_a_module_outside_every_layer_is_caught(copy: Path) -> None:
    (copy / "tracea_core/extra.py").write_text('"""Belongs to no layer."""\n')
    assert broken_contracts(copy) == {LAYERS}
