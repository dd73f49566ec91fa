# SPDX-License-Identifier: MIT
"""What a user gets: every wheel builds, and ``pip install "tracea[cuda]"`` from those wheels works in an empty environment.

The environment is real, down to the CUDA compiler's wheel, because what breaks in practice is the seam between
distributions: an extra that names a version nobody has, a file that the wheel left out, an import that only the checkout satisfies.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MEMBERS = ("core", "llvm", "cpu", "cuda", "hip", "sycl", "metal")
SOURCES = {"tracea": ROOT, **{f"tracea-{member}": ROOT / "packages" / f"tracea-{member}" for member in MEMBERS}}

pytestmark = [
    pytest.mark.packaging,
    pytest.mark.slow,
    pytest.mark.xdist_group("wheels"),
    pytest.mark.timeout(2400),  # wheels are built and downloaded, beside other work on two cores
]


def run(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command outside the checkout's influence and return what it prints; its whole output stands in a failure."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "TRACEA"))}
    result = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=environment, capture_output=True, text=True, timeout=1100
    )
    assert result.returncode == 0, f"{command} failed\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def scratch() -> Iterator[Path]:
    """A folder that is gone afterwards: the environment in it holds hundreds of megabytes."""
    with tempfile.TemporaryDirectory(prefix="tracea-wheels-") as folder:
        yield Path(folder)


@pytest.fixture(scope="module")
def wheels(scratch: Path) -> dict[str, Path]:
    """All wheels, built in isolation from the checkout, by distribution name."""
    dist = scratch / "dist"
    run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", dist, *SOURCES.values(), cwd=scratch)
    return {path.name.split("-")[0].replace("_", "-"): path for path in dist.glob("*.whl")}


@pytest.fixture(scope="module")
def python(scratch: Path, wheels: dict[str, Path]) -> Path:
    """The interpreter of an environment that holds what ``pip install "tracea[cuda]"`` brings, and nothing else."""
    run(sys.executable, "-m", "venv", scratch / "venv", cwd=scratch)
    interpreter = scratch / "venv" / "bin" / "python"
    dist = next(iter(wheels.values())).parent
    run(interpreter, "-m", "pip", "install", "--quiet", "--find-links", dist, "tracea[cuda]", cwd=scratch)
    return interpreter


def test_every_distribution_builds(wheels: dict[str, Path]) -> None:
    assert set(wheels) == set(SOURCES)


@pytest.mark.parametrize("name", SOURCES)
def test_a_wheel_holds_every_source_file_and_nothing_else(name: str, wheels: dict[str, Path]) -> None:
    package = SOURCES[name] / "src" / name.replace("-", "_")
    expected = {
        str(path.relative_to(package.parent))
        for path in package.rglob("*")
        if path.is_file() and not any(part.startswith((".", "__pycache__")) for part in path.relative_to(package).parts)
    }
    held = {entry for entry in zipfile.ZipFile(wheels[name]).namelist() if ".dist-info/" not in entry}
    assert held == expected
    assert f"{package.name}/py.typed" in held


@pytest.mark.parametrize("name", SOURCES)
def test_a_wheel_says_what_it_is(name: str, wheels: dict[str, Path]) -> None:
    archive = zipfile.ZipFile(wheels[name])
    info = next(entry.split("/")[0] for entry in archive.namelist() if ".dist-info/" in entry)
    metadata = archive.read(f"{info}/METADATA").decode()
    assert "\nLicense-Expression: MIT\n" in metadata
    assert archive.read(f"{info}/licenses/LICENSE").decode() == (ROOT / "LICENSE").read_text()
    project = tomllib.loads((SOURCES[name] / "pyproject.toml").read_text())["project"]
    for extra in project.get("optional-dependencies", {}):
        assert f"\nProvides-Extra: {extra}\n" in metadata
    for group in project.get("entry-points", {}):
        assert f"[{group}]" in archive.read(f"{info}/entry_points.txt").decode()


def test_the_root_sdist_leaves_the_packages_out(scratch: Path) -> None:
    run(sys.executable, "-m", "hatchling", "build", "-t", "sdist", "-d", scratch / "sdist", cwd=ROOT)
    (archive,) = (scratch / "sdist").glob("tracea-*.tar.gz")
    names = run(sys.executable, "-m", "tarfile", "-l", archive).split()
    tops = {re.sub(r"^tracea-[^/]+/", "", name).split("/")[0] for name in names}
    assert {"src", "pyproject.toml", "README.md", "LICENSE"} <= tops
    assert "packages" not in tops


def test_tracea_cuda_installs_from_the_wheels_alone(python: Path, wheels: dict[str, Path], scratch: Path) -> None:
    listed = json.loads(run(python, "-m", "pip", "list", "--format", "json", cwd=scratch))
    installed = {entry["name"].lower().replace("_", "-"): entry["version"] for entry in listed}
    for name in ("tracea", "tracea-core", "tracea-llvm", "tracea-cpu", "tracea-cuda"):
        assert installed[name] == wheels[name].name.split("-")[1]
    assert {"tracea-hip", "tracea-sycl", "tracea-metal", "torch", "numba"}.isdisjoint(installed)
    assert installed["nvidia-cuda-nvrtc"].startswith("13.0.")
    run(python, "-m", "pip", "check", cwd=scratch)


def test_the_installed_packages_import_from_the_environment(python: Path, scratch: Path) -> None:
    script = """
import importlib.metadata, json
import tracea, tracea_core, tracea_cpu, tracea_cuda
points = importlib.metadata.entry_points(group="tracea.plugins_v1")
plugins = {point.name: point.load().__name__ for point in points}
print(json.dumps({"files": [m.__file__ for m in (tracea, tracea_core, tracea_cpu, tracea_cuda)], "plugins": plugins}))
"""
    found = json.loads(run(python, "-I", "-c", script, cwd=scratch))
    assert all(Path(file).is_relative_to(scratch / "venv") for file in found["files"])
    assert found["plugins"] == {"cpu": "tracea_cpu.plugin", "cuda": "tracea_cuda.plugin"}


def test_the_installed_doctor_reports_and_exits_with_zero(python: Path, scratch: Path) -> None:
    report = run(python.parent / "tracea", "doctor", "--json", cwd=scratch)
    assert "cuda" in json.dumps(json.loads(report)), "the doctor does not mention the installed CUDA plugin"


def test_the_installed_tracea_multiplies(python: Path, scratch: Path) -> None:
    script = """
import numpy as np, tracea
rng = np.random.default_rng(0)
a, b = rng.integers(-4, 5, (37, 53)).astype(np.float32), rng.integers(-4, 5, (53, 29)).astype(np.float32)
print(bool(np.array_equal(tracea.ops.matmul(a, b), a @ b)))  # small integers: exact in every order of summation
"""
    assert run(python, "-I", "-c", script, cwd=scratch).strip() == "True"
