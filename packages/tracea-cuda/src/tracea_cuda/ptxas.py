# SPDX-License-Identifier: MIT
"""What the assembler says it did: registers, spills, and the performance warnings that it files under information.

A kernel that spills, whose register budgets were dropped or whose matrix instructions were serialized still computes the right
thing, only slowly and silently, so its log is read and such a kernel refused.
"""

from __future__ import annotations

import re

from tracea_core.data import Data
from tracea_core.errors import CompileError, ScheduleError

SERIOUS = {
    "C7504": "wgmma is serialized",
    "C7508": "setmaxnreg is dropped",
    **{f"C75{number:02}": "wgmma is serialized" for number in range(9, 16)},
}
"""Messages after which a kernel is refused, with what each family means; the numbers are ptxas's own."""

_ENTRY = re.compile(r"Compiling entry function '([^']+)'")
_PROPERTIES = re.compile(
    r"(?P<stack_bytes>\d+) bytes stack frame, (?P<spill_store_bytes>\d+) bytes spill stores, (?P<spill_load_bytes>\d+) bytes spill loads"
)
_REGISTERS = re.compile(r"Used (\d+) registers(.*)")
_BARRIERS = re.compile(r"used (\d+) barriers")
_SHARED = re.compile(r"(\d+) bytes smem")
_MESSAGE = re.compile(r"\((C\d{4})\)\s*(.*)")


class PtxasReport(Data, frozen=True):
    """The assembler's report of one kernel.

    Attributes
    ----------
    entry : str
        The kernel.
    registers : int
        32-bit registers of a thread at entry.
    stack_bytes, spill_store_bytes, spill_load_bytes : int
        Local memory of a thread, and what spilling writes and reads of it.
    barriers, shared_bytes : int
        Named barriers, and statically allocated shared memory.
    messages : tuple of str
        Numbered messages such as ``C7510 Potential Performance Loss: …``, in the order of the log, each once.
    """

    entry: str
    registers: int = 0
    stack_bytes: int = 0
    spill_store_bytes: int = 0
    spill_load_bytes: int = 0
    barriers: int = 0
    shared_bytes: int = 0
    messages: tuple[str, ...] = ()

    @property
    def faults(self) -> tuple[str, ...]:
        """Everything for which the kernel is refused, empty if nothing."""
        found = []
        if self.spill_store_bytes or self.spill_load_bytes:
            found.append(
                f"it spills: {self.spill_store_bytes} bytes stored and {self.spill_load_bytes} loaded by a thread"
            )
        for message in self.messages:
            number, _, words = message.partition(" ")
            if number in SERIOUS:
                found.append(f"{SERIOUS[number]} ({number}: {words})")
        return tuple(found)

    def describe(self) -> str:
        """Return the figures in a line."""
        return (
            f"{self.registers} registers, {self.stack_bytes} bytes of stack, spills {self.spill_store_bytes}/{self.spill_load_bytes}, "
            f"{self.barriers} barriers, {self.shared_bytes} bytes of static shared memory"
        )

    def require(self) -> None:
        """Raise if the kernel is to be refused.

        Raises
        ------
        ScheduleError
            With every fault.
        """
        if self.faults:
            raise ScheduleError(
                "the assembler could not keep the kernel's schedule: " + "; ".join(self.faults),
                hint="Choose another configuration: smaller tiles, fewer accumulators, or more warpgroups",
                kernel=self.entry,
                registers=self.registers or None,
            )


def parse(log: str, entry: str) -> PtxasReport:
    """Return what a verbose log says about the kernel `entry`.

    Messages name no kernel before its section begins, so all of the log's count for it.

    Raises
    ------
    CompileError
        If the log has no section about the kernel: then nothing is known, and nothing may be assumed.
    """
    section, found = False, False
    figures: dict[str, int] = {}
    messages: dict[str, None] = {}
    for line in log.splitlines():
        if message := _MESSAGE.search(line):
            messages[f"{message[1]} {message[2].strip()}"] = None
        if started := _ENTRY.search(line):
            section = started[1] == entry
            found = found or section
        if not section:
            continue
        if properties := _PROPERTIES.search(line):
            figures |= {name: int(number) for name, number in properties.groupdict().items()}
        if used := _REGISTERS.search(line):
            figures["registers"] = int(used[1])
            for name, pattern in (("barriers", _BARRIERS), ("shared_bytes", _SHARED)):
                if number := pattern.search(used[2]):
                    figures[name] = int(number[1])
    if not found or "registers" not in figures:
        raise CompileError(
            f"the assembler's log says nothing about the kernel {entry!r}",
            hint="It should have been asked with -v; please report the log",
            log=repr(log[-500:]),
        )
    return PtxasReport(entry, **figures, messages=tuple(messages))
