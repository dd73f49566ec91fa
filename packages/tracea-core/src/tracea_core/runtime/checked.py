# SPDX-License-Identifier: MIT
"""What every runtime checks before a launch, values of symbols, addresses, blocks: a device would only fail later, or not at all."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from tracea_core.emit.source import KernelSource
from tracea_core.errors import AlignmentError, LaunchError
from tracea_core.semantic.index import evaluate

MOST_BLOCKS = (1 << 31) - 1


def check_symbols(source: KernelSource, symbols: Mapping[str, int]) -> None:
    """Refuse values that are missing or that the kernel does not serve.

    Raises
    ------
    LaunchError
        Naming the symbol.
    """
    missing = [symbol.name for symbol in source.symbols if symbol.name not in symbols]
    if missing:
        raise LaunchError(f"no value was given for {', '.join(missing)}", kernel=source.entry)
    for symbol in source.symbols:
        if not symbol.admits(symbols[symbol.name]):
            raise LaunchError(
                f"{symbol.name}={symbols[symbol.name]} lies outside the kernel's domain, {symbol.minimum} to {symbol.maximum} "
                f"by {symbol.multiple}",
                kernel=source.entry,
            )


def check_addresses(source: KernelSource, pointers: Sequence[int]) -> None:
    """Refuse addresses that are too few, too many, or not aligned as the kernel relies on.

    Raises
    ------
    LaunchError
        If their number is wrong.
    AlignmentError
        Naming the parameter; another kernel can serve such an address.
    """
    if len(pointers) != len(source.parameters):
        names = ", ".join(parameter.name for parameter in source.parameters)
        raise LaunchError(f"the kernel takes one address each of {names}, not {tuple(pointers)}", kernel=source.entry)
    for parameter, pointer in zip(source.parameters, pointers, strict=True):
        if pointer % parameter.alignment:
            raise AlignmentError(
                f"{parameter.name} starts at {pointer:#x}, and this kernel relies on {parameter.alignment}-byte alignment",
                alignment=math.gcd(16, *pointers),
                hint="Copy the array, or view it from an aligned element", kernel=source.entry,
            )  # fmt: skip


def launched_blocks(source: KernelSource, symbols: Mapping[str, int], most: int = MOST_BLOCKS) -> int:
    """Return the blocks of a launch.

    Raises
    ------
    LaunchError
        If there are none, more than `most`, or no whole clusters.
    """
    blocks, cluster = int(evaluate(source.launch.blocks, symbols)), source.launch.cluster
    if not 1 <= blocks <= most:
        raise LaunchError(f"a launch has 1 to {most} blocks, not {blocks}", kernel=source.entry)
    if blocks % cluster:
        raise LaunchError(f"{blocks} blocks are not whole clusters of {cluster}", kernel=source.entry)
    return blocks


def check_block(source: KernelSource, *, threads: int, shared_bytes: int, clusters: bool = False) -> None:
    """Refuse blocks that a device does not take.

    Parameters
    ----------
    threads, shared_bytes : int
        What a block may have of each.
    clusters : bool
        Whether blocks may form clusters.

    Raises
    ------
    LaunchError
        Saying what is too much.
    """
    launch = source.launch
    if not 1 <= launch.threads <= threads:
        raise LaunchError(f"blocks have 1 to {threads} threads, not {launch.threads}", kernel=source.entry)
    if launch.shared_bytes > shared_bytes:
        raise LaunchError(
            f"a block wants {launch.shared_bytes} bytes of shared memory; the device gives {shared_bytes}",
            hint="Choose fewer stages or smaller tiles",
            kernel=source.entry,
        )
    if launch.cluster > 1 and not clusters:
        raise LaunchError("the device has no clusters of blocks", kernel=source.entry)
