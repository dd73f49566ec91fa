# SPDX-License-Identifier: MIT
"""Configuration: bind every free parameter of the chosen variant, and say where the values come from.

In this order: what the caller pinned, the project's lock file, the best measurement of this problem class on this hardware, and
the policy's first hero that can be built. Nothing is measured here; tuning is asked for, never a surprise on the way of a call.
"""

from __future__ import annotations

import enum
import functools
import os
from pathlib import Path

from tracea_core.data import Data
from tracea_core.doctor.choose import Choice
from tracea_core.errors import TuningError
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyDecision, PolicyEngine
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.storage import warn_once
from tracea_core.tuner.lock import LOCK_NAME, LockFile, read_lock
from tracea_core.tuner.record import Key, hardware_fingerprint
from tracea_core.tuner.store import MeasurementStore


class Origin(enum.Enum):
    """Where a configuration comes from."""

    GIVEN = "given by the caller"
    LOCKED = "pinned by the lock file"
    MEASURED = "best measurement on this hardware"
    HERO = "policy, not measured"


class Configured(Data, frozen=True):
    """A configuration, its origin, and the policy decision that stands behind the search for it."""

    configuration: PipelineConfig
    origin: Origin
    decision: PolicyDecision


@functools.lru_cache(maxsize=1)
def store() -> MeasurementStore:
    """Return this user's measurements."""
    return MeasurementStore()


def problem_class(lowered: Lowered) -> str:
    """Return the digest of the class of problems that a measurement speaks for: the form, and sizes to a power of two."""
    form = lowered.contraction.digest()
    sizes = ",".join(f"{name}:{max(value, 0).bit_length()}" for name, value in lowered.values if value >= 0)
    return f"{form[:32]}-{sizes}"


def store_key(choice: Choice, lowered: Lowered, compiler: str = "") -> Key:
    """Return what a measurement of this choice is filed under."""
    return Key(
        hardware=hardware_fingerprint(choice.target.profile),
        driver="",
        compiler=compiler,
        problem=problem_class(lowered),
        variant=choice.variant.name,
    )


def configure(choice: Choice, given: PipelineConfig | None = None) -> Configured:
    """Return the configuration to use for `choice`.

    Raises
    ------
    ConfigurationError
        If no known configuration fits the device.
    """
    decision = PolicyEngine(choice.target.profile).decide(choice.problem, choice.variant)
    if given is not None:
        return Configured(given, Origin.GIVEN, decision)
    lowered = lower(choice.problem)
    locked = _lock_file(os.getcwd())
    key = store_key(choice, lowered)
    if locked.pins:
        pinned = locked.find(hardware=key.hardware, problem=key.problem, variant=key.variant)
        if pinned is not None:
            return Configured(pinned, Origin.LOCKED, decision)
    if choice.target.executable:
        best = best_measured(key)
        if best is not None:
            return Configured(best, Origin.MEASURED, decision)
    return Configured(decision.hero, Origin.HERO, decision)


def best_measured(key: Key) -> PipelineConfig | None:
    """Return the fastest configuration on record for `key`, whatever compiler measured it."""
    record = store().best(key)
    return None if record is None else record.configuration


@functools.lru_cache(maxsize=8)
def _lock_file(directory: str) -> LockFile:
    path = Path(directory) / LOCK_NAME
    if not path.exists():
        return LockFile()
    try:
        return read_lock(path)
    except TuningError as error:
        warn_once(path, "lock file", f"{path} is ignored: {error}")
        return LockFile()


def forget_lock_file() -> None:
    """Read the lock file again at the next plan."""
    _lock_file.cache_clear()
