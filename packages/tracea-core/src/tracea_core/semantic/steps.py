# SPDX-License-Identifier: MIT
"""The steps and control nodes a semantic kernel is made of.

Each one names everything an emitter prints and nothing it could choose: which bytes move, which lane holds which element, what is masked,
what waits for what. The interpreter (`tracea_core.semantic.interpret`) gives every node its meaning.
"""

from __future__ import annotations

import enum
from typing import TypeAlias, Union

import msgspec

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.ops.expr import Expr
from tracea_core.semantic.image_steps import Pixels
from tracea_core.semantic.index import Guard, Index
from tracea_core.semantic.order_steps import Await, Signal, Skip
from tracea_core.semantic.row_steps import Count, Fold, Join, Mask, Prefetch
from tracea_core.target import AsyncCopyKind

_WARP = 32


class Transfer(enum.Enum):
    """How the lanes of one register of a fragment reach memory."""

    VECTOR = "vector"  # consecutive lanes, consecutive addresses: one wide access a register
    BROADCAST = "broadcast"  # one address a register; every lane receives (or holds) the same element
    GATHER = "gather"  # an address of its own for each lane
    MATRIX = "matrix"  # 8×8 matrices moved by the whole warp together (ldmatrix, stmatrix)
    MATRIX_TRANSPOSED = "matrix_transposed"  # the same, each matrix transposed on the way
    TILE = "tile"  # a whole matrix, rows or columns a fixed distance apart, by the warp: which lane moves what is not known
    STREAM = "stream"  # a vector's store past the caches: memory is not read first, nor kept; vectors begin at `STREAM_BYTES`


class Side(enum.Enum):
    """The two conditions of a ring's slot."""

    FULL = "full"  # the slot's bytes have arrived; consumers wait for it
    EMPTY = "empty"  # every consumer is done with the slot; the producer waits for it


class Scope(enum.Enum):
    """Who meets at a barrier."""

    WORKERS = "workers"  # all workers of a CPU call
    BLOCK = "block"  # all threads of a block
    ROLE = "role"  # the threads of one instance of the role (a warpgroup)
    CLUSTER = "cluster"  # all instances of the role in all blocks of the cluster


class AsyncKind(enum.Enum):
    """Asynchronous engines whose work is retired in groups."""

    MMA = "mma"
    COPY = "copy"
    STORE = "store"


class Access(Data, frozen=True, tag=True):
    """An element of a global operand: its offset in elements from the operand's pointer.

    `offset` may use `ROW` and `COLUMN`, the coordinates of the fragment element that moves.
    """

    operand: str
    offset: Index


class BufferRef(Data, frozen=True, tag=True):
    """An element of a buffer, by the buffer's logical coordinates (which may use `ROW` and `COLUMN`) and, in a ring, its slot.

    With `rank`, it is the buffer of that block of the cluster.
    """

    buffer: str
    coordinates: tuple[Index, ...]
    slot: Index | None = None
    rank: Index | None = None


class Box(Data, frozen=True, tag=True, omit_defaults=True):
    """A box of a global operand as a copy engine addresses it: dimensions, fastest first.

    Attributes
    ----------
    operand : str
        Name of the pointer parameter.
    extents : tuple of Index
        Size of the whole tensor in each dimension; elements beyond it read as zero and are not written.
    strides : tuple of Index
        Distance in elements between neighbours in each dimension; the first is 1.
    origin : tuple of Index
        Coordinates of the box's first element.
    shape : tuple of int
        Size of the box.
    swizzle_bytes : int
        Bytes of a row within which the engine permutes 16-byte chunks: 32, 64, 128, or none (0); proved to be the buffer's layout.
    pixels : Pixels, optional
        The dimensions are channels, columns, rows, images; the second size counts windows from `origin` on. The rest reads as zero.
    once : Guard, optional
        Hint: where this holds nobody reads the box again, so a cache may give it up first. Changes speed, never meaning.
    """

    operand: str
    extents: tuple[Index, ...]
    strides: tuple[Index, ...]
    origin: tuple[Index, ...]
    shape: tuple[int, ...]
    swizzle_bytes: int = 0
    pixels: Pixels | None = None
    once: Guard | None = None


class AsyncCopy(Data, frozen=True, tag=True):
    """Start copying elements into shared memory without waiting and without passing registers (cp.async).

    `fragment` says which lane moves which element, in aligned runs of `width` registers; its registers stay untouched.
    Elements whose guard fails, the same for a whole run, arrive as zeros and touch no global memory. A copy belongs to
    the group that the next `Commit` of `AsyncKind.COPY` closes.
    """

    fragment: str
    source: Access
    target: BufferRef
    guard: Guard = ()
    width: int = 1


class Multicast(Data, frozen=True):
    """The blocks of a cluster that receive one load together: those whose ranks agree but for one digit.

    The digit of a block is ``(rank // stride) % count``; its group holds one block for each value of the digit.
    """

    count: int
    stride: int

    def group(self, rank: int) -> tuple[int, ...]:
        """Return the ranks of the group that `rank` belongs to.

        >>> Multicast(count=2, stride=2).group(3)
        (1, 3)
        """
        base = rank - rank // self.stride % self.count * self.stride
        return tuple(base + digit * self.stride for digit in range(self.count))


class Fill(Data, frozen=True, tag=True):
    """Set every register of a fragment to `value`."""

    fragment: str
    value: float = 0.0


class Load(Data, frozen=True, tag=True):
    """Load a fragment; elements whose guard fails receive `fill` and touch no memory.

    With `width`, each lane's registers move in aligned runs of so many: consecutive addresses, one access a run, the guard
    the same for the whole run.
    """

    fragment: str
    source: Access | BufferRef
    transfer: Transfer
    guard: Guard = ()
    fill: float = 0.0
    width: int = 1


class Store(Data, frozen=True, tag=True):
    """Store a fragment; elements whose guard fails touch no memory. `width` is as for `Load`."""

    target: Access | BufferRef
    fragment: str
    transfer: Transfer
    guard: Guard = ()
    width: int = 1


class Mma(Data, frozen=True, tag=True):
    """accumulator[i, j] += Σₖ a[i, k]·b[k, j], by an instruction whose lane maps the fragments must match."""

    instruction: str
    accumulator: str
    a: str
    b: str


class Compute(Data, frozen=True, tag=True):
    """Evaluate an expression for every element, in registers.

    `Accumulator(i)` in the expression means ``accumulators[i]``, `Operand(i)` means ``operands[i]``; operands of one
    row or one column are broadcast. All are converted to `dtype`, in which the expression is evaluated; the result is
    converted to the target fragment's own type (nearest even; integers saturate).

    With `approximate`, exp, quotients, reciprocals and square roots may be off by 2^-16 of their value, as a device's fast
    functions are: a 16-bit result, rounded at 2^-9 or 2^-12, does not show it. Where `approximate` is an expression, that one is
    evaluated so in the other's place (`tracea_core.semantic.build.approximation`).
    """

    target: str
    expr: Expr
    dtype: DType
    accumulators: tuple[str, ...] = ()
    operands: tuple[str, ...] = ()
    approximate: bool | Expr = False


class Extract(Data, frozen=True, tag=True):
    """Name the part of a fragment whose first element is (row, column); no data moves, so the place is known when printing.

    It is of neighbouring columns, or of each so many `every` says. Unset, and left out of JSON and digests, for neighbours.
    """

    target: str
    source: str
    row: Index
    column: Index
    every: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def apart(self) -> int:
        """How far apart its columns lie in the source."""
        return self.every if isinstance(self.every, int) else 1

    def columns(self, first: int, count: int) -> slice:
        """Return which columns of the source it is, from the `first` on."""
        return slice(first, first + max(count - 1, 0) * self.apart + min(count, 1), self.apart)


class Turn(Data, frozen=True, tag=True):
    """Move a fragment's elements between lanes: the target holds the same matrix, its lanes along the other axis."""

    target: str
    source: str


class Barrier(Data, frozen=True, tag=True):
    """Wait until every member of the scope has arrived; memory written before is visible after.

    `name` tells barriers of one scope apart.
    """

    scope: Scope
    name: str


class Acquire(Data, frozen=True, tag=True):
    """Wait until the slot at the role's position in `ring` is on `side`. Stage and parity follow from the position."""

    ring: str
    side: Side


class Expect(Data, frozen=True, tag=True):
    """Arrive on the slot's full side and announce how many bytes asynchronous loads will still bring."""

    ring: str
    bytes: int


class Release(Data, frozen=True, tag=True):
    """Arrive on the empty side of the slot `lag` positions behind the role's own: one lane for the instance, or one of each warp.

    In a cluster, arrive on that slot in every block that loads into it (`Ring.multicast`). With `by_warps`, the lanes of a warp meet
    before, so they may have read the slot by themselves; unset, and left out of JSON and digests, for one lane.
    """

    ring: str
    lag: int = 0
    by_warps: bool | msgspec.UnsetType = msgspec.UNSET

    @property
    def for_warps(self) -> bool:
        """Whether each warp arrives for itself."""
        return self.by_warps is True

    def arrivals(self, lanes: int) -> int:
        """Return how many arrivals an instance of so many lanes makes."""
        return lanes // _WARP if self.for_warps else 1


class Advance(Data, frozen=True, tag=True):
    """Move the role's position in `ring` on by one."""

    ring: str


class AsyncLoad(Data, frozen=True, tag=True):
    """Copy a box of an operand into a ring slot without waiting; its bytes count towards the slot's full side.

    With `multicast`, every block of the group receives the box at the same place of its own slot, which counts its bytes.
    """

    kind: AsyncCopyKind
    target: BufferRef
    source: Box
    ring: str
    multicast: Multicast | None = None


class SharedOperand(Data, frozen=True, tag=True):
    """A matrix operand that an instruction reads from shared memory through a descriptor.

    The descriptor addresses 8-row groups of `swizzle_bytes`-wide rows: `stride_bytes` between row groups,
    `leading_bytes` between column groups (PTX ISA, "Shared Memory Matrix Layout"). The verifier proves that this
    addressing equals the buffer's layout. `coordinates` are those of the operand's first element; rows run along K
    (the buffer's second coordinate), or, if `transposed`, along M or N, so that K is the buffer's first coordinate.
    """

    buffer: str
    coordinates: tuple[Index, ...]
    slot: Index
    swizzle_bytes: int
    leading_bytes: int
    stride_bytes: int
    transposed: bool = False


class HeldOperand(Data, frozen=True, tag=True):
    """A matrix operand that an instruction reads from registers: columns of a fragment from `column` on.

    The fragment is laid out as the instruction's operand, repeated along its columns.
    """

    fragment: str
    column: int = 0


class AsyncMma(Data, frozen=True, tag=True):
    """Start accumulator (+)= a·b; where `accumulate` fails the accumulator is overwritten instead.

    b comes from shared memory, a from there or from registers, which nobody may change until the wait that retires the instruction.
    """

    instruction: str
    accumulator: str
    a: SharedOperand | HeldOperand
    b: SharedOperand
    accumulate: Guard = ()

    @property
    def shared(self) -> tuple[SharedOperand, ...]:
        """The operands in shared memory."""
        return (self.b,) if isinstance(self.a, HeldOperand) else (self.a, self.b)

    @property
    def registers(self) -> tuple[str, ...]:
        """The fragments that it reads or updates."""
        return (self.accumulator, self.a.fragment) if isinstance(self.a, HeldOperand) else (self.accumulator,)


class Commit(Data, frozen=True, tag=True):
    """Close the group of asynchronous steps of one kind that this actor has started since its last commit."""

    kind: AsyncKind


class Wait(Data, frozen=True, tag=True):
    """Wait until at most `pending` of this actor's groups of one kind are still running."""

    kind: AsyncKind
    pending: int


class AccumulatorFence(Data, frozen=True, tag=True):
    """Order earlier accesses to the registers of a fragment before the asynchronous instruction that updates or reads them."""

    fragment: str


class ProxyFence(Data, frozen=True, tag=True):
    """Make this actor's ordinary shared-memory writes visible to the copy engine."""


class AsyncStore(Data, frozen=True, tag=True):
    """Copy a buffer into a box of an operand without waiting (one elected thread issues it)."""

    kind: AsyncCopyKind
    target: Box
    source: BufferRef


class Fetch(Data, frozen=True, tag=True):
    """Hint: a box will be read soon; the copy engine brings it into the L2 cache. Changes speed, never meaning."""

    source: Box


class SchedulingFence(Data, frozen=True, tag=True):
    """Hint: the compiler shall not move memory accesses across this point. Changes speed, never meaning."""


class Let(Data, frozen=True, tag=True):
    """Name an integer for the rest of the enclosing body.

    With `fragment`, the value may use `ROW` and `COLUMN` and is held once for each element of that fragment, in the
    lanes that hold the element: a hoisted coordinate table in registers, for steps that move a fragment with the same
    lanes (a table over one row or column serves every row or column). A table's integers have 32 bits, or 64 where it is `wide`:
    places in memory. Unset, and left out of JSON and digests, for 32.
    """

    name: str
    value: Index
    fragment: str | None = None
    wide: bool | msgspec.UnsetType = msgspec.UNSET


class Loop(Data, frozen=True, tag=True):
    """Run `body` for ``var = start, start + step, …`` below `stop`; `unroll` bodies are printed in a row (the rest in a tail loop)."""

    var: str
    start: Index
    stop: Index
    body: tuple[Node, ...]
    step: int = 1
    unroll: int = 1

    def __post_init__(self) -> None:
        if self.step < 1 or self.unroll < 1:
            raise ConfigurationError("a loop's step and unroll are at least 1", loop=self.var)


class Staged(Data, frozen=True, tag=True):
    """Inside a loop: steps that work on iteration ``var + offset·step``, as far as that iteration exists.

    Prologue, steady loop and drain are peeled from these offsets (`tracea_core.semantic.peel`), so software pipelining
    is data.
    """

    offset: int
    body: tuple[Node, ...]


class If(Data, frozen=True, tag=True):
    """Run `then` where the guard holds, `otherwise` where it fails."""

    guard: Guard
    then: tuple[Node, ...]
    otherwise: tuple[Node, ...] = ()


Step: TypeAlias = Union[
    Fill, Load, Store, Mma, Compute, Extract, Turn, Barrier, Acquire, Expect, Release, Advance, AsyncLoad, AsyncMma, Commit,
    Wait, AccumulatorFence, ProxyFence, AsyncStore, AsyncCopy, Fetch, SchedulingFence, Count, Fold, Mask, Join, Prefetch, Skip,
    Await, Signal,
]  # fmt: skip
Node: TypeAlias = Union[Let, Loop, Staged, If, Step]
