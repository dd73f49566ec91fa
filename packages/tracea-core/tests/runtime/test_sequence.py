# SPDX-License-Identifier: MIT
"""Launchers of several kernels: the order, the addresses between them, and that nothing is queued that cannot be served."""

from __future__ import annotations

import threading

import pytest
from tracea_core.errors import AlignmentError, LaunchError
from tracea_core.runtime.arena import ALIGNMENT, Arena
from tracea_core.runtime.sequence import Call, Sequence


class Log:
    """Launchers that write down what they were given."""

    def __init__(self) -> None:
        self.launched: list[tuple[str, tuple[int, ...], int]] = []

    def launcher(self, name: str):  # type: ignore[no-untyped-def]
        def launch(*pointers: int, stream: int = 0) -> None:
            self.launched.append((name, pointers, stream))

        return launch


def sequence(log: Log, alignment: int = 16) -> Sequence:
    addresses = iter(range(1 << 20, 1 << 40, 1 << 24))
    arena = Arena(lambda size: next(addresses), lambda address: None)
    calls = [
        Call(log.launcher("copy"), ("input1", "copy1"), (2, 16)),
        Call(log.launcher("product"), ("input0", "copy1", "partial"), (alignment, 16, 4)),
        Call(log.launcher("sum"), ("partial", "output"), (16, 2)),
    ]
    return Sequence(calls, ("input1", "input0", "output"), {"copy1": 100, "partial": 1000}, arena)


def test_kernels_run_in_order_with_the_workspaces_between_them() -> None:
    log = Log()
    sequence(log)(0x102, 0x200, 0x302, stream=9)
    (_, (b, copied), _), (_, (a, again, partial), _), (_, (summed, out), _) = log.launched
    assert [name for name, _, _ in log.launched] == ["copy", "product", "sum"]
    assert (b, a, out) == (0x102, 0x200, 0x302) and copied == again and partial == summed
    assert copied % ALIGNMENT == partial % ALIGNMENT == 0 and not copied <= partial < copied + 100
    assert {stream for _, _, stream in log.launched} == {9}


def test_addresses_are_looked_at_before_anything_is_queued() -> None:
    log = Log()
    with pytest.raises(AlignmentError) as refused:
        sequence(log)(0x102, 0x204, 0x302)
    assert refused.value.alignment == 2 and log.launched == []
    with pytest.raises(LaunchError, match="one address each"):
        sequence(log)(0x102, 0x200)
    assert log.launched == []


def test_a_pointer_that_nobody_gives_is_refused_when_planning() -> None:
    log = Log()
    with pytest.raises(LaunchError, match="copy7"):
        Sequence(
            [Call(log.launcher("x"), ("copy7",), (1,))], ("input0",), {}, Arena(lambda size: 0, lambda address: None)
        )


def test_kernels_of_two_threads_do_not_mix() -> None:
    log = Log()
    plan = sequence(log)
    threads = [
        threading.Thread(target=lambda i=i: [plan(0x1000 * i, 0x2000 * i, 0x3000 * i) for _ in range(50)])
        for i in (1, 2, 3)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    names = [name for name, _, _ in log.launched]
    assert names == ["copy", "product", "sum"] * 150
    for first, _, last in zip(log.launched[::3], log.launched[1::3], log.launched[2::3], strict=True):
        assert last[1][1] == 3 * first[1][0]


def test_kernels_begin_where_their_part_does() -> None:
    log = Log()
    calls = [
        Call(log.launcher("even"), ("input0", "output"), (4, 4)),
        Call(log.launcher("odd"), ("input0", "output"), (4, 4), {"output": 4}),
    ]
    plan = Sequence(calls, ("input0", "output"), {}, None)
    plan(0x100, 0x200, stream=2)
    assert log.launched == [("even", (0x100, 0x200), 2), ("odd", (0x100, 0x204), 2)]
    wide = Sequence([calls[1]._replace(alignments=(4, 16))], ("input0", "output"), {}, None)
    with pytest.raises(AlignmentError):
        wide(0x100, 0x200)
    wide(0x100, 0x20C)
    assert log.launched[-1] == ("odd", (0x100, 0x210), 0)


def test_workspaces_need_memory() -> None:
    with pytest.raises(LaunchError, match="no memory for copy0"):
        Sequence([Call(Log().launcher("x"), ("copy0",), (1,))], (), {"copy0": 4}, None)
