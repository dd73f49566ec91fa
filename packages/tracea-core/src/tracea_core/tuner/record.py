# SPDX-License-Identifier: MIT
"""What the measurement store keeps: one record per measurement, with everything that decides whether it still applies.

A time is only comparable with times of the same problem, variant, hardware, driver and compiler (`Key`); it only says
something about today's kernel if that kernel's source is the one that was measured (`Record.source`).
"""

from __future__ import annotations

import enum
import hashlib
import re

import msgspec

from tracea_core.data import Data
from tracea_core.errors import TuningError
from tracea_core.policy.config import PipelineConfig
from tracea_core.target import CapabilityProfile
from tracea_core.tuner.measure import Measurement


class Status(enum.Enum):
    """How measuring a candidate ended."""

    OK = "ok"
    FAILED = "failed"  # an exception: did not compile, did not fit, gave wrong results
    CRASHED = "crashed"  # took its process down
    TIMEOUT = "timeout"  # hung

    @property
    def blacklists(self) -> bool:
        """Whether a candidate that ended so is not tried again."""
        return self in (Status.CRASHED, Status.TIMEOUT)


class Key(Data, frozen=True, kw_only=True):
    """What must be equal for two times to be comparable.

    Attributes
    ----------
    hardware : str
        `hardware_fingerprint` of the device.
    driver, compiler : str
        Names with versions; empty where there is none.
    problem : str
        Digest of the problem class: op, static extents, dtypes, stride classes, epilogue.
    variant : str
        Name of the variant (``cpu.contraction.avx2``).
    """

    hardware: str
    driver: str
    compiler: str
    problem: str
    variant: str = ""


class Record(Data, frozen=True, kw_only=True):
    """One measurement of one configuration.

    Attributes
    ----------
    key : Key
        What the time is comparable with.
    configuration : PipelineConfig
        What was measured.
    source : str
        Digest of the kernel source that was measured.
    status : Status
        How it ended; `measurement` is there if and only if it ended well, `error` says what went wrong otherwise.
    title : str
        The problem in words, for people who read an export.
    timestamp : float
        Seconds since 1970, UTC.
    """

    key: Key
    configuration: PipelineConfig
    source: str
    status: Status
    measurement: Measurement | None = None
    error: str = ""
    title: str = ""
    timestamp: float = 0.0

    def __post_init__(self) -> None:
        if (self.status is Status.OK) != (self.measurement is not None):
            raise TuningError(
                "a record holds a measurement if and only if its status is ok",
                status=self.status.value,
                configuration=self.configuration.describe(),
            )


def hardware_fingerprint(profile: CapabilityProfile) -> str:
    """Return a readable name of the hardware that is the same in every process and on every machine of its kind.

    Only what cannot change from one probe to the next takes part: measured clocks and bandwidths would make every restart
    a new machine, and tuning would be lost.
    """
    stable = [
        profile.vendor, profile.arch, profile.name, profile.processors, profile.lanes, profile.vector_registers,
        profile.registers_per_processor, profile.shared_bytes, profile.max_cluster, sorted(profile.features),
        [(cache.level, cache.bytes, cache.shared_by) for cache in profile.caches],
    ]  # fmt: skip
    digest = hashlib.sha256(msgspec.json.encode(stable)).hexdigest()
    slug = re.sub(r"[^a-z0-9]+", "-", profile.name.lower()).strip("-")[:40]
    return f"{slug}-{digest[:16]}"
