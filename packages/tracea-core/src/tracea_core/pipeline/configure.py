# SPDX-License-Identifier: MIT
"""Configuration: bind every free parameter of the chosen variant, and say where the values come from.

In this order: what the caller pinned, the project's lock file, the best measurement of this problem class on this hardware, what tuning
found for exactly this problem on a device of this kind before tracea was shipped, and the policy's first hero that can be built. Nothing is
measured here; tuning is asked for, never a surprise on the way of a call.
"""

from __future__ import annotations

import enum
import functools
import os
from pathlib import Path
from typing import TYPE_CHECKING

from tracea_core.data import Data
from tracea_core.doctor.choose import Choice
from tracea_core.errors import TuningError
from tracea_core.pipeline.runtimes import runtime
from tracea_core.policy.config import BarrierMode, PipelineConfig
from tracea_core.policy.decision import PolicyDecision
from tracea_core.semantic.build.schedules import first_buildable
from tracea_core.semantic.forms import AnyLowered, lower_any
from tracea_core.storage import warn_once
from tracea_core.tuner.additions import store_path, written
from tracea_core.tuner.lock import LOCK_NAME, LockFile, read_lock
from tracea_core.tuner.record import Key, hardware_fingerprint
from tracea_core.tuner.winners import place, shipped

if TYPE_CHECKING:
    from tracea_core.tuner.store import MeasurementStore


_HALVED = 64
"""Columns of which a tile that is halved has a multiple, so that what is left fills boxes."""


class Origin(enum.Enum):
    """Where a configuration comes from."""

    GIVEN = "given by the caller"
    LOCKED = "pinned by the lock file"
    MEASURED = "best measurement on this hardware"
    SHIPPED = "winner of tuning on such a device, shipped"
    HERO = "policy, not measured"


class Configured(Data, frozen=True):
    """A configuration, its origin, and the policy decision that stands behind the search for it.

    `measured_source` is the digest of the source that was timed, if the configuration was measured.
    """

    configuration: PipelineConfig
    origin: Origin
    decision: PolicyDecision
    measured_source: str = ""


@functools.lru_cache(maxsize=1)
def store() -> MeasurementStore:
    """Return this user's measurements."""
    from tracea_core.tuner.store import MeasurementStore  # with the database, which many a process never opens

    return MeasurementStore()


def measured_state() -> str:
    """Return what changes whenever a measurement is added; a store that there is is not opened for it."""
    opened = getattr(store, "cache_info", None)
    usual = store_path()
    return written(usual if opened is not None and not opened().currsize and usual.exists() else store().path)


def problem_class(lowered: AnyLowered) -> str:
    """Return the digest of the class of problems that a measurement speaks for: the form, and sizes to a power of two."""
    form = lowered.form.digest()
    sizes = ",".join(f"{name}:{max(value, 0).bit_length()}" for name, value in lowered.values if value >= 0)
    return f"{form[:32]}-{sizes}"


def store_key(choice: Choice, lowered: AnyLowered) -> Key:
    """Return what a measurement of this choice is filed under."""
    target = choice.target
    compiler = runtime(target.backend, target.device).toolchain if target.executable else ""
    return Key(
        hardware=hardware_fingerprint(target.profile),
        driver="",
        compiler=compiler,
        problem=problem_class(lowered),
        variant=choice.variant.name,
    )


def configure(choice: Choice, given: PipelineConfig | None = None, *, measured: bool = True) -> Configured:
    """Return the configuration to use for `choice`.

    Parameters
    ----------
    measured : bool
        Whether stored measurements count.

    Raises
    ------
    ConfigurationError
        If no known configuration fits the device.
    """
    from tracea_core.policy.engine import PolicyEngine  # known plans do without the policy's rules

    decision = PolicyEngine(choice.target.profile).decide(choice.problem, choice.variant)
    if given is not None:
        return Configured(given, Origin.GIVEN, decision)
    lowered = lower_any(choice.problem, choice.variant)
    key = store_key(choice, lowered)
    pinned = lock_file().find(hardware=key.hardware, problem=key.problem, variant=key.variant)
    if pinned is not None:
        return Configured(pinned, Origin.LOCKED, decision)
    if measured and choice.target.executable:
        best = store().best(key)
        if best is not None:
            return Configured(best.configuration, Origin.MEASURED, decision, best.source)
    winner = shipped(choice.target.profile).get(place(choice.problem, choice.variant.name))
    known = () if winner is None else (winner,)
    whole = [hero.replace(split_k=1) for hero in decision.heroes if hero.split_k > 1]
    candidates = (*known, *decision.heroes, *whole)
    hero = first_buildable(lowered, candidates, choice.target.profile, choice.variant)
    return Configured(hero, Origin.SHIPPED if hero in known else Origin.HERO, decision)


def replacements(configured: Configured) -> tuple[PipelineConfig, ...]:
    """Return what is tried, in this order, where a compiler does not keep the schedule of `configured` (it spills, say).

    The policy's other heroes, then those with twice the lanes, which hold half as much each, and one step of k instead of two, then tiles
    of warpgroups with half the columns (bias, batch norm and GELU spilled beside 128 sums). What the caller, a lock file or a measurement
    chose is not replaced.
    """
    if configured.origin not in (Origin.HERO, Origin.SHIPPED):
        return ()
    heroes = (configured.configuration, *configured.decision.heroes)
    wider = [hero.replace(unroll_k=1, warps=2 * hero.warps) for hero in heroes if hero.unroll_k > 1]
    specialized = (hero for hero in heroes if hero.barrier_mode is not BarrierMode.NONE)
    narrower = [hero.replace(tile_n=hero.tile_n // 2) for hero in specialized if hero.tile_n % _HALVED == 0]
    return tuple(one for one in dict.fromkeys((*heroes, *wider, *narrower)) if one != configured.configuration)


def lock_file() -> LockFile:
    """Return the pins of the current directory's lock file, none if there is none."""
    return _lock_file(os.getcwd())


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
