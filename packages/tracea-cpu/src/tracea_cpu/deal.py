# SPDX-License-Identifier: MIT
"""Dealing a launch: its shares go one by one to whichever worker is free, so that a slower processor gets fewer of them.

A kernel is proved for every number of workers, and each worker's part on its own. So a launch may cut its work into more parts than
there are workers, if nothing in it waits for the others. A processor is often slower than its neighbours: another process takes its
turns there, or another guest of the same host does; halves then end when the slower one ends. ``tracea_deal`` is what the pool runs in
place of such a kernel. It takes the next share from a counter until none is left, and points the kernel's memory of "its" worker at
that of the thread, which only ever works on one share at a time.
"""

from __future__ import annotations

import ctypes
import functools
import hashlib
import struct
from collections.abc import Sequence

from tracea_llvm.barrier import LINE

from tracea_cpu import compile as compiler

DEALT = "shares"
"""The symbol by which a plan asks for so many shares; without it every worker gets one."""
_HEAD_WORDS = 5
_KERNEL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)

DEAL_TEXT = f"""; Run shares of a kernel until none is left. deal: the next share; from the second line on the kernel, its arguments,
; how many shares and argument words there are, which word is the first address of memory, and the bytes of each that a worker owns.
define void @tracea_deal(ptr %deal, i64 %worker, i64 %workers) nounwind {{
entry:
  %kernel_word = getelementptr i8, ptr %deal, i64 {LINE}
  %kernel = load ptr, ptr %kernel_word, align 8
  %arguments_word = getelementptr i8, ptr %deal, i64 {LINE + 8}
  %arguments = load ptr, ptr %arguments_word, align 8
  %shares_word = getelementptr i8, ptr %deal, i64 {LINE + 16}
  %shares = load i64, ptr %shares_word, align 8
  %words_word = getelementptr i8, ptr %deal, i64 {LINE + 24}
  %words = load i64, ptr %words_word, align 8
  %memory_word = getelementptr i8, ptr %deal, i64 {LINE + 32}
  %memory = load i64, ptr %memory_word, align 8
  %sizes = getelementptr i8, ptr %deal, i64 {LINE + 8 * _HEAD_WORDS}
  %own = alloca i64, i64 %words, align 8
  br label %copy
copy:
  %i = phi i64 [ 0, %entry ], [ %i_next, %copy ]
  %from = getelementptr i64, ptr %arguments, i64 %i
  %argument = load i64, ptr %from, align 8
  %to = getelementptr i64, ptr %own, i64 %i
  store i64 %argument, ptr %to, align 8
  %i_next = add i64 %i, 1
  %copies = icmp slt i64 %i_next, %words
  br i1 %copies, label %copy, label %take
take:
  %share = atomicrmw add ptr %deal, i64 1 monotonic
  %is_left = icmp slt i64 %share, %shares
  br i1 %is_left, label %place, label %done
place:
  ; the kernel adds share times the bytes, so that it ends at the memory of this worker
  %ahead = sub i64 %worker, %share
  %has_memory = icmp slt i64 %memory, %words
  br i1 %has_memory, label %move, label %run
move:
  %j = phi i64 [ %memory, %place ], [ %j_next, %move ]
  %number = sub i64 %j, %memory
  %size_word = getelementptr i64, ptr %sizes, i64 %number
  %size = load i64, ptr %size_word, align 8
  %moved = mul i64 %ahead, %size
  %base_word = getelementptr i64, ptr %arguments, i64 %j
  %base = load i64, ptr %base_word, align 8
  %address = add i64 %base, %moved
  %place_word = getelementptr i64, ptr %own, i64 %j
  store i64 %address, ptr %place_word, align 8
  %j_next = add i64 %j, 1
  %moves = icmp slt i64 %j_next, %words
  br i1 %moves, label %move, label %run
run:
  call void %kernel(ptr %own, i64 %share, i64 %shares)
  br label %take
done:
  ret void
}}
"""


@functools.lru_cache(maxsize=1)
def _code() -> compiler.LoadedObject:
    return compiler.load(DEAL_TEXT, hashlib.sha256(DEAL_TEXT.encode()).hexdigest())


class Deal:
    """One launch's counter, and what `tracea_deal` has to know of its kernel.

    Parameters
    ----------
    kernel, arguments : int
        Address of the kernel, and of its argument block of `words` 8-byte words.
    shares : int
        Parts that the kernel's work is cut into; at least one.
    sizes : sequence of int
        For each of the last words, the bytes that one worker owns of the memory that it points at; 0 where all share it.
    """

    def __init__(self, kernel: int, arguments: int, shares: int, words: int, sizes: Sequence[int]) -> None:
        head = struct.pack(f"{_HEAD_WORDS}q", kernel, arguments, shares, words, words - len(sizes))
        self._memory = ctypes.create_string_buffer(2 * LINE + len(head) + 8 * len(sizes))
        self.address = -(-ctypes.addressof(self._memory) // LINE) * LINE
        ctypes.memmove(self.address + LINE, head + struct.pack(f"{len(sizes)}q", *sizes), len(head) + 8 * len(sizes))
        self._next = ctypes.c_int64.from_address(self.address)
        self._code = _code()  # kept: threads that load it at once get one each, and the cache keeps one of them
        self.code = self._code.address("tracea_deal")
        self.function = _KERNEL(self.code)

    def begin(self) -> int:
        """Put all shares back; return the address for the pool. The launch before has to be over."""
        self._next.value = 0
        return self.address
