# SPDX-License-Identifier: MIT
"""The machine: reads a text and executes it, register by register, on memory given as addresses.

Registers are arrays of (lane, register). Values are computed in float64 and rounded to the type of the fragment that receives them.
Workers take turns at barriers.
"""

from __future__ import annotations

import ctypes
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from tracea_core.dtypes import DType
from tracea_core.errors import CompileError
from tracea_core.ops.expr import BinaryFn, CompareFn, UnaryFn
from tracea_core.ops.special import erf

Tree: TypeAlias = Any  # int, str, or list of trees
Scope: TypeAlias = dict[str, Any]

_TOKEN = re.compile(r"[()]|[^\s()]+")


def by_reciprocal(dividend: Any, reciprocal: Any) -> Any:
    """Return a quotient by way of the divisor's reciprocal, as `tracea_core.semantic.quotient` packs it."""
    return dividend * ((reciprocal & 0xFFFFFFFF) + (1 << 31)) >> 31 >> (reciprocal >> 32)


_INTEGER: dict[str, Any] = {"+": operator.add, "-": operator.sub, "*": operator.mul, "//": operator.floordiv, "%": operator.mod,
            "min": np.minimum, "max": np.maximum, "quotient": by_reciprocal}  # fmt: skip
_TEST = {"<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne}
_REAL: dict[str, Any] = {
    UnaryFn.NEG.value: np.negative, UnaryFn.ABS.value: np.abs, UnaryFn.EXP.value: np.exp, UnaryFn.LOG.value: np.log,
    UnaryFn.SQRT.value: np.sqrt, UnaryFn.RSQRT.value: lambda x: 1.0 / np.sqrt(x), UnaryFn.RECIPROCAL.value: lambda x: 1.0 / x,
    UnaryFn.TANH.value: np.tanh, UnaryFn.ERF.value: erf, UnaryFn.FLOOR.value: np.floor, UnaryFn.RINT.value: np.rint,
    BinaryFn.ADD.value: np.add, BinaryFn.SUB.value: np.subtract, BinaryFn.MUL.value: np.multiply, BinaryFn.DIV.value: np.divide,
    BinaryFn.MAXIMUM.value: np.maximum, BinaryFn.MINIMUM.value: np.minimum, CompareFn.LT.value: np.less,
    CompareFn.LE.value: np.less_equal, CompareFn.GT.value: np.greater, CompareFn.GE.value: np.greater_equal,
    CompareFn.EQ.value: np.equal, CompareFn.NE.value: np.not_equal, "select": lambda c, x, y: np.where(c != 0, x, y),
}  # fmt: skip


def parse(text: str) -> Tree:
    """Return the one bracketed expression that `text` holds below its comments.

    Raises
    ------
    CompileError
        If brackets do not match.
    """
    open_lists: list[list[Tree]] = [[]]
    for token in _TOKEN.findall("\n".join(line for line in text.split("\n") if not line.startswith(";"))):
        if token == "(":
            open_lists.append([])
        elif token == ")" and len(open_lists) > 1:
            done = open_lists.pop()
            open_lists[-1].append(done)
        else:
            open_lists[-1].append(int(token) if re.fullmatch(r"-?\d+", token) else token)
    if len(open_lists) != 1 or len(open_lists[0]) != 1:
        raise CompileError("brackets do not match", hint="A text holds one (kernel …)")
    return open_lists[0][0]


@dataclass
class Fragment:
    """Registers: element type, shape of the matrix they hold, and which element each (lane, register) holds."""

    dtype: DType
    shape: tuple[int, int]
    rows: Any
    columns: Any


class Pointer:
    """Memory behind a bare address."""

    def __init__(self, dtype: DType, address: int) -> None:
        self.dtype, self.address = dtype, address

    def window(self, offsets: Any) -> tuple[Any, Any]:
        """Return the elements around `offsets`, in place, and the offsets within them."""
        low, high, size = int(offsets.min()), int(offsets.max()), self.dtype.bytes
        block = (ctypes.c_uint8 * ((high - low + 1) * size)).from_address(self.address + low * size)
        return np.frombuffer(memoryview(block), self.dtype.storage), offsets - low


class Block:
    """A buffer that the machine allocated: for one worker, or for all of them."""

    def __init__(self, declaration: Tree, symbols: Scope) -> None:
        _, _, _, dtype, repeated, extent, slots, self.size, shape, offsets = declaration
        self.dtype, self.repeated = DType(dtype), repeated == "repeated"
        self.table = np.reshape(offsets[1:], shape[1:])
        self.memory = np.zeros(int(integer(extent, symbols)) * slots * self.size, self.dtype.storage)

    def offset(self, slot: Any, coordinates: Sequence[Any]) -> Any:
        """Return where an element lies."""
        repetition, inner = (coordinates[0], coordinates[1:]) if self.repeated else (0, coordinates)
        return (repetition + slot) * self.size + self.table[tuple(inner)]

    def window(self, offsets: Any) -> tuple[Any, Any]:
        """Return all of the memory, and the offsets."""
        return self.memory, offsets


def integer(tree: Tree, scope: Scope) -> Any:
    """Return the value of an integer expression; arrays broadcast."""
    if isinstance(tree, list):
        return _INTEGER[tree[0]](integer(tree[1], scope), integer(tree[2], scope))
    return scope[tree] if isinstance(tree, str) else tree


def holds(tests: Tree, scope: Scope) -> Any:
    """Return whether all tests hold."""
    result: Any = True
    for test, left, right in tests:
        result = np.logical_and(result, _TEST[test](integer(left, scope), integer(right, scope)))
    return result


def rounded(values: Any, dtype: DType) -> Any:
    """Return `values` as `dtype` holds them."""
    return values if dtype is DType.FP64 else dtype.decode(dtype.encode(values))


class Worker:
    """One worker: its registers, its tables, and its own buffers beside the shared ones."""

    def __init__(self, fragments: dict[str, Fragment], memory: dict[str, Any]) -> None:
        self.fragments, self.memory = fragments, memory
        self.registers: dict[str, Any] = {}
        self.tables: dict[str, Any] = {}

    def run(self, body: Sequence[Tree], scope: Scope) -> Iterator[str]:
        """Execute a body; yields at every barrier, with its name."""
        scope = dict(scope)
        for opcode, *rest in body:
            if opcode == "for":
                var, start, stop, step, _, *inside = rest
                for position in range(int(integer(start, scope)), int(integer(stop, scope)), step):
                    yield from self.run(inside, {**scope, var: position})
            elif opcode == "if":
                yield from self.run(rest[1 if holds(rest[0], scope) else 2][1:], scope)
            elif opcode == "let":
                scope[rest[0]] = integer(rest[1], scope)
            elif opcode == "meet":
                yield rest[1]
            else:
                self.step(opcode, rest, scope)

    def step(self, opcode: str, rest: list[Tree], scope: Scope) -> None:
        """Execute one instruction."""
        name, *arguments = rest
        if opcode == "table":
            height, width = self.fragments[arguments[0]].shape
            places = {**self.tables, **scope, "row": np.arange(height)[:, None], "column": np.arange(width)[None, :]}
            self.tables[name] = np.broadcast_to(integer(arguments[1], places), (height, width))
        elif opcode == "fill":
            fragment = self.fragments[name]
            self.registers[name] = np.full(fragment.rows.shape, float(arguments[0]))
        elif opcode.startswith("load."):
            self.registers[name] = self.load(opcode[5:], self.fragments[name], *arguments, scope=scope)
        elif opcode.startswith("store."):
            self.store(opcode[6:], name, *arguments, scope=scope)
        elif opcode == "compute":
            self.keep(name, self.evaluate(DType(arguments[0]), arguments[1:]))
        elif opcode == "part":
            whole, (height, width) = self.matrix(arguments[0]), self.fragments[name].shape
            row, column = (int(integer(place, scope)) for place in arguments[1:])
            self.keep(name, whole[row : row + height, column : column + width])
        elif opcode == "turn":
            self.keep(name, self.matrix(arguments[0]))
        elif opcode.startswith("fma_outer_"):
            a, b = arguments
            self.keep(name, self.matrix(name) + self.matrix(a) @ self.matrix(b))
        else:
            raise CompileError(f"the machine has no instruction {opcode!r}")

    def matrix(self, name: str) -> Any:
        """Return what a fragment's registers hold, as a matrix."""
        fragment = self.fragments[name]
        matrix = np.zeros(fragment.shape)
        matrix[fragment.rows, fragment.columns] = self.registers[name]
        return matrix

    def keep(self, name: str, matrix: Any) -> None:
        """Put a matrix into a fragment's registers, rounded to its type."""
        fragment = self.fragments[name]
        values = np.broadcast_to(matrix, fragment.shape)[fragment.rows, fragment.columns]
        self.registers[name] = rounded(values, fragment.dtype)

    def reach(self, transfer: str, fragment: Fragment, place: Tree, tests: Tree, scope: Scope) -> tuple[Any, Any, Any]:
        """Return the memory, the offset of every (lane, register), and which of them take part."""
        places = {**scope, "row": fragment.rows, "column": fragment.columns}
        for name, table in self.tables.items():
            fits = [
                size in (1, extent) or extent <= size for size, extent in zip(table.shape, fragment.shape, strict=True)
            ]
            if all(fits):
                tall, wide = (size > 1 for size in table.shape)
                places.setdefault(name, table[fragment.rows if tall else 0, fragment.columns if wide else 0])
        memory = self.memory[place[1]]
        if place[0] == "at":
            offsets = integer(place[2], places)
        else:
            offsets = memory.offset(integer(place[2], places), [integer(c, places) for c in place[3:]])
        offsets = np.broadcast_to(offsets, fragment.rows.shape)
        if transfer != "gather":  # the first lane's address serves all: a run of neighbours, or one element
            lanes = np.arange(len(offsets))[:, None]
            offsets = offsets[:1] + (lanes if transfer == "vector" else 0 * lanes)
        return memory, offsets, np.broadcast_to(holds(tests, places), offsets.shape)

    def load(self, transfer: str, fragment: Fragment, place: Tree, tests: Tree, fill: str, *, scope: Scope) -> Any:
        """Return the registers that a load fills."""
        memory, offsets, mask = self.reach(transfer, fragment, place, tests, scope)
        values = np.full(offsets.shape, float(fill))
        if mask.any():
            elements, places = memory.window(offsets[mask])
            values[mask] = memory.dtype.decode(elements[places])
        return values

    def store(self, transfer: str, place: Tree, name: str, tests: Tree, *, scope: Scope) -> None:
        """Write the registers that take part."""
        memory, offsets, mask = self.reach(transfer, self.fragments[name], place, tests, scope)
        if mask.any():
            elements, places = memory.window(offsets[mask])
            elements[places] = memory.dtype.encode(self.registers[name][mask])

    def evaluate(self, dtype: DType, operations: Sequence[Tree]) -> Any:
        """Return the value of the last operation; each names earlier ones by number."""
        values: list[Any] = []
        with np.errstate(all="ignore"):
            for opcode, *rest in operations:
                if opcode == "fragment":
                    values.append(rounded(self.matrix(rest[0]), dtype))
                elif opcode == "number":
                    values.append(np.float64(rest[0]))
                elif opcode == "cast":
                    target, value = DType(rest[1]), values[rest[0]]
                    clipped = np.clip(value, target.lowest, target.largest) if rest[2] == "saturate" else value
                    values.append(rounded(clipped, target))
                else:
                    values.append(np.asarray(_REAL[opcode](*(values[place] for place in rest)), np.float64))
        return values[-1]
