# SPDX-License-Identifier: MIT
"""What a C-like language must spell for itself: types, conversions, barriers, copies and matrix instructions.

A dialect only spells. What is done, in which order, by whom and to which bytes, stands in the semantic kernel; the walk hands
the dialect one step at a time with every address printed. A step that a language has no word for stays unimplemented here and
is refused with its name.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from tracea_core.dtypes import DType
from tracea_core.emit.c.algebra import ADD, Term
from tracea_core.errors import EmitError
from tracea_core.ops.expr import BinaryFn, UnaryFn
from tracea_core.semantic.fragment import FragmentLayout
from tracea_core.semantic.kernel import Buffer, Opaque, Role, SemanticKernel
from tracea_core.semantic.lanes import InstructionLanes
from tracea_core.semantic.steps import Access, AsyncKind, Box, Multicast, Scope, SharedOperand, Side

SharedPlace: TypeAlias = tuple[SharedOperand, Buffer, Term]
"""An operand in shared memory, its buffer, and its first element's place in that."""


class Packed(NamedTuple):
    """A fragment as it is declared: an array of 32-bit words that hold `per_word` elements each, or of elements (1).

    16- and 8-bit elements are packed in the order of their registers, lowest bits first, as matrix instructions take them. An opaque one
    is no array, but a matrix of the language's own.
    """

    name: str
    dtype: DType
    layout: FragmentLayout
    per_word: int
    opaque: Opaque | None = None

    @property
    def words(self) -> int:
        """Length of the array."""
        return self.layout.registers // self.per_word


class Dialect:
    """The words of one language.

    `language` is its name in `KernelSource`, and `thread` what its text calls a thread's number within its block, since ``thread``
    is a keyword of some. `function` begins the definition of a function that is called within kernels. `power_of_two` is the
    fast function that raises 2 to a float, where there is one. `begin_next_kernel` lets the next kernel on the stream begin, once every
    block has come to it, and `await_kernel` waits for the end of the one before and for what it wrote; empty where there is no such word.
    """

    language = ""
    thread = "thread"
    function = "INLINE"
    power_of_two = ""
    begin_next_kernel = ""
    await_kernel = ""

    def _none(self, what: str) -> EmitError:
        return EmitError(f"{self.language} has no word for {what}", hint="Choose another schedule or backend")

    # ---- types and values

    def scalar(self, dtype: DType) -> str:
        """Return the type in which a value of `dtype` is computed, or stored where nothing computes in it."""
        raise self._none(f"values of {dtype.value}")

    def constant(self, value: float, dtype: DType) -> str:
        """Return a number as a literal of `scalar(dtype)`."""
        raise self._none(f"constants of {dtype.value}")

    def unary(self, fn: UnaryFn, dtype: DType, x: str, approximate: bool = False) -> str:
        """Return ``fn(x)``; `approximate` allows the device's fast functions (see `tracea_core.semantic.steps.Compute`)."""
        raise self._none(fn.value)

    def quotient(self, dtype: DType, x: str, y: str) -> str:
        """Return an approximate ``x / y``."""
        return f"({x} / {y})"

    def binary(self, fn: BinaryFn, dtype: DType, x: str, y: str) -> str:
        """Return the maximum or minimum of two values, NaN if either is NaN."""
        raise self._none(fn.value)

    def round(self, value: str, source: DType, target: DType, saturate: bool) -> str:
        """Return a computed value of type `source` converted to the stored form of `target`, to nearest even."""
        raise self._none(f"conversion from {source.value} to {target.value}")

    def round_pair(self, low: str, high: str, source: DType, target: DType) -> str | None:
        """Return two values converted to a 16-bit type in one 32-bit word, or None where the language has no word for it."""
        return None

    def halves(self, words: str, low: int, high: int) -> str | None:
        """Return two 16-bit elements of an array of words, by their numbers, in one word, or None where the language has no word for it."""
        return None

    def cast(self, value: str, source: DType, target: DType) -> str:
        """Return a stored value of `source` as a computed value of type `target`."""
        raise self._none(f"conversion from {source.value} to {target.value}")

    # ---- structure

    def reciprocal_idiom(self) -> str:
        """Return the function that divides a number from 0 to 2^31 − 1 (`tracea_core.semantic.quotient`)."""
        product = "(unsigned)((i64)a * (int)reciprocal >> 31) + (unsigned)a"
        return (
            "// a, from 0, divided by what `reciprocal` belongs to: a multiplier less 2^31 in its low word, a shift in its high word.\n"
            f"{self.function} int quotient(int a, i64 reciprocal) {{ return (int)(({product}) >> (int)(reciprocal >> 32)); }}"
        )

    def preamble(self) -> str:
        """Return what stands before the kernel: types, and the idioms that its text calls."""
        raise self._none("a preamble")

    def signature(self, kernel: SemanticKernel, pointers: Sequence[str], symbols: Sequence[str]) -> str:
        """Return the head of the kernel function."""
        raise self._none("a kernel function")

    def pointer(self, dtype: DType, name: str, *, constant: bool) -> str:
        """Return the declaration of a global pointer parameter."""
        raise self._none("global pointers")

    def block_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return the lines that open the body: thread and block numbers, shared memory, barriers of rings.

        They define `thread`, and, where the kernel uses them, ``block``, ``blocks`` and ``cluster_rank`` as int.
        """
        raise self._none("blocks and threads")

    def close_lines(self, kernel: SemanticKernel) -> Iterable[str]:
        """Return the lines that close the body, after every role has ended."""
        return ()

    def role_lines(self, kernel: SemanticKernel, role: Role) -> Iterable[str]:
        """Return the lines with which a role begins (register budgets)."""
        return ()

    def uniform(self, value: str) -> str:
        """Return an integer that is the same in all lanes of a warp, in a way that the compiler knows it too."""
        return value

    def unroll(self, count: int | None) -> str:
        """Return the line that has a loop's bodies printed `count` in a row (None: all of them)."""
        return f"#pragma unroll {count}" if count else "#pragma unroll"

    def registers(self, packed: Packed, kind: str) -> str:
        """Return the declaration of a fragment's registers: something that is indexed by word."""
        return f"{kind} {packed.name}[{packed.words}]"

    # ---- vectors of a CPU

    def vector(self, dtype: DType, lanes: int) -> str:
        """Return the type of a vector of values as they are stored; its elements are assigned by number, in brackets."""
        raise self._none(f"vectors of {lanes} {dtype.value}")

    def vector_of(self, kind: str, parts: Sequence[str]) -> str:
        """Return the vector of type `kind` with these elements."""
        raise self._none("vectors")

    def vector_part(self, vector: str, lane: int) -> str:
        """Return one element of a vector, of a number that is known."""
        raise self._none("vectors")

    def vector_load(self, lanes: int, address: str) -> str:
        """Return the vector whose first element is the lvalue `address`, aligned to its elements."""
        raise self._none(f"loads of {lanes} elements")

    def vector_store(self, lanes: int, value: str, address: str) -> str:
        """Return the statement that stores a vector from the lvalue `address` on, aligned to its elements."""
        raise self._none(f"stores of {lanes} elements")

    def prefetch(self, address: str, level: int, write: bool) -> str:
        """Return the statement that asks for the line of an lvalue, which may lie outside its operand."""
        raise self._none("requests for lines of memory")

    def worker_buffer(self, buffer: Buffer) -> str:
        """Return the parameter that points to a buffer in global memory, that of all workers."""
        raise self._none("buffers in global memory")

    def own_buffer(self, buffer: Buffer, elements: Term) -> str:
        """Return the line that names a worker's own part, of so many elements, of what `worker_buffer` passes."""
        raise self._none("buffers in global memory")

    # ---- memory

    def async_copy(self, bytes_: int, target: str, source: str, test: str) -> str:
        """Return the statement that starts to copy `bytes_` from one lvalue's place to another's, zeros where `test` fails."""
        raise self._none("copies that pass no registers")

    def element(self, buffer: Buffer, offset: Term, rank: Term | None = None) -> str:
        """Return a shared buffer's element as an lvalue of its storage type; `offset` counts elements from its first slot.

        With `rank` it is the buffer of that block of the cluster.
        """
        raise self._none("shared memory")

    def load_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return the statement that loads `words` 32-bit words (1, 2 or 4) from an lvalue's place into ``packed.name[word…]``."""
        raise self._none(f"loads of {32 * words} bits")

    def half_at(self, address: str) -> str:
        """Return the 16 bits at an lvalue's place, which lie within a word."""
        raise self._none("loads of 16 bits")

    def store_run(self, packed: Packed, word: Term, words: int, address: str) -> str:
        """Return the statement that stores `words` 32-bit words to an lvalue's place."""
        raise self._none(f"stores of {32 * words} bits")

    def matrix_load(
        self, packed: Packed, word: int, matrices: int, buffer: Buffer, offset: Term, transposed: bool
    ) -> str:
        """Return the statement that loads 8×8 matrices of 16-bit elements; each lane passes the offset of one of their rows."""
        raise self._none("matrix loads")

    def matrix_store(
        self, packed: Packed, word: int, matrices: int, buffer: Buffer, offset: Term, transposed: bool
    ) -> str:
        """Return the statement that stores 8×8 matrices of 16-bit elements; each lane passes the offset of one of their rows."""
        raise self._none("matrix stores")

    # ---- matrices of the language's own

    def tile_fill(self, packed: Packed, value: str) -> str:
        """Return the statement that sets every element."""
        raise self._none("opaque matrices")

    def tile_load(self, packed: Packed, address: str, stride: int) -> str:
        """Return the statement that loads the matrix whose first element is the lvalue `address`, its rows `stride` elements apart.

        Columns take the place of rows where the matrix does not lie by rows (`Packed.opaque`).
        """
        raise self._none("opaque matrices")

    def tile_store(self, packed: Packed, address: str, stride: int) -> str:
        """Return the statement that stores a matrix; see `tile_load`."""
        raise self._none("opaque matrices")

    # ---- steps

    def barrier(self, kernel: SemanticKernel, role: Role, scope: Scope, name: str) -> str:
        """Return the statement that waits for the members of `scope`; barriers of a role are per instance."""
        raise self._none(f"barriers of a {scope.value}")

    def await_turn(self, role: Role, token: str, threads: int) -> str:
        """Return the statement that arrives at the instance's own barrier `token` and waits until `threads` have."""
        raise self._none("turns")

    def signal_turn(self, role: Role, token: str, target: Term, threads: int) -> str:
        """Return the statement that arrives at the barrier `token` of instance `target` and goes on."""
        raise self._none("turns")

    def mma(self, lanes: InstructionLanes, c: Packed, a: Packed, b: Packed) -> str:
        """Return the statement ``c += a·b``."""
        raise self._none(lanes.name)

    def from_lane(self, value: str, distance: int, dtype: DType) -> str:
        """Return what the lane whose number differs in the bit `distance` holds as `value`; all lanes of the warp take part."""
        raise self._none("exchanges between lanes")

    def acquire(self, ring: str, side: Side, slot: str, phase: str) -> str:
        """Return the statement that waits until a slot's side has completed `phase`."""
        raise self._none("rings")

    def expect(self, ring: str, slot: str, bytes_: int) -> str:
        """Return the statement that arrives on a slot's full side and announces `bytes_`."""
        raise self._none("rings")

    def release(self, kernel: SemanticKernel, role: Role, ring: str, slot: str, by_warps: bool) -> str:
        """Return what arrives on a slot's empty side in every sharing block: once for the role's instance, or for each warp."""
        raise self._none("rings")

    def async_load(
        self, box: Box, origin: Sequence[Term], buffer: Buffer, offset: Term, ring: str, share: Multicast | None,
        once: str | None,
    ) -> str:  # fmt: skip
        """Return the statement that starts a box copy into a slot; where `once` holds, nobody reads the box again."""
        raise self._none("box copies")

    def async_store(self, box: Box, origin: Sequence[Term], buffer: Buffer, offset: Term) -> str:
        """Return the statement that starts a box copy out of shared memory."""
        raise self._none("box copies")

    def fetch(self, box: Box, origin: Sequence[Term]) -> str:
        """Return the statement that brings a box into the L2 cache."""
        raise self._none("box copies")

    def async_mma(
        self, lanes: InstructionLanes, c: Packed, a: SharedPlace | tuple[str, ...], b: SharedPlace, accumulate: str
    ) -> str:
        """Return the statement that starts ``c (+)= a·b``; a may be words in registers, and `accumulate` is a condition."""
        raise self._none(lanes.name)

    def commit(self, kind: AsyncKind) -> str:
        """Return the statement that closes a group."""
        raise self._none(f"groups of {kind.value}")

    def wait(self, kind: AsyncKind, pending: int) -> str:
        """Return the statement that waits until at most `pending` groups run."""
        raise self._none(f"groups of {kind.value}")

    def accumulator_fence(self, packed: Packed) -> str:
        """Return the statement that orders register accesses before asynchronous instructions."""
        raise self._none("accumulator fences")

    def proxy_fence(self) -> str:
        """Return the statement that shows ordinary writes to the copy engine."""
        raise self._none("proxy fences")

    def scheduling_fence(self) -> str:
        """Return the statement across which the compiler moves no memory access."""
        raise self._none("scheduling fences")

    def global_address(self, access: Access, offset: Term) -> str:
        """Return an element of a global operand as an lvalue."""
        return f"{access.operand}[{offset.text}]"

    def address_from(self, access: Access, place: Term, offset: Term) -> str:
        """Return an element of a global operand as an lvalue, so far from a place in it."""
        return f"({access.operand} + {place.at(ADD)})[{offset.text}]"
