# SPDX-License-Identifier: MIT
"""The thread pool's machine code, as LLVM IR text: workers that spin and then sleep, and a launch.

A pool is a block of 64-byte lines, one word used in each, so that no two words share a cache line: the launch counter
that workers watch, the number of workers still to report, the kernel, its arguments, how many workers sleep, how many
take part, and the processor the last launch came from. Every launch wakes all workers; those that take part run
``kernel(arguments, worker, workers)`` once.
"""

from __future__ import annotations

from tracea_llvm.barrier import LINE, machine_of, waiting, waiting_loop

GENERATION, PENDING, KERNEL, ARGUMENTS, SLEEPERS, WORKERS, ORIGIN = range(7)
POOL_BYTES = 7 * LINE

_SPINS_BEFORE_SLEEP = 20_000  # about 0.3 ms: longer than the gap between two kernels of one model
_FUTEX = {"x86_64": 202, "aarch64": 98}  # system call numbers of Linux
_WAIT_PRIVATE, _WAKE_PRIVATE, _EVERYBODY = 128, 129, 2**31 - 1


def has_futex(triple: str) -> bool:
    """Whether the emitted pool works for this triple (Linux on x86-64 or AArch64)."""
    return "linux" in triple and machine_of(triple) in _FUTEX


def pool_text(triple: str) -> str:
    """Return what a thread of the pool runs, and what launches a kernel on them.

    These are ``tracea_worker(ptr pool, i64 worker)`` and ``tracea_launch(ptr pool, ptr kernel, ptr arguments,
    i64 workers, i64 size)``; the latter uses the caller and the first ``workers - 1`` of ``size - 1`` threads. Every
    thread reports after each launch, whether it took part or not, so the next launch never meets one that has not
    looked yet. One that is handed the null kernel returns. A thread counts itself as a sleeper before the futex
    compares the generation, and a launch reads the count after it has moved the generation, all sequentially
    consistent, so no wake-up is lost: either the launch sees the sleeper, or the futex sees the new generation.
    """
    declare, _ = waiting(triple)
    return f"""{declare}
declare i64 @syscall(i64, ...)
declare i32 @sched_getcpu()

{_worker_text(triple)}

{_launch_text(triple)}
"""


def _line(name: str, index: int) -> str:
    return f"%{name} = getelementptr i8, ptr %pool, i64 {index * LINE}"


_LINES = "\n  ".join(
    (
        _line("pending", PENDING),
        _line("kernel_line", KERNEL),
        _line("arguments_line", ARGUMENTS),
        _line("sleepers", SLEEPERS),
        _line("workers_line", WORKERS),
    )
)


def _worker_text(triple: str) -> str:
    """Return ``tracea_worker``: watch the generation, sleep when it stays, and run one's share of what comes."""
    _, pause = waiting(triple)
    futex = _FUTEX[machine_of(triple)]
    return f"""define void @tracea_worker(ptr %pool, i64 %worker) nounwind {{
entry:
  {_LINES}
  br label %watch
watch:
  %seen = phi i64 [ 0, %entry ], [ %seen, %spin ], [ %seen, %sleep ], [ %generation, %report ]
  %spins = phi i64 [ 0, %entry ], [ %spins_next, %spin ], [ 0, %sleep ], [ 0, %report ]
  %generation = load atomic i64, ptr %pool acquire, align 8
  %is_new = icmp ne i64 %generation, %seen
  br i1 %is_new, label %take, label %wait
wait:
  {pause}
  %spins_next = add i64 %spins, 1
  %is_tired = icmp ugt i64 %spins_next, {_SPINS_BEFORE_SLEEP}
  br i1 %is_tired, label %sleep, label %spin
spin:
  br label %watch
sleep:
  %counted = atomicrmw add ptr %sleepers, i64 1 seq_cst
  %expected = trunc i64 %generation to i32
  %woken = call i64 (i64, ...) @syscall(i64 {futex}, ptr %pool, i32 {_WAIT_PRIVATE}, i32 %expected, ptr null, ptr null, i32 0)
  %uncounted = atomicrmw sub ptr %sleepers, i64 1 seq_cst
  br label %watch
take:
  %kernel = load ptr, ptr %kernel_line, align 8
  %arguments = load ptr, ptr %arguments_line, align 8
  %workers = load i64, ptr %workers_line, align 8
  %is_over = icmp eq ptr %kernel, null
  br i1 %is_over, label %leave, label %join
join:
  %takes_part = icmp slt i64 %worker, %workers
  br i1 %takes_part, label %run, label %report
run:
  call void %kernel(ptr %arguments, i64 %worker, i64 %workers)
  br label %report
report:
  %left = atomicrmw sub ptr %pending, i64 1 release
  br label %watch
leave:
  %left_for_good = atomicrmw sub ptr %pending, i64 1 release
  ret void
}}"""


def _launch_text(triple: str) -> str:
    """Return ``tracea_launch``: move the generation on, wake who sleeps, run the caller's share, and wait for the others."""
    reports = (
        "%running = load atomic i64, ptr %pending acquire, align 8",
        "%is_running = icmp ne i64 %running, 0",
    )
    futex = _FUTEX[machine_of(triple)]
    return f"""define void @tracea_launch(ptr %pool, ptr %kernel, ptr %arguments, i64 %workers, i64 %size) nounwind {{
entry:
  {_LINES}
  {_line("origin_line", ORIGIN)}
  %origin = call i32 @sched_getcpu()
  store i32 %origin, ptr %origin_line, align 4
  store ptr %kernel, ptr %kernel_line, align 8
  store ptr %arguments, ptr %arguments_line, align 8
  store i64 %workers, ptr %workers_line, align 8
  %threads = sub i64 %size, 1
  store atomic i64 %threads, ptr %pending release, align 8
  %before = atomicrmw add ptr %pool, i64 1 seq_cst
  %asleep = load atomic i64, ptr %sleepers seq_cst, align 8
  %someone_sleeps = icmp ne i64 %asleep, 0
  br i1 %someone_sleeps, label %wake, label %work
wake:
  %woken = call i64 (i64, ...) @syscall(i64 {futex}, ptr %pool, i32 {_WAKE_PRIVATE}, i32 {_EVERYBODY}, ptr null, ptr null, i32 0)
  br label %work
work:
  %is_over = icmp eq ptr %kernel, null
  br i1 %is_over, label %spin, label %own_share
own_share:
  call void %kernel(ptr %arguments, i64 0, i64 %workers)
  br label %spin
{waiting_loop(triple, ("work", "own_share"), reports, "is_running")}
done:
  ret void
}}"""
