# SPDX-License-Identifier: MIT
"""What a kind of kernel needs of a device, whatever the problem: its architecture, instructions, memory and registers.

See `tracea_core.doctor.requirements` for what a requirement is, and for those about problems.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tracea_core.data import Data
from tracea_core.target import AsyncCopyKind, CapabilityProfile

if TYPE_CHECKING:
    from tracea_core.ops.problem import Problem

_NUMBER = re.compile(r"\d+")


class RequiresArch(Data, frozen=True, tag=True):
    """The compiler target is one of `archs`, exactly (``sm_90a``, ``gfx942``)."""

    archs: tuple[str, ...]

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "one of " + ", ".join(self.archs)

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        return None if profile.arch in self.archs else f"needs {self.describe()}; the device is {profile.arch}"


class RequiresArchAtLeast(Data, frozen=True, tag=True):
    """The compiler target starts with `prefix` and its number is at least `number`: ``sm_``, 80 accepts ``sm_90a``."""

    prefix: str
    number: int

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"{self.prefix}{self.number} or newer"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        if profile.arch.startswith(self.prefix):
            found = _NUMBER.match(profile.arch, len(self.prefix))
            if found and int(found.group()) >= self.number:
                return None
        return f"needs {self.describe()}; the device is {profile.arch}"


class RequiresFeatures(Data, frozen=True, tag=True):
    """The instruction set has every one of `features`."""

    features: tuple[str, ...]

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return "the instructions " + ", ".join(self.features)

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        missing = [feature for feature in self.features if not profile.has(feature)]
        return f"{profile.name} has no {', '.join(missing)}" if missing else None


class RequiresInstruction(Data, frozen=True, tag=True):
    """The device has the matrix instruction called `name`."""

    name: str

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"the matrix instruction {self.name}"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        known = {instruction.name for instruction in profile.matrix_instructions}
        return None if self.name in known else f"{profile.name} has no matrix instruction {self.name}"


class RequiresAsyncCopy(Data, frozen=True, tag=True):
    """The device can copy into shared memory in this way."""

    kind: AsyncCopyKind

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"asynchronous copies of kind {self.kind.value}"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        return None if self.kind in profile.async_copies else f"{profile.name} has no {self.describe()}"


class RequiresSharedMemory(Data, frozen=True, tag=True):
    """One block can have `bytes` of shared memory."""

    bytes: int

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"{self.bytes} bytes of shared memory per block"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        if profile.shared_bytes >= self.bytes:
            return None
        return f"needs {self.describe()}; {profile.name} has {profile.shared_bytes}"


class RequiresRegisters(Data, frozen=True, tag=True):
    """A CPU core has this many architectural vector registers, or a GPU thread may have this many 32-bit registers."""

    count: int

    def describe(self) -> str:
        """Return what is asked for, as a noun phrase."""
        return f"{self.count} registers"

    def reason(self, problem: Problem, profile: CapabilityProfile) -> str | None:
        """Return why it is not met, or None."""
        available = profile.vector_registers or profile.max_registers_per_thread
        return None if available >= self.count else f"needs {self.describe()}; {profile.name} has {available}"
