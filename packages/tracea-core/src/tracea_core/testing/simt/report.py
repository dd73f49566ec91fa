# SPDX-License-Identifier: MIT
"""What one run in the emulator found, as values that print well."""

from __future__ import annotations

from collections.abc import Callable

from tracea_core.data import Data
from tracea_core.testing.errors import ConformanceError


class Site(Data, frozen=True):
    """A line of the kernel's text, or of a header it includes; line 0 where the compiler kept none.

    Attributes
    ----------
    called_from : tuple of int
        The lines of the calls that were inlined around it, outwards; the last one stands in the kernel itself.
    """

    file: str
    line: int
    called_from: tuple[int, ...] = ()

    def __str__(self) -> str:
        if not self.line:
            return "an unknown line"
        around = f" (called from {', '.join(map(str, self.called_from))})" if self.called_from else ""
        return f"{self.file}:{self.line}{around}"


class Finding(Data, frozen=True):
    """One fault of a kernel.

    Attributes
    ----------
    kind : str
        ``race``, ``out-of-bounds``, ``read-only``, ``misaligned``, ``uninitialised``, ``divergence``, ``deadlock``, ``endless``,
        ``proxy``, ``barrier``, ``unsupported``.
    message : str
        What was seen the first time.
    site : Site
        Where.
    other_site : Site or None
        The other half of a race or of a divergence.
    block, thread : tuple of int
        Who, the first time.
    count : int
        How often.
    """

    kind: str
    message: str
    site: Site
    other_site: Site | None
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    count: int

    def __str__(self) -> str:
        other = f" (the other at {self.other_site})" if self.other_site else ""
        times = f", {self.count} times" if self.count > 1 else ""
        return f"{self.kind} at {self.site}{other}: {self.message}, block {self.block}{times}"


class BankAccesses(Data, frozen=True):
    """What the shared-memory accesses of one place cost.

    Attributes
    ----------
    site : Site
        Where the access stands.
    width : int
        Bytes per lane.
    write : bool
        Whether any of them is a store.
    accesses : int
        Executions by a warp.
    phases : int
        Cycles that they would take without conflicts.
    cycles : int
        Cycles that they take.
    worst : int
        Cycles of the worst phase.
    """

    site: Site
    width: int
    write: bool
    accesses: int
    phases: int
    cycles: int
    worst: int

    @property
    def conflicts(self) -> int:
        """Extra cycles, as profilers count bank conflicts."""
        return self.cycles - self.phases


class SimtReport(Data, frozen=True):
    """What one launch did.

    Attributes
    ----------
    findings : tuple of Finding
        Every fault, one entry for each kind and place.
    bank_conflicts : int
        Extra cycles of all shared-memory accesses.
    counts : dict
        Executions of each instruction that has a twin: by warps for a warp's instructions (``"mfma_f32_32x32x8f16"``,
        ``"shuffle"``), by threads for the others (``"__syncthreads"``, ``"buffer_load"``).
    accesses : int
        Memory accesses of all threads.
    located : callable
        Returns `banks`; finding the lines takes longer than most launches.
    """

    findings: tuple[Finding, ...]
    bank_conflicts: int
    counts: dict[str, int]
    accesses: int
    located: Callable[[], tuple[BankAccesses, ...]]

    @property
    def kinds(self) -> frozenset[str]:
        """The kinds of faults found."""
        return frozenset(finding.kind for finding in self.findings)

    @property
    def banks(self) -> tuple[BankAccesses, ...]:
        """Every place that accesses shared memory, in the order of the text."""
        return self.located()

    def require_clean(self) -> None:
        """Raise if there is any finding.

        Raises
        ------
        ConformanceError
            With every finding.
        """
        if self.findings:
            raise ConformanceError(str(self))

    def __str__(self) -> str:
        lines = [str(finding) for finding in self.findings] or ["no findings"]
        if self.bank_conflicts:
            lines += [
                f"bank conflicts at {access.site}: {access.conflicts} extra cycles in {access.phases} phases, worst {access.worst}"
                for access in self.banks
                if access.conflicts
            ]
        return "\n".join(lines)
