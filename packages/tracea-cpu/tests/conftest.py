# SPDX-License-Identifier: MIT
"""Small kernels for the runtime, and a cache directory of the tests' own."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource, Workspace
from tracea_core.semantic.index import Const
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol
from tracea_cpu import compile as compiler
from tracea_llvm.barrier import barrier_text


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the user's cache out of the tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRACEA_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        compiler.object_cache.cache_clear()
        yield
    compiler.object_cache.cache_clear()


def word(name: str, index: int, kind: str = "i64") -> str:
    """The text that reads word `index` of the argument block."""
    return (
        f"  %{name}_word = getelementptr i64, ptr %arguments, i64 {index}\n"
        f"  %{name} = load {kind}, ptr %{name}_word, align 8"
    )


def mark_text() -> str:
    """``mark(out, rounds, barrier, slots)``: each worker counts itself in, `rounds` times, with barriers between.

    Word ``worker`` of `slots`, which all share, takes the number of the round. After a barrier everybody adds up all
    slots; a sum that is not ``workers`` times the round is a barrier that let someone through, and is counted in
    ``out[1]``. ``out[0]`` counts the workers that finished, ``out[2 + worker]`` holds ``workers``.
    """
    return f"""{barrier_text(compiler.host_triple())}

define void @mark(ptr %arguments, i64 %worker, i64 %workers) nounwind {{
entry:
{word("out", 0, "ptr")}
{word("rounds", 1)}
{word("barrier", 2, "ptr")}
{word("slots", 3, "ptr")}
  %own = getelementptr i64, ptr %slots, i64 %worker
  br label %round
round:
  %i = phi i64 [ 1, %entry ], [ %i_next, %joined ]
  %wrong = phi i64 [ 0, %entry ], [ %wrong_next, %joined ]
  store atomic i64 %i, ptr %own monotonic, align 8
  call void @tracea_barrier(ptr %barrier, i64 %workers)
  br label %sum
sum:
  %w = phi i64 [ 0, %round ], [ %w_next, %sum ]
  %total = phi i64 [ 0, %round ], [ %total_next, %sum ]
  %slot = getelementptr i64, ptr %slots, i64 %w
  %seen = load atomic i64, ptr %slot monotonic, align 8
  %total_next = add i64 %total, %seen
  %w_next = add i64 %w, 1
  %all = icmp eq i64 %w_next, %workers
  br i1 %all, label %joined, label %sum
joined:
  %expected = mul i64 %i, %workers
  %differs = icmp ne i64 %total_next, %expected
  %bad = zext i1 %differs to i64
  %wrong_next = add i64 %wrong, %bad
  call void @tracea_barrier(ptr %barrier, i64 %workers)
  %i_next = add i64 %i, 1
  %over = icmp ugt i64 %i_next, %rounds
  br i1 %over, label %end, label %round
end:
  %wrong_place = getelementptr i64, ptr %out, i64 1
  %before = atomicrmw add ptr %wrong_place, i64 %wrong_next monotonic
  %place_index = add i64 %worker, 2
  %place = getelementptr i64, ptr %out, i64 %place_index
  store i64 %workers, ptr %place, align 8
  %finished = atomicrmw add ptr %out, i64 1 release
  ret void
}}
"""


@pytest.fixture(scope="session")
def source() -> Callable[..., KernelSource]:
    """Return the maker of kernel sources: ``source(text, entry, pointers, symbols, workspaces)``."""

    def make(
        text: str,
        entry: str,
        pointers: Sequence[str],
        symbols: Sequence[Symbol] = (),
        workspaces: Sequence[Workspace] = (),
    ) -> KernelSource:
        return KernelSource(
            language="llvm-ir", arch=compiler.host_cpu(), entry=entry, text=text,
            parameters=tuple(Parameter(name, DType.FP32, Direction.WRITE, 4) for name in pointers),
            symbols=tuple(symbols), workspaces=tuple(workspaces), launch=Launch(Const(1), 1), kernel_digest="",
            certificate="",
        )  # fmt: skip

    return make


@pytest.fixture(scope="session")
def mark(source: Callable[..., KernelSource]) -> KernelSource:
    """Return the kernel of `mark_text`, whose slots are one workspace of all workers, 64 words long."""
    slots = Workspace("slots", Const(8 * 64), per_worker=False)
    return source(mark_text(), "mark", ["out"], [Symbol("rounds", 1, 10**9)], [slots])


class Words:
    """An array of 64-bit words and its address."""

    def __init__(self, count: int) -> None:
        self.values = (ctypes.c_int64 * count)()
        self.address = ctypes.addressof(self.values)


@pytest.fixture
def words() -> Callable[[int], Words]:
    """Return the maker of zeroed arrays of words."""
    return Words
