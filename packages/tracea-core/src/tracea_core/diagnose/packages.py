# SPDX-License-Identifier: MIT
"""Installed distributions, and whether those that matter can be imported. Imports happen in child processes.

A version comes from metadata, so a package that is broken, or slow to import, still has one; the child then tells whether it
works. Nothing here imports torch, numba or scikit-learn into this process.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from importlib import metadata

import tracea_core
from tracea_core.diagnose.children import run_python
from tracea_core.diagnose.report import Package
from tracea_core.diagnose.text import readable
from tracea_core.plugin.manifest import Finding, Severity

_CODE = (
    "import importlib\n"
    "module = importlib.import_module(sys.argv[2])\n"
    "sys.stdout.write(chr(30) + str(getattr(module, '__version__', '')))\n"
    "sys.stdout.flush()\n"
    "import os; os._exit(0)\n"  # what a library does at exit is not the question
)


@dataclass(frozen=True)
class Known:
    """A distribution worth looking at: its module if importing it is worth a try, and who needs it for what."""

    distribution: str
    module: str = ""
    needed_for: str = ""
    required: bool = False


KNOWN = (
    Known("tracea"),
    Known("tracea-core"),
    Known("tracea-llvm"),
    Known("tracea-cpu"),
    Known("tracea-cuda"),
    Known("tracea-hip"),
    Known("tracea-sycl"),
    Known("tracea-metal"),
    Known("numpy", "", "everything", required=True),
    Known("msgspec", "", "everything", required=True),
    Known("pluggy", "", "plugins", required=True),
    Known("platformdirs", "", "caches", required=True),
    Known("filelock", "", "caches", required=True),
    Known("llvmlite", "llvmlite.binding", "the CPU backend"),
    Known("numba", "numba", "functions written in Python inside kernels"),
    Known("torch", "torch", "torch tensors and torch.compile"),
    Known(
        "scikit-learn", "sklearn.gaussian_process", "the Gaussian-process search; without it the search is evolutionary"
    ),
    Known("z3-solver", "", "proofs over symbolic window bounds"),
)


def examine_packages(known: tuple[Known, ...] = KNOWN) -> tuple[tuple[Package, ...], tuple[Finding, ...]]:
    """Return the versions of `known` distributions, without importing any, and what is missing."""
    packages, findings = [], []
    for item in known:
        version = _version(item.distribution)
        packages.append(Package(item.distribution, version or ""))
        if version is None and item.required:
            hint = f"pip install {item.distribution}"
            message = f"{item.distribution} has no metadata: it is missing or half installed"
            findings.append(Finding(Severity.WARNING, item.distribution, message, hint))
        if item.distribution == "tracea-core" and version and version != tracea_core.__version__:
            message = (
                f"metadata says {version}, the code that runs is {tracea_core.__version__} ({tracea_core.__file__})"
            )
            hint = "Two copies are on the path, or an editable installation is stale: reinstall tracea-core"
            findings.append(Finding(Severity.WARNING, "tracea-core", readable(message), hint))
    return tuple(packages), tuple(findings)


def _version(distribution: str) -> str | None:
    """Return the version in the metadata; None where there is none, ``unknown`` where it is damaged."""
    try:
        return readable(metadata.version(distribution) or "unknown")
    except metadata.PackageNotFoundError:
        return None
    except Exception:
        return "unknown"


def check_import(item: Known, limit_s: float) -> tuple[str, tuple[Finding, ...]]:
    """Import one package in a child process.

    Returns
    -------
    state : str
        ``works``, what went wrong, or empty if it is not installed.
    findings : tuple of Finding
        What to do about it.
    """
    version = _version(item.distribution)
    top = item.module.split(".")[0]
    present = _present(top)
    if version is None and not present:
        return "", ()
    if version is not None and not present:
        problem = f"is half installed: metadata of version {version}, but no module {top!r}"
    else:
        ended = run_python(_CODE, [item.module], limit_s)
        if not ended.how:
            found = ended.output.rpartition("\x1e")[2].strip()
            if version and found and not _same_release(found, version):
                message = f"metadata says {version}, the module says {found}"
                hint = f"Two copies are mixed: pip install --force-reinstall {item.distribution}"
                return "works", (Finding(Severity.WARNING, item.distribution, readable(message), hint),)
            return "works", ()
        if not ended.began:
            return f"not tried: a child process {ended.how}", ()
        problem = f"cannot be imported: its process {ended.how}"
        problem += f" ({ended.last_line})" if ended.last_line else ""
    hint = f"pip install --force-reinstall {item.distribution}. It is needed for {item.needed_for}"
    return readable(problem), (Finding(Severity.WARNING, item.distribution, readable(problem), hint),)


def _present(module: str) -> bool:
    """Whether the import system finds the top-level module, without running it."""
    try:
        return importlib.util.find_spec(module) is not None
    except (ImportError, ValueError):
        return True  # it is there in a state that only an import can judge


def _same_release(one: str, other: str) -> bool:
    """Whether two versions differ at most in their local part (``2.13.0+cpu``)."""
    return one.split("+")[0] == other.split("+")[0]
