# SPDX-License-Identifier: MIT
"""What runs of `benchmarks.mutants` found, as text that a later run goes on from: no run need be long enough for all.

A fault is known by its kernel and number, a random kernel by its seed and chunk. What is known counts only for the same kernel and the
same code that judges: of verification, interpreter and emitters for a fault, of all packages for a random kernel, which every policy
decides. Else a table could be a sum over programs that differ.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import importlib.util
import json
import re
import string
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.table import Table
from tracea_core.plugin.manager import plugins
from tracea_core.testing.survey import Outcome, Verdict

_LINE = "record "
_OPEN = "."
COLUMNS = ("derived", "made", "caught", "equivalent", "missed", "same text")
_LETTERS = {Outcome.CAUGHT: "c", Outcome.EQUIVALENT: "e", Outcome.MISSED: "m"}
_OUTCOMES = {letter: outcome for outcome, letter in _LETTERS.items()}
_JUDGES = ("data", "dtypes", "errors", "target", "ops", "semantic", "emit", "testing")
"""What of core decides a verdict, besides how kernels are built, which the kernel's digest covers."""
_BUILDS = ("semantic/build", "testing/simt")


@dataclass
class Judged:
    """The faults of one kernel that were judged: by number, the kind and the letter of the outcome, large where a text stayed as it was."""

    key: str
    derived: dict[str, int] = field(default_factory=dict)
    """How many faults of each kind the rules derive, judged or not."""
    faults: dict[int, tuple[str, str]] = field(default_factory=dict)
    wrong: list[str] = field(default_factory=list)

    def note(self, number: int, verdict: Verdict) -> None:
        """Add a verdict, and words where it is one that must not be."""
        letter = _LETTERS[verdict.outcome]
        self.faults[number] = verdict.kind, letter.upper() if verdict.silent else letter
        if verdict.silent or verdict.outcome is Outcome.MISSED:
            self.wrong.append(told(verdict))


@dataclass
class Record:
    """What is known: faults of each kernel, and how many random valid kernels of each (seed, chunk) passed, by schedule."""

    kernels: dict[str, Judged] = field(default_factory=dict)
    code: str = ""
    chunks: dict[tuple[int, int], dict[str, int]] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)

    @property
    def wrong(self) -> list[str]:
        """Words about every fault that was missed or did not change a text."""
        return [words for judged in self.kernels.values() for words in judged.wrong]

    def counts(self) -> dict[str, Counter[str]]:
        """Return the numbers of `COLUMNS` by kind."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for judged in self.kernels.values():
            for kind, number in judged.derived.items():
                found[kind]["derived"] += number
            for kind, letter in judged.faults.values():
                _count(found[kind], letter)
        return dict(sorted(found.items()))

    def by_kernel(self) -> dict[str, Counter[str]]:
        """Return the numbers of `COLUMNS` by kernel."""
        found: dict[str, Counter[str]] = {}
        for name, judged in self.kernels.items():
            found[name] = Counter(derived=sum(judged.derived.values()))
            for _, letter in judged.faults.values():
                _count(found[name], letter)
        return found

    def passed(self) -> Counter[str]:
        """Return how many random valid kernels of each schedule were certified."""
        return sum((Counter(chunk) for chunk in self.chunks.values()), Counter[str]())

    def line(self) -> str:
        """Return all of it on one line."""
        kernels = {name: _packed(judged) for name, judged in self.kernels.items()}
        chunks = [[*place, passed] for place, passed in sorted(self.chunks.items())]
        entries = {"kernels": kernels, "code": self.code, "chunks": chunks, "refused": self.refused}
        return _LINE + base64.b64encode(zlib.compress(json.dumps(entries).encode(), 9)).decode()

    def summary(self) -> dict[str, Any]:
        """Return the tables, to be stored."""
        rows = {name: {column: counted[column] for column in COLUMNS} for name, counted in self.counts().items()}
        kernels = {name: {column: counted[column] for column in COLUMNS} for name, counted in self.by_kernel().items()}
        valid = {"certified": self.passed().total(), "refused": len(self.refused), "schedules": dict(self.passed())}
        every = {column: sum(counted[column] for counted in kernels.values()) for column in COLUMNS}
        return {"all": every, "kinds": rows, "kernels": kernels, "wrong": self.wrong, "valid": valid}


def _count(counted: Counter[str], letter: str) -> None:
    counted["made"] += 1
    counted[_OUTCOMES[letter.lower()].value] += 1
    counted["same text"] += letter.isupper()


def _packed(judged: Judged) -> list[Any]:
    kinds = sorted({kind for kind, _ in judged.faults.values()})
    size = max(judged.faults, default=-1) + 1
    named, outcomes = [_OPEN] * size, [_OPEN] * size
    for number, (kind, letter) in judged.faults.items():
        named[number], outcomes[number] = string.ascii_letters[kinds.index(kind)], letter
    return [judged.key, judged.derived, kinds, "".join(named), "".join(outcomes), judged.wrong]


def _unpacked(
    key: str, derived: dict[str, int], kinds: Sequence[str], named: str, outcomes: str, wrong: list[str]
) -> Judged:
    faults = {
        number: (kinds[string.ascii_letters.index(kind)], letter)
        for number, (kind, letter) in enumerate(zip(named, outcomes, strict=True))
        if letter != _OPEN
    }
    return Judged(key, derived, faults, wrong)


def told(verdict: Verdict) -> str:
    """Return a line about a verdict."""
    silent = f" (same text: {', '.join(verdict.silent)})" if verdict.silent else ""
    return f"{verdict.outcome.value}{silent}: {verdict.kind}: {verdict.words}: {verdict.reason}"


def read(paths: Iterable[Path]) -> Record:
    """Return what the outputs of earlier runs say together; of what other code judged, what the last one says."""
    found = Record()
    for path in paths:
        for line in path.read_text().splitlines():
            if line.startswith(_LINE):
                _add(found, json.loads(zlib.decompress(base64.b64decode(line.removeprefix(_LINE)))))
    return found


def _add(found: Record, entries: Mapping[str, Any]) -> None:
    for name, packed in entries["kernels"].items():
        judged = _unpacked(*packed)
        known = found.kernels.get(name)
        if known is not None and known.key == judged.key:
            known.faults.update(judged.faults)
            known.wrong += [words for words in judged.wrong if words not in known.wrong]
        else:
            found.kernels[name] = judged
    if entries["code"]:
        if entries["code"] != found.code:
            found.code, found.chunks, found.refused = entries["code"], {}, []
        found.chunks.update({(seed, number): passed for seed, number, passed in entries["chunks"]})
        found.refused += [words for words in entries["refused"] if words not in found.refused]


def table(counts: Mapping[str, Counter[str]], title: str = "Planted faults", head: str = "kind") -> Table:
    """Return the table, one row for each name and one for their sum."""
    found = Table(head, *COLUMNS, title=title)
    for column in found.columns[1:]:
        column.justify = "right"
    for name, counted in counts.items():
        found.add_row(name, *(str(counted[column]) for column in COLUMNS))
    found.add_section()
    every = sum(counts.values(), Counter[str]())
    found.add_row("all", *(str(every[column]) for column in COLUMNS))
    return found


@functools.cache
def _sources(package: str) -> dict[str, bytes]:
    """The Python files of an installed package by their path within it."""
    spec = importlib.util.find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        return {}
    root = Path(next(iter(spec.submodule_search_locations)))
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in sorted(root.rglob("*.py"))}


def _packages(backend: str) -> tuple[str, ...]:
    """The packages that bring a backend: its own, and those besides core that it imports from."""
    found = [plugins().load(backend).target.split(".")[0]]
    for package in found:
        text = b"\n".join(_sources(package).values()).decode()
        named = set(re.findall(r"^\s*(?:from|import) (tracea_\w+)", text, re.MULTILINE))
        found += sorted(named - {"tracea_core", *found})
    return tuple(found)


@functools.cache
def judging_code(backend: str) -> str:
    """Return the digest of the code that decides verdicts on kernels of a backend, besides what builds them."""
    mine = {
        name: text
        for name, text in _sources("tracea_core").items()
        if name.removesuffix(".py").split("/")[0] in _JUDGES and not name.startswith(_BUILDS)
    }
    return _digest(mine, *map(_sources, _packages(backend)))


def all_code(backends: Iterable[str]) -> str:
    """Return the digest of core and of the backends."""
    own = {name: Path(__file__).with_name(f"mutant_{name}.py").read_bytes() for name in ("kernels", "problems")}
    packages = {package for backend in backends for package in _packages(backend)}
    return _digest(own, _sources("tracea_core"), *map(_sources, sorted(packages)))


def _digest(*packages: Mapping[str, bytes]) -> str:
    found = hashlib.sha256()
    for package in packages:
        for name, text in sorted(package.items()):
            found.update(f"{name} {len(text)}\n".encode() + text)
    return found.hexdigest()[:16]
