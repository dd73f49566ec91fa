# SPDX-License-Identifier: MIT
"""Fragments that change lanes: words are chosen by the lane, exchanged by as few shuffles as there can be, and put where they belong.

`tracea_core.semantic.convert` plans it; here the plan becomes loops over words and one exchange a round.
"""

from __future__ import annotations

from tracea_core.emit.c.registers import RegisterSteps
from tracea_core.errors import EmitError
from tracea_core.semantic.convert import convert
from tracea_core.semantic.convert_lanes import LanePlan
from tracea_core.semantic.gf2 import Matrix
from tracea_core.semantic.kernel import Actor
from tracea_core.semantic.steps import Turn

WARP = 32
"""Lanes that exchange words: those of a warpgroup's warps do among themselves."""


def turn(registers: RegisterSteps, node: Turn) -> None:
    """Write the exchange of a fragment's elements between the lanes of a warp.

    Raises
    ------
    EmitError
        If parts of words change lanes, or lanes would not exchange in pairs.
    """
    source, target, writer = registers.packed(node.source), registers.packed(node.target), registers.writer
    size = source.per_word
    wave = min(source.layout.lanes, WARP) if registers.role.actor is Actor.WARPGROUP else source.layout.lanes
    plan = convert(source.layout, target.layout, element_bytes=source.dtype.bytes, wave=wave, shared_bytes=0).lane_plan
    if plan is None or not plan.stays or target.per_word != size or not _moves_words(plan, size):
        raise EmitError("lanes exchange whole words in pairs", fragment=node.target, role=registers.role.name)
    kind = "unsigned" if size > 1 else registers.dialect.scalar(source.dtype)
    with writer.block("", open_with="{"):
        held = source.name
        for number, (mask, step) in enumerate(_choices(plan.before)):
            writer.line(f"{kind} sent{number}[{source.words}];")
            _choose(registers, f"sent{number}", held, mask, step // size, source.words)
            held = f"sent{number}"
        after = _choices(plan.after)
        place = "arrived" if after else target.name
        if after:
            writer.line(f"{kind} arrived[{target.words}];")
        for move in plan.rounds:
            word = f"{held}[{move.source // size}]"
            given = registers.dialect.from_lane(word, move.lane_xor, source.dtype) if move.lane_xor else word
            writer.line(f"{place}[{move.target // size}] = {given};")
        for number, (mask, step) in enumerate(after):
            last = number == len(after) - 1
            into = target.name if last else f"sorted{number}"
            if not last:
                writer.line(f"{kind} {into}[{target.words}];")
            _choose(registers, into, place, mask, step // size, target.words)
            place = into


def _moves_words(plan: LanePlan, size: int) -> bool:
    """Whether the elements of a word stay together, in their order, and words are what lanes choose."""
    together = plan.word == tuple((i, i) for i in range(size))
    chosen = (
        *plan.before.columns,
        *plan.after.columns,
        *(place for move in plan.rounds for place in (move.source, move.target)),
    )
    return together and all(place % size == 0 for place in chosen)


def _choices(matrix: Matrix) -> list[tuple[int, int]]:
    """Return a matrix from lane numbers to register numbers as (bits of the lane, register): the XOR of those whose bits are odd."""
    found: list[list[int]] = []
    for bit, column in enumerate(matrix.columns):
        for chosen in range(1 << len(found)):
            together = 0
            for i, (_, register) in enumerate(found):
                together ^= register if chosen >> i & 1 else 0
            if together == column:
                for i, entry in enumerate(found):
                    entry[0] |= (chosen >> i & 1) << bit
                break
        else:
            found.append([1 << bit, column])
    return [(mask, register) for mask, register in found]


def _choose(registers: RegisterSteps, target: str, source: str, mask: int, step: int, words: int) -> None:
    """Write words of `source` into `target`, in lanes with an odd number of the bits of `mask` each in the place of its partner."""
    bits = [bit for bit in range(mask.bit_length()) if mask >> bit & 1]
    test = f"lane & {mask}" if len(bits) == 1 else f"({' ^ '.join(f'lane >> {bit}' for bit in bits)}) & 1"
    registers.writer.line(registers.dialect.unroll(None))
    with registers.writer.block(f"for (int r = 0; r < {words}; ++r)"):
        registers.writer.line(f"{target}[r] = {test} ? {source}[r ^ {step}] : {source}[r];")
