# SPDX-License-Identifier: MIT
"""The folder of a library: written whole beside its place, built there, and moved into it at the end, so that nothing half done is left."""

from __future__ import annotations

import functools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import msgspec

from tracea_core import __version__
from tracea_core.errors import BackendUnavailableError, OptionError
from tracea_core.export.build import build
from tracea_core.export.c_text import is_name
from tracea_core.export.calls import ExportedCall, exported_call
from tracea_core.export.tables import describe, header, source
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.known import KnownStep
from tracea_core.pipeline.path import Path as FoundPath
from tracea_core.pipeline.path import trace
from tracea_core.pipeline.plan import keeping
from tracea_core.plugin.c_runtime import CKernel, CRuntime
from tracea_core.plugin.select import resolve
from tracea_core.target import Target

MARK = "tracea-library.json"
"""The file by which a folder is known as one that may be replaced."""
_SHARED = ("tracea_library.h", "tracea_message.h", "tracea_interface.h")
_PUBLIC = ("tracea.h", "tracea.hpp")
_Key = tuple[str, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class ExportedLibrary:
    """What was written.

    Attributes
    ----------
    folder : Path
        Where.
    name : str
        The library's name: functions are ``NAME_…``, its header is ``include/NAME.h``.
    calls : tuple of ExportedCall
        What it serves.
    library : Path or None
        ``lib/libNAME.so``; None where it was not built.
    note : str
        Why it was not built; else empty.
    """

    folder: Path
    name: str
    calls: tuple[ExportedCall, ...]
    library: Path | None
    note: str = ""


def export_library(
    folder: Path,
    stated: Sequence[tuple[str, str, Problem]],
    name: str = "kernels",
    device: str | None = None,
    backend: str | None = None,
    preset: str | None = None,
    *,
    built: bool | None = None,
    progress: Callable[[int, int, str], None] | None = None,
) -> ExportedLibrary:
    """Plan calls, and write the library of C that serves them.

    Parameters
    ----------
    folder : Path
        Made if it is missing; a library that tracea wrote there before is replaced.
    stated : sequence of (str, str, Problem)
        For each call the name of its function, the call in words, and the problem.
    name : str
        Of the library.
    device, backend, preset
        What it is for; see `tracea_core.plugin.select.resolve`.
    built : bool, optional
        Whether to compile it here: by default if there is a compiler.
    progress : callable, optional
        ``progress(done, total, what)`` as calls are planned.

    Raises
    ------
    OptionError
        If a name is none of C's or used twice, no call is stated, or the folder holds something else.
    UnsupportedError
        If the backend's kernels cannot be exported, or a call cannot.
    BackendUnavailableError, CompileError
        If `built` is true and there is no compiler, or it refuses; as `tracea_core.pipeline.trace`.
    """
    _check(folder, stated, name)
    selection = resolve(device, backend, preset)
    target = selection.target
    if selection.manifest.c_runtime is None:
        raise BackendUnavailableError(
            f"the backend {target.backend!r} has no runtime in C",
            hint="cpu and cuda do; `tracea emit --binary` writes the code of a kernel",
        )
    runtime = selection.manifest.c_runtime(target.profile)
    calls, kernels, names = _made(stated, name, runtime, (device, backend, preset), progress)
    files = _files(name, calls, kernels, names, runtime, target)
    return _written(folder, name, calls, files, runtime, target, built)


def _check(folder: Path, stated: Sequence[tuple[str, str, Problem]], name: str) -> None:
    if not is_name(name) or name.lower().startswith("tracea"):
        raise OptionError(
            f"{name!r} cannot name a library", hint="Use letters, digits and underscores; tracea names its own files"
        )
    if not stated:
        raise OptionError(
            "no call is stated", hint='Name at least one, such as "linear 512 3072 768 --epilogue bias,gelu"'
        )
    names = [one for one, _, _ in stated]
    twice = sorted({one for one in names if names.count(one) > 1})
    if twice or "last_error" in names:
        raise OptionError(
            f"several functions are called {', '.join(twice) or 'last_error'}",
            hint='Name them: "up=linear 512 3072 768"',
        )
    if folder.exists() and (not folder.is_dir() or (any(folder.iterdir()) and not (folder / MARK).is_file())):
        raise OptionError(f"{folder} is there already and no library that tracea wrote", hint="Name another folder")


def _made(
    stated: Sequence[tuple[str, str, Problem]],
    library: str,
    runtime: CRuntime,
    place: tuple[str | None, str | None, str | None],
    progress: Callable[[int, int, str], None] | None,
) -> tuple[tuple[ExportedCall, ...], dict[str, tuple[CKernel, str]], list[list[str]]]:
    """Return the calls, their kernels by name with their sources, and which of them each step has; equal ones are made once."""
    calls: list[ExportedCall] = []
    kernels: dict[str, tuple[CKernel, str]] = {}
    known: dict[_Key, str] = {}
    names: list[list[str]] = []
    for number, (name, line, problem) in enumerate(stated):
        if progress is not None:
            progress(number, len(stated), line)

        compiled = functools.partial(
            _compiled, runtime, library, functools.partial(exported_call, name, line, problem), known
        )
        call, found = keeping(trace(problem, *place), compiled)
        for step, (called, kernel) in zip(call.known.steps, found, strict=True):
            if kernel is not None:
                known[_key(step)] = called
                kernels[called] = (kernel, step.source.text)
        calls.append(call)
        names.append([called for called, _ in found])
    if progress is not None:
        progress(len(stated), len(stated), "writing")
    return tuple(calls), kernels, names


def _key(step: KnownStep) -> _Key:
    """Return what two steps share that have one kernel: its text, and the values of its symbols."""
    return step.source.text_digest, tuple(sorted(step.symbols.items()))


def _compiled(
    runtime: CRuntime,
    library: str,
    call_of: Callable[[FoundPath], ExportedCall],
    known: Mapping[_Key, str],
    path: FoundPath,
) -> tuple[ExportedCall, list[tuple[str, CKernel | None]]]:
    """Return the call at the end of a path, and its kernels with their names; of one that is there already the name alone."""
    call = call_of(path)
    found: list[tuple[str, CKernel | None]] = []
    for place, step in enumerate(call.known.steps):
        called = known.get(_key(step))
        name = f"{call.name}_kernel{place}"
        if called is None:
            found.append((name, runtime.kernel(library, name, step.source, step.symbols)))
        else:
            found.append((called, None))
    return call, found


def _files(
    name: str,
    calls: tuple[ExportedCall, ...],
    kernels: Mapping[str, tuple[CKernel, str]],
    names: Sequence[Sequence[str]],
    runtime: CRuntime,
    target: Target,
) -> dict[str, bytes]:
    """Return every file of the folder by its path, but for what a compiler makes."""
    own = resources.files("tracea_core.export") / "c"
    text: dict[str, str] = {f"include/{one}": (own / one).read_text() for one in _PUBLIC}
    text |= {f"src/{one}": (own / one).read_text() for one in _SHARED}
    text |= {f"src/{one}": content for one, content in runtime.files.items()}
    text[f"include/{name}.h"] = header(name, __version__, calls, f"{target.profile.name} ({target.profile.arch})")
    defined = [kernel.text for kernel, _ in kernels.values()]
    text[f"src/{name}.c"] = source(name, __version__, calls, defined, names, runtime.define(name), runtime.header)
    text |= {f"kernels/{one}{runtime.suffix}": content for one, (_, content) in kernels.items()}
    text["CMakeLists.txt"], text[f"cmake/{name}-config.cmake"] = _cmake(name, runtime)
    text[MARK] = json.dumps(_facts(name, calls, names, target), indent=2) + "\n"
    code = {f"kernels/{one}{kernel.suffix}": kernel.code for one, (kernel, _) in kernels.items()}
    code |= {f"kernels/{one}": content for one, content in runtime.objects(name).items()}
    return {**{path: content.encode() for path, content in text.items()}, **code}


def _cmake(name: str, runtime: CRuntime) -> tuple[str, str]:
    """Return what builds the library with CMake, and what finds the one that was built here."""
    libraries = " ".join(runtime.libraries)
    flags = " ".join(runtime.flags)
    built = f"""cmake_minimum_required(VERSION 3.16)
project({name} C)
file(GLOB kernels ${{CMAKE_CURRENT_SOURCE_DIR}}/kernels/*.o)
add_library({name} SHARED src/{name}.c ${{kernels}})
add_library(tracea::{name} ALIAS {name})
set_target_properties({name} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON C_VISIBILITY_PRESET hidden)
target_compile_options({name} PRIVATE {flags})
target_include_directories({name} PUBLIC include PRIVATE src)
target_link_libraries({name} PRIVATE {libraries})
"""
    found = f"""get_filename_component(_tracea_folder "${{CMAKE_CURRENT_LIST_DIR}}/.." ABSOLUTE)
if(NOT TARGET tracea::{name})
  add_library(tracea::{name} SHARED IMPORTED)
  set_target_properties(tracea::{name} PROPERTIES
    IMPORTED_LOCATION "${{_tracea_folder}}/lib/lib{name}.so"
    IMPORTED_SONAME lib{name}.so
    INTERFACE_INCLUDE_DIRECTORIES "${{_tracea_folder}}/include")
endif()
"""
    return built, found


def _facts(
    name: str, calls: tuple[ExportedCall, ...], names: Sequence[Sequence[str]], target: Target
) -> dict[str, object]:
    """Return what the library is, for whoever finds it: calls, kernels, configurations, certificates."""
    return {
        "library": name,
        "tracea": __version__,
        "target": {"name": target.profile.name, "arch": target.profile.arch, "backend": target.backend},
        "calls": [
            {
                "function": f"{name}_{call.name}",
                "call": call.line,
                "tensors": {one: describe(spec) for one, spec in call.tensors.items()},
                "variant": call.path.choice.variant.name,
                "configuration": call.path.configuration.describe(),
                "kernels": [
                    {"name": called, "entry": step.source.entry, "schedule": step.source.kernel_digest,
                     "certificate": msgspec.to_builtins(step.certificate)}
                    for called, step in zip(found, call.known.steps, strict=True)
                ],
            }
            for call, found in zip(calls, names, strict=True)
        ],
    }  # fmt: skip


def _written(
    folder: Path,
    name: str,
    calls: tuple[ExportedCall, ...],
    files: Mapping[str, bytes],
    runtime: CRuntime,
    target: Target,
    built: bool | None,
) -> ExportedLibrary:
    """Write the files beside their place, build them, and move them into it."""
    folder = folder.absolute()
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
    except OSError as error:
        raise OptionError(
            f"{folder} cannot be made: {error.strerror}", hint="Name a folder that you may write to"
        ) from error
    try:
        for path, content in files.items():
            place = scratch / path
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(content)
        made, note = None, "it was asked for without"
        if built is not False:
            try:
                made, note = build(scratch, name, runtime.machine, runtime.flags, runtime.libraries), ""
            except BackendUnavailableError as error:
                if built:
                    raise
                note = error.message
        os.chmod(scratch, 0o755)
        _replace(scratch, folder)
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return ExportedLibrary(folder, name, calls, None if made is None else folder / made.relative_to(scratch), note)


def _replace(made: Path, folder: Path) -> None:
    """Put a folder in the place of another, which is whole until then."""
    old = made.with_name(made.name + ".old")
    if folder.exists():
        folder.rename(old)
    made.rename(folder)
    shutil.rmtree(old, ignore_errors=True)
