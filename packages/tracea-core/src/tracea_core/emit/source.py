# SPDX-License-Identifier: MIT
"""What an emitter returns: text in a target language and all that is needed to compile and launch it."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator, Mapping

from tracea_core.data import Data
from tracea_core.dtypes import DType
from tracea_core.errors import EmitError
from tracea_core.semantic.image_steps import Pixels
from tracea_core.semantic.index import Const, Index, ceil_div, text
from tracea_core.semantic.kernel import Buffer, Launch, Parameter, SemanticKernel, Space, Symbol, walk
from tracea_core.semantic.steps import AsyncLoad, AsyncStore, Box, Fetch
from tracea_core.semantic.verify.certificate import Certificate

_LINE_BYTES = 64


class Workspace(Data, frozen=True):
    """Memory a kernel wants besides its arguments: bytes as an expression over its symbols, once per worker or once per call."""

    name: str
    bytes: Index
    per_worker: bool
    alignment: int = 64


def workspace(buffer: Buffer) -> Workspace:
    """Return the memory that a buffer of a CPU's kernel needs; a worker's own is a whole number of cache lines.

    Raises
    ------
    EmitError
        If the buffer lies in a space that a CPU does not have.
    """
    if buffer.space not in (Space.PANEL, Space.WORKSPACE):
        raise EmitError(f"a CPU has no {buffer.space.value} memory", buffer=buffer.name)
    repetitions = Const(1) if buffer.extent is None else buffer.extent
    size = repetitions * (buffer.layout.size * buffer.slots * buffer.dtype.bytes)
    return Workspace(
        buffer.name, ceil_div(size, _LINE_BYTES) * _LINE_BYTES, buffer.space is Space.PANEL, buffer.alignment
    )


class BoxMap(Data, frozen=True, omit_defaults=True):
    """A tensor as a copy engine addresses it in boxes: a descriptor that the host encodes and passes before the pointers.

    Attributes
    ----------
    name, operand : str
        The descriptor's parameter, and the pointer parameter whose memory it describes.
    dtype : DType
        Element type.
    extents, strides : tuple of Index
        Size in elements of each dimension, fastest first, and the distance in elements between neighbours (the first is 1),
        over the kernel's symbols.
    shape : tuple of int
        The box.
    swizzle_bytes : int
        Width of the rows in which the engine permutes 16-byte chunks in shared memory: 128, 64, 32, or 0 for not at all.
    pixels : Pixels, optional
        The walk over windows that its second size counts (its offset belongs to each copy, not to the descriptor).
    """

    name: str
    operand: str
    dtype: DType
    extents: tuple[Index, ...]
    strides: tuple[Index, ...]
    shape: tuple[int, ...]
    swizzle_bytes: int
    pixels: Pixels | None = None


def box_maps(kernel: SemanticKernel) -> tuple[BoxMap, ...]:
    """Return the descriptors that the kernel's box copies need, in the order in which they are passed."""
    found: dict[tuple[object, ...], BoxMap] = {}
    for role in kernel.roles:
        for node in walk(role.body):
            box = (
                node.source
                if isinstance(node, AsyncLoad | Fetch)
                else node.target
                if isinstance(node, AsyncStore)
                else None
            )
            if box is None:
                continue
            key = box_key(box)
            if key not in found:
                same = sum(known.operand == box.operand for known in found.values())
                name = f"{box.operand}_boxes{same or ''}"
                dtype = kernel.parameter(box.operand).dtype
                found[key] = BoxMap(
                    name, box.operand, dtype, box.extents, box.strides, box.shape, box.swizzle_bytes, _walk_of(box)
                )
    return tuple(found.values())


def box_key(box: Box | BoxMap) -> tuple[object, ...]:
    """Return what two boxes share that one descriptor serves."""
    return (box.operand, box.extents, box.strides, box.shape, box.swizzle_bytes, _walk_of(box))


def _walk_of(box: Box | BoxMap) -> Pixels | None:
    """What a descriptor says of a walk over windows: all but which element of each is loaded."""
    return None if box.pixels is None else box.pixels.replace(offset=(Const(0), Const(0)))


class KernelSource(Data, frozen=True, kw_only=True):
    """Emitted source.

    Attributes
    ----------
    language : str
        ``llvm-ir``, ``cuda``, ``hip``, ``opencl``, ``metal``.
    arch : str
        Compiler target it is meant for.
    entry : str
        Name of the kernel function.
    text : str
        The source.
    parameters, symbols
        Arguments in order: pointers first, then integers.
    workspaces : tuple of Workspace
        Memory to allocate, in the order in which the kernel expects it after the symbols.
    kernel_digest, certificate : str
        SHA-256 of the semantic kernel, and of its certificate.
    boxes : tuple of BoxMap
        Descriptors that the kernel takes before its pointers.
    """

    language: str
    arch: str
    entry: str
    text: str
    parameters: tuple[Parameter, ...]
    symbols: tuple[Symbol, ...]
    workspaces: tuple[Workspace, ...]
    launch: Launch
    kernel_digest: str
    certificate: str
    boxes: tuple[BoxMap, ...] = ()

    @property
    def text_digest(self) -> str:
        """SHA-256 of the text: the part of a binary's cache key that names its source."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def packed_symbols(self, values: Mapping[str, int]) -> bytes:
        """Return the symbols as one structure in C's own layout, for languages that take them so: each aligned to its size."""
        fields = "".join("q" if symbol.wide else "i" for symbol in self.symbols)
        end = "0q" if "q" in fields else "0i"
        return struct.pack(f"@{fields}{end}", *(values[symbol.name] for symbol in self.symbols))


def header(kernel: SemanticKernel, certificate: Certificate) -> str:
    """Return the lines that open every emitted source: op, variant, configuration, certificate, digest."""
    return "\n".join(
        (
            f"tracea: {kernel.title}",
            f"variant        {kernel.variant} for {kernel.arch}",
            f"configuration  {kernel.configuration.describe()}",
            f"schedule       {kernel.digest()}",
            f"certificate    {certificate.digest()}: {', '.join(proof.property for proof in certificate.proofs)}",
        )
    )


def contents(kernel: SemanticKernel) -> Iterator[str]:
    """Yield a line for each argument and buffer, with everything that is said of it."""
    for parameter in kernel.parameters:
        words = f"{parameter.dtype.value}, {parameter.direction.value}, aligned to {parameter.alignment} bytes"
        yield f"{parameter.name}: {words}"
    for symbol in kernel.symbols:
        bounds = f"{symbol.minimum} to {symbol.maximum}" + (f" by {symbol.multiple}" if symbol.multiple > 1 else "")
        yield f"{symbol.name}: {symbol.meaning or 'an integer'}; {bounds}"
    for buffer in kernel.buffers:
        times = "" if buffer.extent is None else f", {text(buffer.extent)} times"
        slots = f", {buffer.slots} slots" if buffer.slots != 1 else ""
        yield (
            f"{buffer.name}: {buffer.space.value} of {buffer.dtype.value}, {buffer.layout}{times}{slots}, kept for a "
            f"{buffer.lifetime.value}, aligned to {buffer.alignment} bytes"
        )
