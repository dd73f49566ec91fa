# SPDX-License-Identifier: MIT
"""Winners of tuning that are shipped: what an untuned call of a known problem begins with, on the kind of device that it was timed on.

A file for each kind of device, named after its architecture and itself, holds one winner a line: the whole problem, so that no other one,
be it a little larger, is taken for it, and what was measured (`benchmarks.winners` writes it). What this user measured counts before
them, and what the project pinned.
"""

from __future__ import annotations

import functools
import glob
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from tracea_core.data import Data
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.storage import write_atomic
from tracea_core.target import CapabilityProfile

FOLDER = Path(__file__).with_name("shipped")


class Winner(Data, frozen=True, kw_only=True):
    """One problem's fastest configuration.

    Attributes
    ----------
    title : str
        The problem in words.
    variant : str
        Name of the variant that the configuration is for.
    seconds, policy_seconds : float
        What it took, and what the policy's own choice took in turns with it.
    """

    title: str
    variant: str
    configuration: PipelineConfig
    seconds: float
    policy_seconds: float
    problem: Problem


class Winners(Data, frozen=True, kw_only=True):
    """All winners of one kind of device.

    Attributes
    ----------
    arch, name : str
        The device's architecture, and how the names of such devices begin.
    measured : str
        Date, versions and what was compared, in words.
    """

    arch: str
    name: str
    measured: str
    winners: tuple[Winner, ...]


def read_winners(path: Path) -> Winners:
    """Return the content of a file.

    Raises
    ------
    MalformedDataError
        If it is not the JSON of `Winners`.
    OSError
        If it cannot be read.
    """
    return Winners.from_json(path.read_bytes())


def write_winners(path: Path, winners: Winners) -> None:
    """Write a file with one winner a line, so that differences can be read.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    empty, lines = winners.replace(winners=()).to_json(), ",\n".join(one.to_json() for one in winners.winners)
    write_atomic(path, empty.replace('"winners":[]', f'"winners":[\n{lines}\n]').encode() + b"\n", private=False)


def place(problem: Problem, variant: str) -> tuple[str, str]:
    """Return what a winner is found by: digest of its problem and name of its variant.

    Strides of axes of one element address nothing, and callers differ in them: filters of single channels are of both memory formats at
    once, and PyTorch leaves them as they came.
    """
    settled = problem.replace(
        inputs=tuple(spec.settled() for spec in problem.inputs),
        output=problem.output.settled(),
        epilogue_inputs=tuple(spec.settled() for spec in problem.epilogue_inputs),
    )
    return settled.digest(), variant


def shipped(profile: CapabilityProfile) -> Mapping[tuple[str, str], PipelineConfig]:
    """Return the configurations that come with tracea for such a device, each at its `place`."""
    return _shipped(profile.arch, profile.name)


@functools.lru_cache(maxsize=16)
def _shipped(arch: str, name: str) -> Mapping[tuple[str, str], PipelineConfig]:
    files = (read_winners(path) for path in sorted(FOLDER.glob(f"{glob.escape(arch)}-*.json")))
    found = (one for file in files if file.arch == arch and name.startswith(file.name) for one in file.winners)
    return MappingProxyType({place(one.problem, one.variant): one.configuration for one in found})
