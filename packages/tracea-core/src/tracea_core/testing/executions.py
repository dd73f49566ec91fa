# SPDX-License-Identifier: MIT
"""Launches in the emulator that ended well, on disk, so that none is repeated while nothing that decides its outcome has changed.

A launch is named by a digest of all that decides it: the text without its header (which names the proofs that were made, and nothing that
runs), how it is launched, the numbers in memory, what is expected and within which bounds, the device and its seed, the compiler, and the
files of the emulator and of the comparison (`SOURCES`). How the text came about is no part of it. So a change of the planner, of a proof
or of a printer that leaves a text as it was leaves the launches of that text known; every other part of a check runs each time.

Expected values are sums by the machine's own BLAS: another kind of processor may name the same launch otherwise, and repeats it.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tracea_core.emit.source import header
from tracea_core.ops.tolerance import agrees
from tracea_core.testing.simt.report import SimtReport
from tracea_core.testing.simt.runtime import SimtRuntime
from tracea_core.testing.subject import Walked

_CORE = Path(__file__).parents[1]
SOURCES = (
    "testing/simt", "testing/execute.py", "testing/executions.py", "testing/tensors.py", "dtypes.py", "emit/source.py", "semantic/index.py",
    "semantic/ragged.py", "semantic/banks.py", "semantic/gf2.py", "runtime/arena.py",
)  # fmt: skip
"""Files and folders of core that are executed when a text is launched in the emulator and its results are compared."""


@dataclass(frozen=True)
class Executions:
    """A file of launches that ended well, which several processes may write to at once; lines of other kinds may stand there too.

    Parameters
    ----------
    path : Path
        The file; it need not exist.
    """

    path: Path

    def known(self, name: str) -> SimtReport | None:
        """Return what the launch of this name showed, if it is known to have ended well."""
        said = _read(self.path).get(name)
        if said is None:
            return None
        return SimtReport((), said["bank_conflicts"], said["counts"], said["accesses"], tuple)

    def add(self, name: str, report: SimtReport) -> None:
        """Append a launch that had no finding and whose results agree, in one write."""
        said = {"bank_conflicts": report.bank_conflicts, "counts": report.counts, "accesses": report.accesses}
        _read(self.path)[name] = said
        append(self.path, {"execution": name, **said})


def append(path: Path, line: Mapping[str, Any]) -> None:
    """Append a line of JSON in one write, which those of other processes do not cut."""
    handle = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
    try:
        os.write(handle, (json.dumps(line) + "\n").encode())
    finally:
        os.close(handle)


@functools.cache
def _read(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for text in path.read_text("utf-8").splitlines() if path.exists() else ():
        if '"execution"' not in text:
            continue
        try:
            line = json.loads(text)
        except ValueError:
            continue  # the process was ended while it wrote
        if isinstance(line, dict) and "execution" in line:
            found[line.pop("execution")] = line
    return found


def name_of(
    runtime: SimtRuntime,
    walked: Walked,
    symbols: Mapping[str, int],
    memory: Mapping[str, npt.NDArray[np.uint8]],
    meant: Sequence[tuple[npt.NDArray[Any], npt.NDArray[Any]]],
) -> str:
    """Return the name of a launch.

    Parameters
    ----------
    symbols : mapping
        Of the launch.
    memory : mapping of str to array
        All bytes of each tensor before it, guard bands included, under the tensor's name.
    meant : sequence of (expected, bound)
        Of each tensor that is written.
    """
    specs = (*walked.problem.inputs, *walked.problem.epilogue_inputs, walked.problem.output)
    said = {
        "source": walked.source.replace(text=bare(walked), kernel_digest="", certificate="").to_json(),
        "symbols": dict(symbols),
        "operands": list(walked.lowered.operands),
        "tensors": [spec.to_json() for spec in specs],
        "device": runtime.profile.to_json(),
        "seed": runtime.seed,
        "compiler": runtime.toolchain.splitlines()[0],
        "sources": _sources(),
    }
    digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode())
    for name, content in sorted(memory.items()):
        digest.update(f"{name} {content.nbytes}\n".encode() + content.tobytes())
    for pair in meant:
        for values in pair:
            digest.update(f"{values.shape} {values.dtype}\n".encode() + np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def bare(walked: Walked) -> str:
    """Return the text with the lines of its header empty: comments, which name the certificate's proofs."""
    text = walked.source.text
    for line in header(walked.kernel, walked.certificate).split("\n"):
        text = text.replace(line, "", 1)
    return text


@functools.cache
def _sources() -> str:
    """Digest of `SOURCES`, and of how a value is held to its bound; expected values and bounds are in a name themselves."""
    digest = hashlib.sha256(inspect.getsource(agrees).encode())
    for name in SOURCES:
        root = _CORE / name
        files = [root] if root.is_file() else sorted(path for path in root.rglob("*") if path.is_file())
        for path in files:
            if "__pycache__" not in path.parts:
                content = path.read_bytes()
                digest.update(f"{path.relative_to(_CORE).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()
