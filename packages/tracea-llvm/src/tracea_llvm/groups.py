# SPDX-License-Identifier: MIT
"""Fragments whose lanes hold groups of neighbours: registers of 32-bit words, and tiles of AMX.

What a step calls registers 0 to 3 of a lane, where they are four bytes of one group, is one word of that lane here. Which
fragments these are follows from the steps: operands of instructions that multiply groups, and what is only moved in runs.
"""

from __future__ import annotations

import itertools

from tracea_core.dtypes import DType
from tracea_core.emit.held import TILE_ROWS, tiles_of, words_of
from tracea_core.emit.linear import Linear, scale, subtract
from tracea_core.emit.registers import registers
from tracea_core.errors import EmitError
from tracea_core.semantic.kernel import Fragment, Role
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.steps import Access, BufferRef, Fill, Load, Mma, Store, Transfer

from tracea_llvm.access import Memory
from tracea_llvm.convert import element

_WORD_BYTES = 4
_TILE_BYTES = 64
_CONFIGURATION = "tile_shapes"


class Groups:
    """Prints the moves of words and everything that tiles do."""

    def __init__(self, memory: Memory, role: Role) -> None:
        self.memory, self.builder, self.role, self.lanes = memory, memory.builder, role, role.lanes
        self.words, self.tiles = words_of(role), tiles_of(role)

    @property
    def constants(self) -> str:
        """The module's constant from which tiles are shaped: eight of 16 rows of 64 bytes (palette 1); empty without tiles."""
        if not self.tiles:
            return ""
        shape = [1, *[0] * 15, *[_TILE_BYTES, 0] * 8, *[0] * 16, *[TILE_ROWS] * 8, *[0] * 8]
        values = ", ".join(f"i8 {byte}" for byte in shape)
        return f"@{_CONFIGURATION} = private unnamed_addr constant [64 x i8] [{values}], align 64"

    def begin(self) -> None:
        """Shape the tiles."""
        if self.tiles:
            self.builder.line(self._tile_call("ldtilecfg", ("ptr", f"@{_CONFIGURATION}")))

    def finish(self) -> None:
        """Give the tiles back, so that whoever switches contexts need not save them."""
        if self.tiles:
            self.builder.line(self._tile_call("tilerelease"))

    def __contains__(self, name: str) -> bool:
        return name in self.words or name in self.tiles

    # ---- steps

    def fill(self, step: Fill, fragment: Fragment) -> tuple[str, ...]:
        """Set every element."""
        if step.fragment in self.tiles:
            if step.value:
                raise EmitError("tiles are filled with zeros alone", fragment=step.fragment)
            for tile in self.tiles[step.fragment]:
                self.builder.line(self._tile_call("tilezero", ("i8", str(tile))))
            return ()
        group = self.words[step.fragment]
        stored = fragment.dtype.encode([step.value]).tobytes() * group
        word = int.from_bytes(stored, "little", signed=True)
        return (f"splat (i32 {word})" if word else "zeroinitializer",) * (fragment.layout.registers // group)

    def load(self, step: Load, fragment: Fragment) -> tuple[str, ...]:
        """Print a load; words hold what a lane's runs hold."""
        if step.fragment in self.tiles:
            self._move_tiles("tileloadd64", step.source, step, fragment)
            return ()
        group = self.words[step.fragment]
        numbers = range(0, fragment.layout.registers, group)
        if step.width == 1 and step.transfer is Transfer.BROADCAST:
            return tuple(self._assembled(step, fragment, number, group) for number in numbers)
        if step.width != group or step.guard:
            raise EmitError("words are loaded whole and without guards", fragment=step.fragment)
        one = {
            Transfer.VECTOR: self._vector, Transfer.BROADCAST: self._broadcast, Transfer.GATHER: self._gather,
        }.get(step.transfer)  # fmt: skip
        if one is None:
            raise EmitError(f"LLVM IR has no {step.transfer.value} load of words", fragment=step.fragment)
        return tuple(one(step, fragment, number) for number in numbers)

    def store(self, step: Store, fragment: Fragment, values: tuple[str, ...]) -> None:
        """Print a store in runs: of words, or of registers whose elements are interleaved into words."""
        if step.fragment in self.tiles:
            self._move_tiles("tilestored64", step.target, step, fragment)
            return
        group = step.width
        if step.transfer is not Transfer.VECTOR or step.guard or group * fragment.dtype.bytes != _WORD_BYTES:
            raise EmitError("runs are stored as whole vectors of words", fragment=step.fragment)
        for number in range(0, fragment.layout.registers, group):
            pointer, align = self._place(step.target, fragment, number)
            value = (
                values[number // group]
                if step.fragment in self.words
                else self._interleaved(values[number : number + group], fragment)
            )
            self.builder.line(f"store {self._kind} {value}, ptr {pointer}, align {align}")

    def multiply(self, step: Mma) -> None:
        """Print the products of tiles."""
        lanes = instruction(step.instruction)
        name = "tdpbf16ps"
        if lanes.operand is not DType.BF16:
            signs = ("u" if dtype is DType.UINT8 else "s" for dtype in (lanes.operand, lanes.b_type))
            name = f"tdpb{''.join(signs)}d"
        sums, a, b = (self.tiles[fragment] for fragment in (step.accumulator, step.a, step.b))
        for row, left in enumerate(a):
            for column, right in enumerate(b):
                total = sums[row * len(b) + column]
                self.builder.line(self._tile_call(name, *(("i8", str(tile)) for tile in (total, left, right))))

    # ---- words

    @property
    def _kind(self) -> str:
        return f"<{self.lanes} x i32>"

    def _place(self, reference: Access | BufferRef, fragment: Fragment, number: int) -> tuple[str, int]:
        return self.memory.place(reference, fragment, number)

    def _vector(self, step: Load, fragment: Fragment, number: int) -> str:
        pointer, align = self._place(step.source, fragment, number)
        return self.builder.value(f"load {self._kind}, ptr {pointer}, align {align}", f"{fragment.name}_words")

    def _broadcast(self, step: Load, fragment: Fragment, number: int) -> str:
        pointer, align = self._place(step.source, fragment, number)
        word = self.builder.value(f"load i32, ptr {pointer}, align {align}", f"{fragment.name}_word")
        return self.memory.spread(word, "i32", f"{fragment.name}_words")

    def _gather(self, step: Load, fragment: Fragment, number: int) -> str:
        value = "poison"
        for lane, pointer in enumerate(self.memory.lanes_at(step, fragment, number)):
            one = self.builder.value(f"load i32, ptr {pointer}, align {fragment.dtype.bytes}", f"{fragment.name}_word")
            value = self.builder.value(
                f"insertelement {self._kind} {value}, i32 {one}, i64 {lane}", f"{fragment.name}_words"
            )
        return value

    def _assembled(self, step: Load, fragment: Fragment, number: int, group: int) -> str:
        """Put a word together from elements that are loaded under a guard each."""
        kind, bits, word = element(fragment.dtype), fragment.dtype.bits, "0"
        for place in range(group):
            one = self.memory.guarded_element(step, fragment, number + place)
            wide = self.builder.value(f"zext {kind} {one} to i32", f"{fragment.name}_wide")
            moved = self.builder.value(f"shl i32 {wide}, {place * bits}", f"{fragment.name}_wide")
            word = self.builder.value(f"or i32 {word}, {moved}", f"{fragment.name}_word")
        return self.memory.spread(word, "i32", f"{fragment.name}_words")

    def _interleaved(self, parts: tuple[str, ...], fragment: Fragment) -> str:
        """Two registers become one of twice the lanes, in which their elements alternate; so do four, in two rounds."""
        kind, count, rows = element(fragment.dtype), self.lanes, list(parts)
        while len(rows) > 1:
            half = len(rows) // 2
            mask = ", ".join(f"i32 {lane + side * count}" for lane in range(count) for side in (0, 1))
            rows = [
                self.builder.here(
                    f"shufflevector <{count} x {kind}> {rows[i]}, <{count} x {kind}> {rows[i + half]}, "
                    f"<{2 * count} x i32> <{mask}>",
                    f"{fragment.name}_pairs",
                )
                for i in range(half)
            ]
            count *= 2
        return self.builder.here(f"bitcast <{count} x {kind}> {rows[0]} to {self._kind}", f"{fragment.name}_words")

    # ---- tiles

    def _tile_call(self, name: str, *arguments: tuple[str, str]) -> str:
        return self.builder.intrinsic("void", f"llvm.x86.{name}", *arguments)

    def _move_tiles(self, name: str, reference: Access | BufferRef, step: Load | Store, fragment: Fragment) -> None:
        """Move each tile's 16 rows of 64 bytes, which lie equally far apart."""
        group = _WORD_BYTES // fragment.dtype.bytes
        if step.guard or step.width != group or step.transfer is not Transfer.VECTOR:
            raise EmitError("tiles are moved in runs of words, without guards", fragment=fragment.name)
        for position, tile in enumerate(self.tiles[step.fragment]):
            numbers = self._rows_of_tile(fragment, position, group)
            firsts = [self.memory.first(reference, fragment, number) for number in numbers]
            steps = {subtract(later, earlier) for earlier, later in itertools.pairwise(firsts)}
            if len(steps) != 1:
                raise EmitError(f"the rows of a tile of {fragment.name!r} do not lie equally far apart")
            stride = self._in_bytes(steps.pop(), fragment)
            pointer, _ = self._place(reference, fragment, numbers[0])
            self.builder.line(self._tile_call(name, ("i8", str(tile)), ("ptr", pointer), ("i64", stride)))

    def _rows_of_tile(self, fragment: Fragment, position: int, group: int) -> list[int]:
        """The registers with which the rows of a fragment's tile number `position` begin: tiles lie row by row."""
        found = registers(fragment.layout)
        firsts = {(found[n].rows[0], found[n].columns[0]): n for n in range(0, len(found), group)}
        rows, columns = (sorted({place[axis] for place in firsts}) for axis in (0, 1))
        if len(rows) * len(columns) != len(firsts):
            raise EmitError("words of a tile lie in rows", fragment=fragment.name)
        down, across = divmod(position, len(columns))
        return [firsts[row, columns[across]] for row in rows[TILE_ROWS * down : TILE_ROWS * (down + 1)]]

    def _in_bytes(self, stride: Linear, fragment: Fragment) -> str:
        return self.memory.index.scalar(scale(stride, fragment.dtype.bytes), "tile_row_bytes")[0]
