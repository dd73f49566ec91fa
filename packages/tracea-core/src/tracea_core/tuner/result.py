# SPDX-License-Identifier: MIT
"""What the tuner is handed and what it returns: something that measures, and a configuration with its provenance."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from tracea_core.data import Data
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.topology import OperatorTopology
from tracea_core.tuner.measure import Measurement
from tracea_core.tuner.problem import ProblemDescriptor
from tracea_core.tuner.record import Key
from tracea_core.tuner.search import SearchResult


@runtime_checkable
class Measurer(Protocol):
    """Measures configurations of one problem; `compare` does so in turns, for the finalists.

    A plain callable that returns seconds will do as well.
    """

    def __call__(self, configuration: PipelineConfig) -> Measurement:
        """Return the time of one configuration; an exception fails it."""
        ...

    def compare(self, configurations: Sequence[PipelineConfig]) -> Sequence[Measurement]:
        """Return the times of several configurations, measured in turns."""
        ...


@runtime_checkable
class SeveralMeasurer(Measurer, Protocol):
    """A measurer with several devices alike."""

    @property
    def width(self) -> int:
        """How many configurations it measures at once."""
        ...

    def several(self, configurations: Sequence[PipelineConfig]) -> Sequence[Measurement | Exception]:
        """Return the time of each configuration, or why it gave none, in their order."""
        ...


AnyMeasure = Callable[[PipelineConfig], float | Measurement]
MeasureFactory = Callable[[ProblemDescriptor | OperatorTopology], AnyMeasure]


class Origin(enum.Enum):
    """Where a configuration comes from."""

    LOCK = "lock file"
    STORE = "measurement store"
    SEARCH = "search"
    MODEL = "model, not measured"


class TuningResult(Data, frozen=True, kw_only=True):
    """A configuration and how much is known about it.

    Attributes
    ----------
    configuration : PipelineConfig
        What to run.
    origin : Origin
        Where it comes from; only ``SEARCH`` and ``STORE`` were measured.
    measurement : Measurement, optional
        Its time, if measured.
    predicted_seconds : float
        What the roofline says; an estimate for comparison, never a measurement.
    key : Key
        What the choice holds for.
    search : SearchResult, optional
        The search, if there was one.
    note : str
        The origin in a sentence.
    """

    configuration: PipelineConfig
    origin: Origin
    predicted_seconds: float
    key: Key
    measurement: Measurement | None = None
    search: SearchResult | None = None
    note: str = ""

    @property
    def measured(self) -> bool:
        """Whether the choice rests on measurements of this tracea."""
        return self.measurement is not None
