# SPDX-License-Identifier: MIT
"""``tracea.lock``: choices that are pinned, so that the same kernels run tomorrow and on the colleague's machine.

Unlike a cache it is written on purpose, reviewed and committed, so a damaged or contradictory one is an error that names
the place. It is JSON with one pin per line in a fixed order: two people's pins merge cleanly unless they contradict.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from tracea_core.data import Data
from tracea_core.errors import TuningError
from tracea_core.policy.config import PipelineConfig
from tracea_core.storage import write_atomic

LOCK_NAME = "tracea.lock"


class Pin(Data, frozen=True, kw_only=True):
    """One pinned choice.

    Attributes
    ----------
    hardware : str
        `hardware_fingerprint` of the device. Driver and compiler do not take part: a pin survives their updates.
    problem : str
        Digest of the problem class.
    variant : str
        Name of the variant the configuration is for.
    configuration : PipelineConfig
        What is pinned.
    title : str
        The problem in words.
    """

    hardware: str
    problem: str
    variant: str
    configuration: PipelineConfig
    title: str = ""


class LockFile(Data, frozen=True, kw_only=True):
    """All pins of a project.

    Raises
    ------
    TuningError
        If two pins for the same hardware, problem and variant hold different configurations, or the version is unknown.
    """

    version: int = 1
    pins: tuple[Pin, ...] = ()

    def __post_init__(self) -> None:
        if self.version != 1:
            raise TuningError(
                f"this tracea reads version 1 of {LOCK_NAME}, not {self.version}", hint="Update tracea, or pin again"
            )
        seen: dict[tuple[str, str, str], Pin] = {}
        contradictions = []
        for pin in self.pins:
            other = seen.setdefault(_place(pin), pin)
            if other.configuration != pin.configuration:
                contradictions.append(_contradiction(other, pin))
        if contradictions:
            raise TuningError(
                f"{LOCK_NAME} contradicts itself: " + "; ".join(contradictions), hint="Delete one pin of each pair"
            )

    def find(self, *, hardware: str, problem: str, variant: str) -> PipelineConfig | None:
        """Return the pinned configuration, or None."""
        for pin in self.pins:
            if _place(pin) == (hardware, problem, variant):
                return pin.configuration
        return None

    def merge(self, pins: Iterable[Pin], *, override: bool = False) -> LockFile:
        """Return a lock file that also holds `pins`.

        Raises
        ------
        TuningError
            If a new pin contradicts an old one and `override` is false; every such pair is named.
        """
        merged = {_place(pin): pin for pin in self.pins}
        contradictions = []
        for pin in pins:
            other = merged.get(_place(pin))
            if other is not None and other.configuration != pin.configuration and not override:
                contradictions.append(_contradiction(other, pin))
            merged[_place(pin)] = pin
        if contradictions:
            raise TuningError(
                "already pinned to something else: " + "; ".join(contradictions),
                hint="Remove the old pin, or ask to override it",
            )
        return LockFile(pins=tuple(merged[place] for place in sorted(merged)))


def read_lock(path: str | os.PathLike[str] = LOCK_NAME) -> LockFile:
    """Return the pins in `path`; a file that does not exist holds none.

    Raises
    ------
    TuningError
        If the file cannot be read, is not a lock file, or contradicts itself.
    """
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        return LockFile()
    except OSError as error:
        raise TuningError(f"{path} cannot be read: {error}", hint="Repair or remove it") from error
    if b"<<<<<<<" in text:
        raise TuningError(f"{path} holds the marks of an unfinished merge", hint="Finish it: keep one pin of each pair")
    try:
        return LockFile.from_json(text)
    except ValueError as error:
        raise TuningError(
            f"{path} cannot be used: {error}", hint="Restore it from version control, or remove it and pin again"
        ) from error


def write_lock(pins: Iterable[Pin], path: str | os.PathLike[str] = LOCK_NAME, *, override: bool = False) -> LockFile:
    """Add `pins` to the file in one atomic step, safe against other processes that do the same; return its new content.

    Raises
    ------
    TuningError
        As for `read_lock` and `LockFile.merge`.
    OSError
        If the file cannot be written.
    """
    place = Path(path).absolute()
    import filelock  # imports much, and is needed here alone

    with filelock.FileLock(place.with_name(f".{place.name}.guard"), timeout=30):
        content = read_lock(place).merge(pins, override=override)
        lines = ",\n".join(f"  {pin.to_json()}" for pin in content.pins)
        write_atomic(place, f'{{"version":{content.version},"pins":[\n{lines}\n]}}\n'.encode(), private=False)
    return content


def _place(pin: Pin) -> tuple[str, str, str]:
    return pin.hardware, pin.problem, pin.variant


def _contradiction(old: Pin, new: Pin) -> str:
    what = new.title or old.title or new.problem
    return (
        f"{what} with {new.variant} on {new.hardware} is {old.configuration.describe()} "
        f"and {new.configuration.describe()}"
    )
