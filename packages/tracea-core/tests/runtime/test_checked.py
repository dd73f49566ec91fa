# SPDX-License-Identifier: MIT
"""What is refused before a launch, each with its own words; what fits passes."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import AlignmentError, LaunchError
from tracea_core.runtime.checked import check_addresses, check_block, check_symbols, launched_blocks
from tracea_core.semantic.index import Sym, ceil_div
from tracea_core.semantic.kernel import Direction, Launch, Parameter, Symbol

SOURCE = KernelSource(
    language="c", arch="none", entry="scale", text="",
    parameters=(Parameter("a", DType.BF16, Direction.READ, 16), Parameter("c", DType.BF16, Direction.WRITE, 2)),
    symbols=(Symbol("m", 0, 1 << 20), Symbol("row", 0, 1 << 20, 8)), workspaces=(),
    launch=Launch(ceil_div(Sym("m"), 128), 384, 2, 1000), kernel_digest="0" * 64, certificate="0" * 64,
)  # fmt: skip


def test_what_fits_passes() -> None:
    check_symbols(SOURCE, {"m": 300, "row": 8})
    check_addresses(SOURCE, (0x100, 0x102))
    check_block(SOURCE, threads=384, shared_bytes=1000, clusters=True)
    assert launched_blocks(SOURCE, {"m": 256}) == 2


@pytest.mark.parametrize(("symbols", "words"), [({"m": 300}, "given for row"), ({"m": 300, "row": 12}, "row=12 lies")])
def test_symbols(symbols: dict[str, int], words: str) -> None:
    with pytest.raises(LaunchError, match=words):
        check_symbols(SOURCE, symbols)


def test_addresses() -> None:
    with pytest.raises(LaunchError, match="one address each of a, c"):
        check_addresses(SOURCE, (0x100,))
    with pytest.raises(AlignmentError, match="a starts at 0x108"):
        check_addresses(SOURCE, (0x108, 0x100))


@pytest.mark.parametrize(
    ("m", "most", "words"), [(0, 9, "not 0"), (1280, 9, "1 to 9 blocks"), (384, 9, "whole clusters")]
)
def test_blocks(m: int, most: int, words: str) -> None:
    with pytest.raises(LaunchError, match=words):
        launched_blocks(SOURCE, {"m": m}, most)


@pytest.mark.parametrize(
    ("threads", "shared_bytes", "clusters", "words"),
    [(256, 1000, True, "not 384"), (384, 999, True, "1000 bytes of shared"), (384, 1000, False, "no clusters")],
)
def test_a_block(threads: int, shared_bytes: int, clusters: bool, words: str) -> None:
    with pytest.raises(LaunchError, match=words):
        check_block(SOURCE, threads=threads, shared_bytes=shared_bytes, clusters=clusters)
