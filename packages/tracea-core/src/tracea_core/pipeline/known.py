# SPDX-License-Identifier: MIT
"""Plans of known problems, found before anything is built: what decides a plan is known from what is asked for and by whom.

Walking the path to a plan that was made before builds its semantic kernels again only to learn their names. But everything that
decides a plan can be named first: the problem, the target, the compiler, a given configuration, pins and measurements, and the code of
core and of the backend. So what the end of the path needs (printed text, certificate, launch facts, the values of symbols) is stored under
a digest of those, and a kernel is built again only for who looks at it. An entry is checked by the cache's checksum over key and
content, and by the digests in it: each certificate names its kernel, each text its kernel and its certificate.
"""

from __future__ import annotations

import functools
import hashlib
import os
import sys
import time
import weakref
from collections.abc import Iterator
from typing import NamedTuple

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import MalformedDataError
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.configure import lock_file, measured_state
from tracea_core.pipeline.runtimes import runtime
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.plugin.select import Selection
from tracea_core.policy.config import PipelineConfig
from tracea_core.runtime.cache import BinaryCache, key_digest
from tracea_core.semantic.verify.certificate import PROOF_VERSION, Certificate

_VERSION = 1
"""Of what is stored."""
_BEGAN = time.time_ns()
_REMEMBERED = 1024
"""Plans that one process keeps in memory; then it forgets them all."""


class KnownStep(Data, frozen=True):
    """One kernel of a plan: text, certificate, the values of its symbols, its pointers, and bytes that they are moved by."""

    source: KernelSource
    certificate: Certificate
    symbols: dict[str, int]
    operands: tuple[str, ...]
    shifts: dict[str, int]


class Known(Data, frozen=True):
    """What the end of a path needs.

    Attributes
    ----------
    steps : tuple of KnownStep
        The kernels in the order in which they run.
    spaces : dict of str to int
        Bytes of each workspace between them.
    inputs : tuple of DType
        What the kernels read the problem's inputs as.
    fallback : str
        What was traded for a kernel where none computes exactly what was asked for, in words; else empty.
    """

    steps: tuple[KnownStep, ...]
    spaces: dict[str, int]
    inputs: tuple[DType, ...]
    fallback: str = ""

    @property
    def whole(self) -> bool:
        """Whether texts and certificates belong together."""
        return bool(self.steps) and all(
            step.source.kernel_digest == step.certificate.kernel
            and step.source.certificate == step.certificate.digest()
            for step in self.steps
        )


def plan_key(problem: Problem, selection: Selection, configuration: PipelineConfig | None) -> str | None:
    """Return the name of a plan, or None for what has none: a preset's, one that nobody prints, or of code that lies in no file.

    It changes with the problem, the target, the compiler, a given configuration, the project's pins, what has been measured since, and the
    code of core and of the backend.
    """
    target, manifest = selection.target, selection.manifest
    if not target.executable or not manifest.emitters:  # a backend that prints nothing is not opened to ask
        return None
    code = _code_of(manifest)
    if code is None:
        return None
    return key_digest(
        arch=target.digest(),
        toolchain=runtime(target.backend, target.device).toolchain,
        source=problem.to_json(),
        flags=(
            "" if configuration is None else configuration.to_json(), lock_file().to_json(), measured_state(), code,
            *(f"{family} {function.__module__}.{function.__qualname__}" for family, function in sorted(manifest.emitters.items())),
        ),
        abi=f"plan {_VERSION}, proofs {PROOF_VERSION}",
    )  # fmt: skip


def recall(key: str, cache: BinaryCache) -> Known | None:
    """Return the plan of that name, from memory or from the cache, or None if there is none that can be trusted."""
    remembered = _remembered.setdefault(cache, {})
    found = remembered.get(key)
    if found is not None:
        return found
    content = cache.get(key)
    if content is None:
        return None
    try:
        found = Known.from_json(content)
    except MalformedDataError:
        return None
    if not found.whole:
        return None
    _keep(remembered, key, found)
    return found


def remember(key: str, known: Known, cache: BinaryCache) -> None:
    """Keep a plan under its name."""
    _keep(_remembered.setdefault(cache, {}), key, known)
    cache.put(key, known.to_json().encode())


def forget(key: str, cache: BinaryCache) -> None:
    """Forget a plan that did not do, in memory; the next one of its name takes its place on disk."""
    _remembered.setdefault(cache, {}).pop(key, None)


_remembered: weakref.WeakKeyDictionary[BinaryCache, dict[str, Known]] = weakref.WeakKeyDictionary()


def _keep(remembered: dict[str, Known], key: str, known: Known) -> None:
    if len(remembered) >= _REMEMBERED:
        remembered.clear()
    remembered[key] = known


# ---- code


class _File(NamedTuple):
    """A file of code: its path, when it was written, in nanoseconds, and its bytes."""

    path: str
    written: int
    size: int


def _code_of(manifest: BackendManifest) -> str | None:
    """Return what names the code that makes a backend's plans; None where some of it lies in no file."""
    functions = (manifest.variants, manifest.open_runtime, *manifest.emitters.values())
    packages = {str(getattr(function, "__module__", "")).partition(".")[0] for function in functions}
    stamps = [_stamp(package) for package in sorted({*packages, *manifest.libraries, __name__.partition(".")[0]})]
    return None if None in stamps else " ".join((manifest.version, *map(str, stamps)))


@functools.lru_cache(maxsize=32)
def _stamp(package: str) -> str | None:
    """Return a digest of when each file of a package was written and how long it is.

    None where there are no files, or one was written after this process began: what it runs may be older.
    """
    place = getattr(sys.modules.get(package), "__file__", None)
    if place is None:
        return None
    files = sorted(_files(os.path.dirname(place)) if os.path.basename(place).startswith("__init__.") else _file(place))
    if not files or max(file.written for file in files) > _BEGAN:
        return None
    return hashlib.sha256(repr(files).encode()).hexdigest()


def _files(folder: str) -> Iterator[_File]:
    """The files of a folder and of those in it, without byte code."""
    pending = [folder]
    while pending:
        with os.scandir(pending.pop()) as entries:
            for entry in entries:
                if not entry.name.endswith(".py") and entry.is_dir():
                    if entry.name != "__pycache__":
                        pending.append(entry.path)
                else:
                    status = entry.stat()
                    yield _File(entry.path, status.st_mtime_ns, status.st_size)


def _file(path: str) -> Iterator[_File]:
    status = os.stat(path)
    yield _File(path, status.st_mtime_ns, status.st_size)


# What no single plan decides is made ready with this module, so that the first plan of a process costs what every other does: what msgspec
# learns of a class when it is decoded first, and what names the code of core.
Known.from_json(Known((), {}, ()).to_json())
_stamp(__name__.partition(".")[0])
