# SPDX-License-Identifier: MIT
"""What holds for every file of the repository: licence, headers, versions, layering that imports alone cannot show."""

import ast
import fnmatch
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BACKENDS = ("cpu", "cuda", "hip", "sycl", "metal")
MEMBERS = ("core", "llvm", *BACKENDS)
PRINTERS = {"cpu": ["tracea-llvm"]}
"""What backends print with, besides core."""
DISTRIBUTIONS = {"tracea": ROOT, **{f"tracea-{member}": ROOT / "packages" / f"tracea-{member}" for member in MEMBERS}}
FOLDERS = ("src", "packages", "tests", "integration_tests", "benchmarks", "docs", "examples")
HEADER = "# SPDX-License-Identifier: MIT"
FOREIGN_TEXT = re.compile(r"\basm\b|wgmma\.[a-z]|__builtin_|\bcp\.async\.[a-z]|#include")


def python_files() -> list[Path]:
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            if not any(part.startswith((".", "_build", "__pycache__")) for part in path.relative_to(ROOT).parts):
                found.append(path)
    return found


def header_fault(text: str) -> str | None:
    """Why the opening of a Python file breaks the rule, or None."""
    if text.split("\n", 1)[0] != HEADER:
        return "the first line is not the SPDX header"
    if not ast.get_docstring(ast.parse(text)):
        return "no module docstring"
    return None


def foreign_lines(text: str) -> list[str]:
    """The string literals of a module, docstrings aside, that look like text of a target language."""
    tree = ast.parse(text)
    documented = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and ast.get_docstring(node)
    ]
    prose = {id(node.body[0].value) for node in documented}  # type: ignore[attr-defined]
    prose |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    literals = (node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in prose)
    return [node.value for node in literals if isinstance(node.value, str) and FOREIGN_TEXT.search(node.value)]


def test_every_python_file_opens_with_its_licence_and_its_idea() -> None:
    files = python_files()
    assert len(files) > 50, "the search for Python files went wrong"
    faults = {str(path.relative_to(ROOT)): header_fault(path.read_text()) for path in files}
    assert {path: fault for path, fault in faults.items() if fault} == {}


@pytest.mark.parametrize("text", ['"""Idea."""\n', f"{HEADER}\nx = 1\n", f"\n{HEADER}\n'''Idea.'''\n"])
def test_a_missing_header_or_docstring_is_seen(text: str) -> None:
    assert header_fault(text) is not None


def passed_over(patterns: list[str]) -> list[Path]:
    """Files of tests in a folder that pytest does not enter."""
    tests = [path for path in python_files() if path.name.startswith("test_") and "benchmarks" not in path.parts]
    return [
        path
        for path in tests
        if any(fnmatch.fnmatch(part, p) for part in path.relative_to(ROOT).parts[:-1] for p in patterns)
    ]


def test_no_folder_of_tests_is_passed_over(pytestconfig: pytest.Config) -> None:
    assert passed_over(pytestconfig.getini("norecursedirs")) == []
    assert passed_over(["build"]), "pytest's default would pass over the builders' tests"


def test_core_holds_no_text_of_a_target_language() -> None:
    core = ROOT / "packages/tracea-core/src/tracea_core"
    emulator = core / "testing/simt"  # reads what backends print, and so knows their languages; it prints nothing
    export = core / "export"  # prints the C of libraries around kernels that backends have printed
    files = [path for path in core.rglob("*.py") if not any(map(path.is_relative_to, (emulator, export)))]
    found = {str(path.relative_to(core)): foreign_lines(path.read_text()) for path in files}
    assert {path: lines for path, lines in found.items() if lines} == {}


def test_planted_target_text_is_seen() -> None:
    assert foreign_lines('"""We never write asm here."""\nline = "asm volatile"\n') == ["asm volatile"]


def changed_packages(commit: str) -> set[str] | None:
    """The distributions that a commit changed files of, core aside; None where this copy does not hold it."""
    command = ["git", "show", "--name-only", "--format=", commit]
    try:
        names = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        return None
    return {name.split("/")[1] for name in names if name.startswith("packages/")} - {"tracea-core"}


def test_an_epilogue_and_an_op_were_added_without_touching_a_backend() -> None:
    """The commits that the page on backends names; one that did touch them shows that they are looked at."""
    told = re.findall(r"git show --stat ([0-9a-f]{7})", (ROOT / "docs/write_a_backend.md").read_text())
    assert len(told) == 2
    changed = [changed_packages(commit) for commit in (*told, "03535fc")]
    if None in changed:
        pytest.skip("this copy has no history")
    assert changed == [set(), set(), {"tracea-sycl"}]


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_each_distribution_is_complete(name: str) -> None:
    folder = DISTRIBUTIONS[name]
    package = folder / "src" / name.replace("-", "_")
    assert (folder / "LICENSE").read_text() == (ROOT / "LICENSE").read_text()
    assert (package / "py.typed").exists(), "type checkers would ignore its annotations"
    assert (folder / "README.md").read_text().startswith(f"# {name}\n")
    version = re.search(r'^__version__ = "([^"]+)"$', (package / "__init__.py").read_text(), re.MULTILINE)
    assert version, f"{package}/__init__.py states no version"
    changelog = (folder / "CHANGELOG.md").read_text()
    assert re.search(rf"^## {re.escape(version[1])}\b", changelog, re.MULTILINE), (
        f"{name} {version[1]} has no changelog entry"
    )
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    assert project["name"] == name
    assert (project["license"], project["requires-python"]) == ("MIT", ">=3.11")


def test_core_depends_on_small_wheels_only() -> None:
    project = tomllib.loads((DISTRIBUTIONS["tracea-core"] / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[<>=!~\[ ;]", line, maxsplit=1)[0] for line in project["dependencies"]}
    assert names <= {"numpy", "pluggy", "platformdirs", "filelock", "msgspec"}


def test_the_root_offers_every_extra_and_all_brings_each_backend() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {"cuda", "cuda12", "cuda13", "hip", "sycl", "metal", "torch", "all"} <= set(extras)
    assert extras["cuda"] == ["tracea[cuda13]"]
    brought = set(re.findall(r"[a-z0-9]+", extras["all"][0].split("[")[1]))
    assert {"cuda13", "hip", "sycl", "metal", "torch"} <= brought
    assert "cuda12" not in brought, "cuda12 and cuda13 bring the same modules"


@pytest.mark.parametrize("member", BACKENDS)
def test_each_backend_registers_its_plugin(member: str) -> None:
    project = tomllib.loads((DISTRIBUTIONS[f"tracea-{member}"] / "pyproject.toml").read_text())["project"]
    points = project["entry-points"]["tracea.plugins_v1"]
    assert points[member] == f"tracea_{member}.plugin"
    assert all(module.startswith(f"tracea_{member}.") for module in points.values())
    ours = [line for line in project["dependencies"] if line.startswith("tracea")]
    assert [re.split(r"[<>=\[]", line, maxsplit=1)[0] for line in ours] == ["tracea-core", *PRINTERS.get(member, [])]


def test_a_printer_depends_on_core_alone() -> None:
    project = tomllib.loads((DISTRIBUTIONS["tracea-llvm"] / "pyproject.toml").read_text())["project"]
    assert project["dependencies"] == ["tracea-core>=0.1,<0.2"]
    assert "entry-points" not in project
