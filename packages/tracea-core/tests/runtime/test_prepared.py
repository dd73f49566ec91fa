# SPDX-License-Identifier: MIT
"""Calls without arguments: they pass what they were given, slots are used again, and else the function itself is called."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
from collections.abc import Iterator

import pytest
from tracea_core.runtime import prepared as module
from tracea_core.runtime.prepared import _Pages, prepared

WORD = ctypes.c_void_p
arrived: list[tuple[int, ...]] = []


@ctypes.CFUNCTYPE(ctypes.c_int, WORD, WORD, WORD, WORD)
def seen(*words: int | None) -> int:
    arrived.append(tuple(word or 0 for word in words))
    return len(arrived)


@pytest.fixture(autouse=True)
def pages(monkeypatch: pytest.MonkeyPatch) -> Iterator[_Pages]:
    arrived.clear()
    made = _Pages()
    monkeypatch.setattr(module, "_pages", made)
    yield made


def test_words_arrive_in_order_and_the_result_returns(pages: _Pages) -> None:
    words = (0x0123456789ABCDEF, (1 << 64) - 1, None, 7)
    call = prepared(seen, *words)
    assert isinstance(call, functools.partial) is not pages.possible, "this machine makes calls, or says that it cannot"
    assert (call(), call()) == (1, 2)
    assert arrived == [tuple(word or 0 for word in words)] * 2


def test_calls_keep_their_words_apart() -> None:
    calls = [prepared(seen, number, 0, 0, 0) for number in range(600)]  # more than a chunk has slots
    for call in reversed(calls):
        call()
    assert [words[0] for words in arrived] == list(reversed(range(600)))


def test_slots_are_used_again(pages: _Pages) -> None:
    if not pages.possible:
        pytest.skip("nothing made here runs")
    for number in range(2000):
        assert prepared(seen, number, 0, 0, 0)() == number + 1
        gc.collect(0)
    assert arrived[-1][0] == 1999 and len(pages._kept) == 1, "one chunk is enough for calls that nobody keeps"


def test_what_is_no_c_function_is_bound_to_its_arguments() -> None:
    def python(*words: int | None) -> int:
        arrived.append(words)  # type: ignore[arg-type]
        return 3

    assert prepared(python, 1, None)() == 3 and arrived == [(1, None)]


def test_without_memory_that_runs_the_function_is_called(pages: _Pages, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> int:
        raise PermissionError("memory must not run here")

    monkeypatch.setattr(os, "memfd_create", refused, raising=False)
    call = prepared(seen, 1, 2, 3, 4)
    assert isinstance(call, functools.partial) and call() == 1 and arrived == [(1, 2, 3, 4)]
    assert not pages.possible, "it is not tried again"


def test_more_words_than_registers_are_passed_by_ctypes() -> None:
    five = ctypes.CFUNCTYPE(ctypes.c_int, *(WORD,) * 5)(lambda *words: len(words))
    call = prepared(five, 1, 2, 3, 4, 5)
    assert isinstance(call, functools.partial) and call() == 5


def test_a_child_takes_no_slot_of_its_parent() -> None:
    call = prepared(seen, 1, 0, 0, 0)
    child = os.fork()
    if not child:
        own = [prepared(seen, 9, 0, 0, 0) for _ in range(300)]
        os._exit(0 if own[-1]() and arrived[-1][0] == 9 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    again = [prepared(seen, 2, 0, 0, 0) for _ in range(300)]
    call()
    assert arrived == [(1, 0, 0, 0)] and again
