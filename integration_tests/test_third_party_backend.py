# SPDX-License-Identifier: MIT
"""A backend that is no part of tracea is installed, found, conforms, and is used; from wheels alone, and from a folder.

`examples/tracea-backend-example` stands for everyone else's backend: a distribution of its own that knows tracea-core only.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = ROOT / "examples" / "tracea-backend-example"
SOURCES = (
    ROOT,
    ROOT / "packages" / "tracea-core",
    ROOT / "packages" / "tracea-llvm",
    ROOT / "packages" / "tracea-cpu",
    EXAMPLE,
)

FOUND = """
import json, pathlib, tracea_backend_example
from tracea_core.diagnose import diagnose
from tracea_core.plugin.manager import plugins
from tracea_core.plugin.select import resolve
record = plugins().load("example")
print(json.dumps({
    "status": record.status.value, "distribution": record.distribution, "problem": record.problem,
    "devices": [target.device for target in plugins().probe("example").devices],
    "automatic": resolve().manifest.name,
    "place": str(pathlib.Path(tracea_backend_example.__file__).resolve()),
    "report": diagnose(limit_s=300.0).to_json(),
}))
"""
USED = """
import json, numpy as np, tracea
from tracea_core.pipeline import plan
rng = np.random.default_rng(0)
a, b = (rng.integers(-4, 5, shape).astype(np.float32) for shape in ((37, 53), (53, 29)))
right = np.array_equal(tracea.ops.matmul(a, b, backend="example"), a @ b)  # small integers: exact in every order
image, weights = (rng.integers(-3, 4, shape).astype(np.float32) for shape in ((2, 3, 6, 5), (4, 3, 3, 3)))
same = np.array_equal(*(tracea.ops.conv2d(image, weights, padding=1, backend=name) for name in ("example", "cpu")))
import tracea_backend_example.runtime
from tracea.dispatch import _plans
backends = sorted({type(bound.launch).__name__ for bound in _plans.values()})
print(json.dumps({"right": bool(right), "same": bool(same), "launchers": backends}))
"""


def run(*command: str | Path, cwd: Path, path: Path | None = None, timeout: float = 1100) -> str:
    """Run a command outside the checkout's influence and return what it prints; its whole output stands in a failure."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRACEA_PLUGINS"))
    }
    if path is not None:
        environment["PYTHONPATH"] = str(path)
    result = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=timeout
    )
    assert result.returncode == 0, f"{command} failed\n{result.stdout}\n{result.stderr}"
    return result.stdout


def last(output: str) -> dict[str, object]:
    """Return the JSON object on the last line of an output."""
    found: dict[str, object] = json.loads(output.splitlines()[-1])
    return found


def check_found(python: str | Path, cwd: Path, path: Path | None = None) -> Path:
    """The plugin manager and the doctor list the backend, and nobody gets it unasked; return where it was imported from."""
    found = last(run(python, "-c", FOUND, cwd=cwd, path=path))
    assert found["status"] == "loaded", found["problem"]
    assert (found["distribution"], found["devices"], found["automatic"]) == ("tracea-backend-example", ["cpu"], "cpu")
    report = str(found["report"])
    assert "tracea-backend-example" in report and "the machine is made of Python" in report
    return Path(str(found["place"]))


def check_used(python: str | Path, cwd: Path, path: Path | None = None) -> None:
    """A call with ``backend="example"`` is right, and ran on the example's machine."""
    used = last(run(python, "-c", USED, cwd=cwd, path=path))
    assert used == {"right": True, "same": True, "launchers": ["CpuLauncher", "ExampleLauncher"]}
    (script,) = re.findall(r"^```py\n(.*?)^```$", (EXAMPLE / "README.md").read_text(), re.MULTILINE | re.DOTALL)
    run(python, "-c", script, cwd=cwd, path=path)


def passed(output: str) -> int:
    """How many tests a pytest run reports as passed."""
    (count,) = re.findall(r"(\d+) passed", output)
    return int(count)


# ---- installed into a folder beside this environment


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder outside the checkout that holds the installed example and nothing else."""
    target = tmp_path_factory.mktemp("third-party") / "site"
    run(sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target", target, EXAMPLE,
        cwd=target.parent)  # fmt: skip
    return target


def test_installed_in_a_folder_it_is_found(folder: Path) -> None:
    assert check_found(sys.executable, folder.parent, folder).is_relative_to(folder.resolve())


def test_installed_in_a_folder_it_is_used(folder: Path) -> None:
    check_used(sys.executable, folder.parent, folder)


def test_installed_in_a_folder_it_conforms(folder: Path) -> None:
    select = "not contraction or int32 or (fp32 and epilogue)"
    command = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", select, "-c", EXAMPLE / "pyproject.toml",
               "--rootdir", EXAMPLE, EXAMPLE / "tests")  # fmt: skip
    assert passed(run(*command, cwd=folder.parent, path=folder)) > 50


# ---- installed from wheels into an empty environment


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="tracea-third-party-") as place:
        yield Path(place).resolve()


@pytest.fixture(scope="module")
def python(scratch: Path) -> Path:
    """The interpreter of an environment made from the wheels of tracea and of the example."""
    dist = scratch / "dist"
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", dist, *SOURCES, cwd=scratch)
    run(sys.executable, "-m", "venv", scratch / "venv", cwd=scratch)
    interpreter = scratch / "venv" / "bin" / "python"
    run(
        interpreter,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--find-links",
        dist,
        "tracea",
        "tracea-backend-example[test]",
        cwd=scratch,
    )
    return interpreter


@pytest.mark.packaging
@pytest.mark.slow
@pytest.mark.timeout(2400)  # the whole kit, certified and interpreted without a cache, beside other work on two cores
@pytest.mark.xdist_group("wheels")
def test_from_wheels_it_is_found_used_and_conforms(python: Path, scratch: Path) -> None:
    run(python, "-m", "pip", "check", cwd=scratch)
    assert check_found(python, scratch).is_relative_to(scratch / "venv")
    check_used(python, scratch)
    tests = scratch / "tests"
    tests.mkdir()
    for file in (EXAMPLE / "tests").glob("test_*.py"):
        (tests / file.name).write_text(file.read_text())
    command = (python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--import-mode=importlib", tests)
    assert passed(run(*command, cwd=scratch, timeout=2200)) > 100
