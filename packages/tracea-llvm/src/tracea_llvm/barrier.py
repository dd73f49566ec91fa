# SPDX-License-Identifier: MIT
"""The barrier that workers meet at, as LLVM IR: a function that a module defines whose kernel holds a barrier step."""

from __future__ import annotations

LINE = 64
"""Bytes of a cache line: no two words that workers write share one."""
BARRIER_BYTES = 2 * LINE

SPINS_BEFORE_YIELD = 4096  # must be a power of two
_PAUSE = {
    "x86_64": ("declare void @llvm.x86.sse2.pause()", "call void @llvm.x86.sse2.pause()"),
    # `yield` does nothing on most AArch64 processors; a barrier on instructions waits about as long as pause does
    "aarch64": ("declare void @llvm.aarch64.isb(i32)", "call void @llvm.aarch64.isb(i32 15)"),
}


def machine_of(triple: str) -> str:
    """Return the processor family of an LLVM triple, as the tables here name it."""
    family = triple.split("-")[0]
    return {"amd64": "x86_64", "arm64": "aarch64"}.get(family, family)


def waiting(triple: str) -> tuple[str, str]:
    """Return the declarations of what waiting needs, and the instruction that waits a little."""
    declare, pause = _PAUSE.get(machine_of(triple), ("", ""))
    return f"{declare}\ndeclare i32 @sched_yield()".strip(), pause


def waiting_loop(triple: str, origins: tuple[str, ...], look: tuple[str, ...], closed: str) -> str:
    """Return the blocks from ``spin`` on, which `origins` lead to and which leave to ``done``: pause, and give the processor away at times.

    Parameters
    ----------
    look : tuple of str
        Instructions that look at what is waited for.
    closed : str
        The value of theirs that is true as long as there is something to wait for.
    """
    _, pause = waiting(triple)
    begun = "".join(f"[ 0, %{origin} ], " for origin in origins)
    looked = "\n  ".join(look)
    return f"""spin:
  %spins = phi i64 {begun}[ %spins_next, %again ]
  {looked}
  br i1 %{closed}, label %wait, label %done
wait:
  {pause}
  %spins_next = add i64 %spins, 1
  %low = and i64 %spins_next, {SPINS_BEFORE_YIELD - 1}
  %is_tired = icmp eq i64 %low, 0
  br i1 %is_tired, label %give_way, label %again
give_way:
  %given = call i32 @sched_yield()
  br label %again
again:
  br label %spin"""


def barrier_text(triple: str) -> str:
    """Return ``tracea_barrier(ptr barrier, i64 workers)``, for modules whose kernels hold a barrier step.

    The barrier is two lines: arrivals and generation. The last worker to arrive resets the count and moves the
    generation on; the others spin on it, and give their processor away now and then, so that more workers than
    processors still finish.
    """
    declare, _ = waiting(triple)
    again = (
        "%now = load atomic i64, ptr %generation_line acquire, align 8",
        "%still_closed = icmp eq i64 %now, %generation",
    )
    return f"""{declare}

; Wait until all workers have arrived.
define internal void @tracea_barrier(ptr %barrier, i64 %workers) noinline nounwind {{
entry:
  %generation_line = getelementptr i8, ptr %barrier, i64 {LINE}
  %generation = load atomic i64, ptr %generation_line acquire, align 8
  %arrived_before = atomicrmw add ptr %barrier, i64 1 acq_rel
  %arrived = add i64 %arrived_before, 1
  %is_last = icmp eq i64 %arrived, %workers
  br i1 %is_last, label %open, label %spin
open:
  store atomic i64 0, ptr %barrier monotonic, align 8
  %opened = atomicrmw add ptr %generation_line, i64 1 release
  ret void
{waiting_loop(triple, ("entry",), again, "still_closed")}
done:
  ret void
}}
"""
