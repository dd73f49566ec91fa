# SPDX-License-Identifier: MIT
"""Calls of known arguments: they pass what they were given, look at what they get, and else the function itself is called."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import sys
import threading
from collections.abc import Iterator

import pytest
from tracea_core.runtime import prepared as module
from tracea_core.runtime.prepared import MOVED, prepared, unmoved

WORD = ctypes.c_void_p
arrived: list[tuple[int, ...]] = []


class Thing:
    """Is somewhere."""

    def __init__(self, place: int) -> None:
        self.place = place


class Other(Thing):
    """Another type."""


@ctypes.CFUNCTYPE(ctypes.c_int, *(WORD,) * 6)
def seen(*words: int | None) -> int:
    arrived.append(tuple(word or 0 for word in words))
    return len(arrived)


@ctypes.PYFUNCTYPE(WORD, ctypes.py_object)
def place_of(thing: Thing) -> int:
    return thing.place


PLACE_OF = ctypes.cast(place_of, WORD).value or 0
native = pytest.mark.skipif(module._routine() is None, reason="no built-in function can be made here")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    arrived.clear()
    yield
    module._routine.cache_clear()


def test_words_arrive_in_order_and_the_result_returns() -> None:
    words = (0x0123456789ABCDEF, (1 << 64) - 1, None, 7, 8, 9)
    call = prepared(seen, *words)
    assert isinstance(call, functools.partial) is (module._routine() is None)
    assert (call(), call()) == (1, 2)
    assert arrived == [tuple(word or 0 for word in words)] * 2


@native
def test_words_that_are_not_given_are_null_and_results_have_a_sign() -> None:
    assert prepared(seen, 5)() == 1 and arrived == [(5, 0, 0, 0, 0, 0)]
    negative = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: -7)
    assert prepared(negative)() == -7


@native
def test_calls_keep_their_words_apart() -> None:
    calls = [prepared(seen, number) for number in range(600)]
    gc.collect()
    for call in reversed(calls):
        call()
    assert [words[0] for words in arrived] == list(reversed(range(600)))


@native
def test_arguments_have_to_be_where_they_were() -> None:
    call = unmoved(prepared(seen, 4), PLACE_OF, [(Thing, 10), None, (Other, (1 << 64) - 16)])
    assert call is not None
    there = Thing(10), "anything", Other((1 << 64) - 16)
    assert call(*there) == 1 and arrived == [(4, 0, 0, 0, 0, 0)]
    moved = [
        (Thing(11), *there[1:]), (*there[:2], Other(0)), (Other(10), *there[1:]), (*there[:2], Thing((1 << 64) - 16)), there[:2], (),
        (*there, None), (None, *there[1:]), (10, *there[1:]),
    ]  # fmt: skip
    assert [call(*arguments) for arguments in moved] == [MOVED] * len(moved)
    assert len(arrived) == 1, "nothing was called for those"
    with pytest.raises(TypeError):
        call(*there, out=1)
    assert prepared(seen, 4)(there) == MOVED, "and none are taken where none were listed"


@native
def test_no_reference_is_lost_or_kept() -> None:
    thing = Thing(10)
    call = unmoved(prepared(seen, 4), PLACE_OF, [(Thing, 10)])
    assert call is not None
    before = sys.getrefcount(thing), sys.getrefcount(Thing)
    for _ in range(100):
        call(thing)
        call(Other(10))
    assert (sys.getrefcount(thing), sys.getrefcount(Thing)) == before


@native
def test_other_threads_go_on_meanwhile() -> None:
    entered, go = threading.Event(), threading.Event()

    @ctypes.CFUNCTYPE(ctypes.c_int)
    def waits() -> int:
        entered.set()
        return 1 if go.wait(10) else 2

    results: list[int] = []
    thread = threading.Thread(target=lambda call: results.append(call()), args=(prepared(waits),))
    thread.start()
    assert entered.wait(10)
    go.set()
    thread.join()
    assert results == [1]


def test_what_is_no_c_function_is_bound_to_its_arguments() -> None:
    def python(*words: int | None) -> int:
        arrived.append(words)  # type: ignore[arg-type]
        return 3

    call = prepared(python, 1, None)
    assert call() == 3 and arrived == [(1, None)]
    assert unmoved(call, PLACE_OF, []) is None and unmoved([].append, PLACE_OF, []) is None  # type: ignore[arg-type]


def test_without_memory_that_runs_the_function_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def refused(*_: object) -> int:
        asked.append(1)
        raise PermissionError("memory must not run here")

    monkeypatch.setattr(os, "memfd_create", refused, raising=False)
    module._routine.cache_clear()
    call = prepared(seen, 1, 2, 3, 4, 5, 6)
    assert isinstance(call, functools.partial) and call() == 1 and arrived == [(1, 2, 3, 4, 5, 6)]
    assert unmoved(call, PLACE_OF, []) is None
    prepared(seen, 1)
    assert len(asked) <= 1, "it is not tried again"


def test_more_words_than_registers_are_passed_by_ctypes() -> None:
    seven = ctypes.CFUNCTYPE(ctypes.c_int, *(WORD,) * 7)(lambda *words: len(words))
    call = prepared(seven, 1, 2, 3, 4, 5, 6, 7)
    assert isinstance(call, functools.partial) and call() == 7


@native
def test_a_child_has_the_function_too() -> None:
    call = prepared(seen, 1)
    child = os.fork()
    if not child:
        os._exit(0 if call() and prepared(seen, 9)() == 2 and arrived[-1][0] == 9 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not arrived
