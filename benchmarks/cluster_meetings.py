# SPDX-License-Identifier: MIT
"""Two blocks of a cluster that meet, in programs of a few lines: right by the rules of PTX, or without a meeting.

A tool that reports a right one does not follow that meeting, and what it reports of a kernel that meets so shows nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Direction, Launch, Parameter

SOURCE = Path(__file__).with_suffix(".cu")
THREADS = 128
"""Of each block, those that write and read; as many others do neither."""
_SHARED_BYTES = 2048
_PRELUDE_ENDS = "\n#endif\n"


@dataclass(frozen=True)
class Meeting:
    """One way for two blocks to meet: its number in the program, and whether it is one at all."""

    words: str
    number: int
    right: bool = True


MEETINGS = {
    "no-meeting": Meeting("blocks read each other's memory without a meeting", 0, right=False),
    "arrivals": Meeting("one thread of each block arrives at the mbarriers of both, for all of its block", 1),
    "cluster-barrier": Meeting("barrier.cluster", 2),
    "arrivals-of-some": Meeting(
        "the same for half of the threads of each block, which meet by a barrier of their own", 3
    ),
    "arrivals-late": Meeting("as by half of the threads, but one block comes late: the other waits", 5),
    "arrivals-again": Meeting("as in the first, twice: before words are read, and before they are overwritten", 4),
}


def source_of(meeting: Meeting, like: KernelSource) -> KernelSource:
    """Return the program with one meeting, whose functions are those of a printed kernel."""
    prelude, end, _ = like.text.rpartition(_PRELUDE_ENDS)
    return KernelSource(
        language=like.language, arch=like.arch, entry="meeting", symbols=(), workspaces=(),
        text=f"{prelude}{end}#define MEETING {meeting.number}\n{SOURCE.read_text()}",
        parameters=(Parameter("out", DType.INT32, Direction.WRITE, 16),), kernel_digest="", certificate="",
        launch=Launch(Const(2), 2 * THREADS, 2, _SHARED_BYTES),
    )  # fmt: skip


def expected() -> tuple[int, ...]:
    """Return what a right program writes: to each block, what the other wrote, every pair exchanged."""
    return tuple(1000 * (1 - rank) + (thread ^ 1) for rank in range(2) for thread in range(THREADS))


def run(name: str, like: KernelSource, device: str = "cuda:0") -> None:
    """Launch one program.

    Raises
    ------
    AssertionError
        If a right program read anything else.
    """
    import torch
    from tracea_core.pipeline.runtimes import runtime

    meeting = MEETINGS[name]
    out = torch.full((2 * THREADS,), -1, dtype=torch.int32, device=device)
    torch.cuda.synchronize()
    runtime("cuda", device).compile(source_of(meeting, like)).prepare({})(out.data_ptr())
    torch.cuda.synchronize()
    agrees = tuple(out.tolist()) == expected()
    assert agrees or not meeting.right, f"{name}: {meeting.words}: blocks read what the other has not written"
