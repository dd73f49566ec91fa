# SPDX-License-Identifier: MIT
"""Importing tracea is light: it loads no framework, no compiler and no backend, and opens nothing."""

import json
import subprocess
import sys
from typing import get_args

import pytest
from tracea_core.ops.problem import AnyOp

import tracea

HEAVY = ("torch", "numba", "sklearn", "scipy", "llvmlite", "matplotlib", "pandas", "z3")


def loaded_by(statement: str) -> set[str]:
    """The top-level modules in a fresh interpreter after `statement`."""
    return {name.partition(".")[0] for name in modules_of(statement)}


def modules_of(statement: str) -> set[str]:
    """All modules in a fresh interpreter after `statement`."""
    script = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=500)
    return set(json.loads(run.stdout))


@pytest.mark.parametrize("module", ["tracea", "tracea_core"])
def test_import_loads_nothing_heavy(module: str) -> None:
    loaded = loaded_by(f"import {module}")
    assert module in loaded
    assert loaded & set(HEAVY) == set()


def test_import_loads_no_backend() -> None:
    assert {name for name in loaded_by("import tracea") if name.startswith("tracea_")} <= {"tracea_core"}


def test_ops_load_neither_what_builds_kernels_nor_what_proves_them() -> None:
    """A process whose plans are all known needs none of it: it is most of what core has, and was a third of the time of importing."""
    slow = {
        "importlib.metadata",
        "filelock",
        "tracea_core.semantic.verify.certify",
        "tracea_core.semantic.interpret",
        *(
            f"tracea_core.semantic.build.{name}"
            for name in ("chain", "multistage", "panel", "register_tile", "specialized", "sweep")
        ),
    }
    assert "tracea_core.semantic.build.schedules" in modules_of("import tracea; tracea.ops.matmul")
    assert modules_of("import tracea; tracea.ops.matmul") & slow == set()
    made = "import numpy, tracea; tracea.ops.prepacked(numpy.ones((8, 8), numpy.float32))"
    assert "importlib.metadata" in modules_of(made), "asked for a backend, it looks for one"


def test_every_name_leads_somewhere_and_says_what_it_is() -> None:
    pytest.importorskip("torch")
    names = [name for name in tracea.__all__ if not name.startswith("__")]
    assert len(names) == len(set(names))
    for name in names:
        value = getattr(tracea, name)
        assert value is getattr(tracea, name)
        assert not isinstance(value, type) or (value.__doc__ or "").strip(), name
    with pytest.raises(AttributeError, match="no attribute 'GemmOpp'"):
        tracea.GemmOpp  # noqa: B018


def test_ops_as_data_are_at_hand() -> None:
    """Whatever `tracea.ops` states can be stated as data, too; the rest of them are steps of a plan."""
    steps = {"CroppedConv2dOp", "PointwiseOp", "TransposeOp"}
    assert {kind.__name__ for kind in get_args(AnyOp)} - steps <= set(tracea.__all__)


def test_a_star_hides_no_other_module() -> None:
    pytest.importorskip("torch")
    held: dict[str, object] = {}
    exec("from tracea import *", held)
    assert {"ops", "ReLU", "AutoTuner"} <= set(held)
    assert not {"torch", "backend", "numpy"} & set(held)
    assert {"torch", "backend"} <= set(dir(tracea)), "they are found all the same"


def test_a_heavy_import_would_be_seen() -> None:
    assert "scipy" in loaded_by("import tracea, scipy")
