# SPDX-License-Identifier: MIT
"""The semantic kernel: a complete schedule, bound to one problem class, target and configuration.

It is a program, not a data sheet: roles run their bodies, fragments name the registers, buffers and rings name shared
state, and every step (`tracea_core.semantic.steps`) is spelled out. An emitter walks it and decides nothing; the
verifier certifies it; the interpreter runs it. Sizes and strides are dynamic symbols, so one kernel serves every shape
of its class.
"""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.index import Index, Value
from tracea_core.semantic.layout import FragmentLayout, Layout
from tracea_core.semantic.ragged import GROUP_ENDS
from tracea_core.semantic.steps import If, Loop, Multicast, Node, Staged


class Space(enum.Enum):
    """Where a buffer lives."""

    PANEL = "panel"  # memory of one CPU worker, sized for its caches
    WORKSPACE = "workspace"  # global memory shared by everyone, allocated for the call
    SHARED = "shared"  # shared memory of one block


class Lifetime(enum.Enum):
    """How long a buffer's content stays valid."""

    TILE = "tile"
    TILE_COLUMN = "tile_column"
    CALL = "call"


class Actor(enum.Enum):
    """What executes one instance of a role; lanes of its fragments are the actor's SIMD lanes or threads."""

    WORKER = "worker"
    THREAD = "thread"
    WARP = "warp"
    WARPGROUP = "warpgroup"


class Direction(enum.Enum):
    """What a kernel does with a pointer parameter."""

    READ = "read"
    WRITE = "write"
    UPDATE = "update"


class Symbol(Data, frozen=True):
    """A dynamic integer argument and its domain: minimum ≤ value ≤ maximum, value ≡ 0 mod `multiple`."""

    name: str
    minimum: int = 0
    maximum: int = 2**62
    multiple: int = 1
    meaning: str = ""

    @property
    def wide(self) -> bool:
        """Whether languages with 32-bit integers pass it as a 64-bit one: its domain does not fit."""
        return self.maximum >= 1 << 31 or self.minimum < -(1 << 31)

    def admits(self, value: int) -> bool:
        """Whether `value` lies in the domain."""
        return self.minimum <= value <= self.maximum and value % self.multiple == 0


class Parameter(Data, frozen=True):
    """A pointer argument: name, element type, what the kernel does with it, and the alignment in bytes it relies on."""

    name: str
    dtype: DType
    direction: Direction
    alignment: int


class Use(enum.Enum):
    """What a matrix is to the instruction that multiplies it."""

    A = "a"
    B = "b"
    SUM = "accumulator"


class Opaque(Data, frozen=True):
    """Registers in an order of the instruction's own, which no document states (`tracea_core.semantic.verify.opaque`).

    Attributes
    ----------
    use : Use
        What the matrix is to the instruction.
    by_rows : bool
        Whether elements of a row are neighbours in the memory that it is loaded from or stored to, else those of a column.
    """

    use: Use
    by_rows: bool


class Fragment(Data, frozen=True):
    """Registers of one role instance: which lane and register holds which (row, column) element.

    Where `opaque` is set, `layout` is one of many that the registers might have, and nothing may follow from it. It is left out of JSON
    and digests where it is not.
    """

    name: str
    dtype: DType
    layout: FragmentLayout
    opaque: Opaque | msgspec.UnsetType = msgspec.UNSET


class Buffer(Data, frozen=True):
    """Memory that steps share.

    Attributes
    ----------
    layout : Layout
        From logical coordinates to an element offset within one slot. With an `extent`, the layout repeats: the first
        coordinate of a reference counts repetitions of the layout's span, the others go to the layout.
    slots : int
        Copies of the layout that a ring cycles through (1 without a ring).
    extent : Index, optional
        How many times the layout repeats, where that depends on the problem (the K rows of a packed panel).
    """

    name: str
    space: Space
    dtype: DType
    layout: Layout
    lifetime: Lifetime
    slots: int = 1
    extent: Index | None = None
    alignment: int = 64


class Ring(Data, frozen=True):
    """A cyclic channel between roles: iteration i uses slot i mod `slots` with parity (i div slots) mod 2.

    Attributes
    ----------
    producer : str
        The role that fills slots; `consumers` are the roles that release them.
    transaction_bytes : int
        Bytes that asynchronous loads bring into each slot (0 if threads write it themselves).
    full_arrivals, empty_arrivals : int
        Arrivals that flip each side, derived by `tracea_core.semantic.phases.arrivals`.
    multicast : tuple of Multicast
        The groups of blocks over which its loads are shared; a release arrives in every block of their union. All rings
        of a cluster are initialised before any role starts.
    """

    name: str
    slots: int
    buffers: tuple[str, ...]
    producer: str
    consumers: tuple[str, ...]
    transaction_bytes: int
    full_arrivals: int
    empty_arrivals: int
    multicast: tuple[Multicast, ...] = ()

    def __post_init__(self) -> None:
        if not 1 <= self.slots <= 8:
            raise ConfigurationError("a ring has 1 to 8 slots", ring=self.name, slots=self.slots)


class Role(Data, frozen=True):
    """One part in the play: who acts, how many of them, with which registers, and what they do.

    Inside the body the symbol named like the role counts its instances, and `lanes` lanes hold its fragments.
    `registers` is the 32-bit register budget of a thread (0: the compiler's choice); `elected` bodies run in a single
    thread of the actor.
    """

    name: str
    actor: Actor
    instances: int
    lanes: int
    fragments: tuple[Fragment, ...]
    body: tuple[Node, ...]
    registers: int = 0
    elected: bool = False

    def fragment(self, name: str) -> Fragment:
        """Return the fragment called `name`."""
        for fragment in self.fragments:
            if fragment.name == name:
                return fragment
        raise ConfigurationError(f"the role {self.name!r} has no fragment {name!r}")


class Overlap(enum.Enum):
    """How a kernel of a plan meets its neighbours on the stream, where it need not begin after the one before has ended.

    A kernel that leads lets the next one begin as soon as all of its own blocks have. One that follows begins like that, and its roles
    wait until the kernel before has ended and all that it wrote is visible. In the middle of a plan a kernel does both, or runs beside
    the one before it: its roles wait for nothing, since they need nothing of what that one writes, but it ends later, so that whoever
    follows it follows both.
    """

    LEADS = "leads"
    BESIDE = "beside"
    BOTH = "both"
    FOLLOWS = "follows"


class Launch(Data, frozen=True):
    """How many blocks (or CPU workers) run, how many threads each has, how many blocks form a cluster, and shared bytes.

    `overlap` is unset, and left out of JSON and digests, for a kernel that begins after all before it have ended. So many blocks as
    `together` says share a processor, and the compiler keeps to the registers that this leaves; unset where one block may take all.
    """

    blocks: Index
    threads: int
    cluster: int = 1
    shared_bytes: int = 0
    overlap: Overlap | msgspec.UnsetType = msgspec.UNSET
    together: int | msgspec.UnsetType = msgspec.UNSET

    @property
    def early(self) -> bool:
        """Whether it begins before the kernel before it has ended, and waits for that one itself."""
        return isinstance(self.overlap, Overlap) and self.overlap is not Overlap.LEADS

    @property
    def leads(self) -> bool:
        """Whether the next kernel may begin before it ends."""
        return isinstance(self.overlap, Overlap) and self.overlap is not Overlap.FOLLOWS


class SemanticKernel(Data, frozen=True, kw_only=True):
    """A bound, complete schedule. See the module's text; every field is printed by emitters or checked by the verifier.

    Attributes
    ----------
    name : str
        Entry point in emitted source: ``[A-Za-z_][A-Za-z0-9_]{0,62}``.
    title : str
        The op in words, for the head of emitted source.
    family, variant, arch : str
        Kernel family, the variant's name and the compiler target.
    configuration : PipelineConfig
        The parameters it was built from.
    symbols : tuple of Symbol
        Integer arguments in order; pointer parameters come before them.
    """

    name: str
    title: str
    family: str
    variant: str
    arch: str
    configuration: PipelineConfig
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]
    buffers: tuple[Buffer, ...]
    rings: tuple[Ring, ...]
    roles: tuple[Role, ...]
    launch: Launch

    def parameter(self, name: str) -> Parameter:
        """Return the pointer parameter called `name`."""
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        raise ConfigurationError(f"the kernel {self.name!r} has no parameter {name!r}")

    def buffer(self, name: str) -> Buffer:
        """Return the buffer called `name`."""
        for buffer in self.buffers:
            if buffer.name == name:
                return buffer
        raise ConfigurationError(f"the kernel {self.name!r} has no buffer {name!r}")

    def ring(self, name: str) -> Ring:
        """Return the ring called `name`."""
        for ring in self.rings:
            if ring.name == name:
                return ring
        raise ConfigurationError(f"the kernel {self.name!r} has no ring {name!r}")


def shares_memory(kernel: SemanticKernel) -> bool:
    """Whether the warps of a block share memory that barriers alone guard: a kernel on a GPU without rings."""
    return not kernel.rings and any(role.actor is not Actor.WORKER for role in kernel.roles)


def reads_groups(kernel: SemanticKernel) -> bool:
    """Whether rows of a kernel fall into groups whose ends lie in memory (`tracea_core.semantic.ragged`)."""
    return reads_ends(kernel) and any(symbol.name == "groups" for symbol in kernel.symbols)


def reads_ends(kernel: SemanticKernel) -> bool:
    """Whether a kernel reads ends in memory: of groups of rows, or of lists of blocks (`tracea_core.semantic.contraction.Lists`)."""
    return any(parameter.name == GROUP_ENDS for parameter in kernel.parameters)


def one_group(kernel: SemanticKernel, rows: int) -> dict[str, Value]:
    """Return the symbols of a division in which all `rows` are one group; nothing for a kernel without groups."""
    return {"groups": 1, GROUP_ENDS: np.array([rows])} if reads_groups(kernel) else {}


def walk(nodes: tuple[Node, ...]) -> Iterator[Node]:
    """Yield every node of a body, outermost first, in program order."""
    pending: list[Any] = list(reversed(nodes))
    while pending:
        node = pending.pop()
        yield node
        kind = type(node)
        if kind is Loop or kind is Staged:
            pending += reversed(node.body)
        elif kind is If:
            pending += reversed(node.otherwise)
            pending += reversed(node.then)
