# SPDX-License-Identifier: MIT
"""`tracea.export`: calls, stated as on the command line or as problems, as a library of C."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from tracea_core.errors import OptionError
from tracea_core.export import ExportedLibrary, export_library
from tracea_core.export.c_text import name_of
from tracea_core.ops.problem import Problem

from tracea.ops.filtering import by_default

Stated: TypeAlias = str | Problem | tuple[str, Problem]
_NAMED = re.compile(r"\s*([A-Za-z][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)


def export(
    folder: str | Path,
    calls: Sequence[Stated],
    name: str = "kernels",
    device: str | None = None,
    backend: str | None = None,
    preset: str | None = None,
    *,
    built: bool | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> ExportedLibrary:
    """Write a library of C whose functions are these calls: it holds their kernels, and needs no Python.

    Parameters
    ----------
    folder : path
        Made if it is missing; a library that was exported there before is replaced.
    calls : sequence of str, Problem or (str, Problem)
        As on the command line, ``"linear 512 3072 768 --epilogue bias,gelu"``, or as problems; a name of the function before an equals
        sign, or beside the problem. What was tuned, pinned or shipped for a call is used, as for any call.
    name : str
        Of the library: functions are ``NAME_…``.
    device, backend, preset : str, optional
        What it is for, by default the processor: ``cuda:0``, or the preset ``h200``, ``avx2``, ``neon``.
    built : bool, optional
        Whether to compile it here; by default if there is a C compiler.
    progress : callable, optional
        ``progress(done, total, what)``.

    Raises
    ------
    TraceaError
        As `tracea_core.export.export_library`; nothing has been written then.

    Examples
    --------
    >>> import tempfile, tracea
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = tracea.export(f"{folder}/demo", ["up=linear 8 32 16 --epilogue bias,relu"], "demo", built=False)
    ...     sorted(path.name for path in (made.folder / "include").iterdir())
    ['demo.h', 'tracea.h', 'tracea.hpp']
    """
    if device is None and backend is None and preset is None:
        device = "cpu"
    stated = [_stated(call) for call in calls]
    asked = [(one, line, by_default(problem, device, backend, preset)) for one, line, problem in stated]
    return export_library(Path(folder), asked, name, device, backend, preset, built=built, progress=progress)


def _stated(call: Stated) -> tuple[str, str, Problem]:
    """Return the name of a call's function, the call in words, and its problem."""
    if isinstance(call, tuple):
        return call[0], _words(call[1]), call[1]
    if isinstance(call, Problem):
        return name_of(_words(call)), _words(call), call
    named = _NAMED.fullmatch(call)
    line = " ".join((named[2] if named else call).split())
    problem = parse_call(line)
    return named[1] if named else name_of(line.replace("--", "")), line, problem


def _words(problem: Problem) -> str:
    """Return a problem in a few words: op, extents, type, epilogue."""
    op = type(problem.op).__name__.removesuffix("Op").lower()
    extents = " ".join("x".join(map(str, spec.shape)) for spec in problem.inputs)
    label = problem.epilogue.label
    return f"{op} {extents} {problem.inputs[0].dtype.value}" + (f" {label}" if label else "")


def parse_call(line: str) -> Problem:
    """Return the problem of a call as the command line takes it, such as ``matmul 64 64 64 --dtype bf16``.

    Raises
    ------
    OptionError
        If it is none.
    """
    from tracea.cli.problems import make_problem
    from tracea.cli.words import parse_words

    try:
        words = shlex.split(line)
    except ValueError as error:
        raise OptionError(f"{line!r} is no call: {error}") from error
    op, dims, meant = parse_words(words)
    return make_problem(op, dims, meant)
