# SPDX-License-Identifier: MIT
"""A variant that runs only where its caller asked for it: precision is never given up silently."""

from __future__ import annotations

from tracea_core.data import Data
from tracea_core.ops.problem import Problem
from tracea_core.target import CapabilityProfile


class RequiresOption(Data, frozen=True, tag=True):
    """The caller gave an option, a truth value of `tracea_core.ops.problem.Options`, by its name."""

    name: str

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"{self.name}=True"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        return None if getattr(problem.options, self.name) else f"{self.describe()} was not asked for"
