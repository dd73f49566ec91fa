# SPDX-License-Identifier: MIT
"""A kernel of any family as an LLVM module: head, helpers, and one function that every worker runs.

``void @name(ptr arguments, i64 worker, i64 workers)``: `arguments` is an array of 8-byte words, the pointers in the
order of the parameters, then the symbols, then the address of a barrier, then the address of each workspace.
"""

from __future__ import annotations

from tracea_core.emit.source import KernelSource, header, workspace
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.semantic.index import text
from tracea_core.semantic.kernel import Actor, SemanticKernel, Space
from tracea_core.semantic.verify.certificate import Certificate

from tracea_cpu.emit import linear
from tracea_cpu.emit.builder import NONTEMPORAL
from tracea_cpu.emit.linear import Atom, Linear
from tracea_cpu.emit.walk import Table, Walk
from tracea_cpu.pool_text import barrier_text

_AVX512_BYTES = 64


def emit_kernel(kernel: SemanticKernel, certificate: Certificate) -> KernelSource:
    """Return `kernel` printed as LLVM IR; equal kernels and certificates give equal bytes.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    EmitError
        If the kernel holds what a CPU cannot express.
    """
    certificate.require(kernel)
    return KernelSource(
        language="llvm-ir",
        arch=kernel.arch,
        entry=kernel.name,
        text=_module(kernel, header(kernel, certificate)),
        parameters=kernel.parameters,
        symbols=kernel.symbols,
        workspaces=tuple(workspace(buffer) for buffer in kernel.buffers),
        launch=kernel.launch,
        kernel_digest=kernel.digest(),
        certificate=certificate.digest(),
    )


emit_contraction = emit_kernel
"""The family's own name: all families of the CPU are one walk over the worker's steps."""


def _module(kernel: SemanticKernel, head: str) -> str:
    if len(kernel.roles) != 1 or kernel.roles[0].actor is not Actor.WORKER:
        raise EmitError("a CPU kernel has one role, the worker", roles=[role.name for role in kernel.roles])
    walk = Walk(kernel, kernel.roles[0])
    environment = _arguments(kernel, walk)
    walk.print(environment)
    walk.builder.settle()
    walk.builder.line("ret void")
    writer = SourceWriter(comment=";")
    writer.comment(head)
    if walk.uses_barrier:
        writer.line(barrier_text(_triple(kernel.arch)).strip("\n"))
    libraries = list(walk.expressions.libraries.values())
    python = walk.expressions.python
    declarations = set(walk.builder.declarations).union(
        python.declarations(), *(library.declarations() for library in libraries)
    )
    for lines in (
        [walk.groups.constants] if walk.groups.constants else [],
        sorted(declarations),
        [library.functions() for library in libraries if library.functions()],
    ):
        if lines:
            writer.line()
            writer.line("\n".join(lines))
    writer.line()
    _contents(kernel, writer)
    attributes = f'nounwind "tune-cpu"="{_tuning(kernel)}"'
    with writer.block(f"define void @{kernel.name}(ptr %arguments, i64 %worker, i64 %workers) {attributes}"):
        walk.builder.render(writer)
    if walk.builder.streams:
        writer.line()
        writer.line(NONTEMPORAL)
    return f"{writer.text()}\n{python.text()}\n" if python else writer.text()


def _contents(kernel: SemanticKernel, writer: SourceWriter) -> None:
    """List arguments, buffers and fragments with everything that is said of them."""
    for parameter in kernel.parameters:
        words = f"{parameter.dtype.value}, {parameter.direction.value}, aligned to {parameter.alignment} bytes"
        writer.comment(f"{parameter.name}: {words}")
    for symbol in kernel.symbols:
        bounds = f"{symbol.minimum} to {symbol.maximum}" + (f" by {symbol.multiple}" if symbol.multiple > 1 else "")
        writer.comment(f"{symbol.name}: {symbol.meaning or 'an integer'}; {bounds}")
    for buffer in kernel.buffers:
        times = "" if buffer.extent is None else f", {text(buffer.extent)} times"
        slots = f", {buffer.slots} slots" if buffer.slots > 1 else ""
        writer.comment(
            f"{buffer.name}: {buffer.space.value} of {buffer.dtype.value}, {buffer.layout}{times}{slots}, kept for a "
            f"{buffer.lifetime.value}, aligned to {buffer.alignment} bytes"
        )
    for fragment in kernel.roles[0].fragments:
        rows, columns = fragment.layout.shape
        writer.comment(
            f"{fragment.name}: {rows}x{columns} of {fragment.dtype.value} in {fragment.layout.registers} registers of "
            f"{fragment.layout.lanes} lanes"
        )


def _arguments(kernel: SemanticKernel, walk: Walk) -> dict[str, Linear | Table]:
    """Print the reading of the argument block and return the symbols' values."""
    builder = walk.builder
    for reserved in ("arguments", "worker", "workers"):
        builder.fresh(reserved)
    environment: dict[str, Linear | Table] = {
        name: linear.of(Atom(f"%{name}", 0, False, True)) for name in ("worker", "workers")
    }
    builder.line("entry:")
    walk.memory.prologue = builder.slot()
    position = 0

    def word(name: str, kind: str) -> str:
        nonlocal position
        place, _ = builder.pure(f"getelementptr i64, ptr %arguments, i64 {position}", f"{name}_word")
        position += 1
        return builder.value(f"load {kind}, ptr {place}, align 8", name)

    for parameter in kernel.parameters:
        walk.memory.pointers[parameter.name] = word(parameter.name, "ptr")
    for symbol in kernel.symbols:
        environment[symbol.name] = linear.of(Atom(word(symbol.name, "i64"), 0, False, symbol.minimum >= 0))
    walk.barrier = word("barrier", "ptr")
    for buffer in kernel.buffers:
        if buffer.space is not Space.PANEL:
            walk.memory.pointers[buffer.name] = word(buffer.name, "ptr")
            continue
        everyone = word(f"{buffer.name}_of_all", "ptr")
        size = walk.index.evaluate(
            workspace(buffer).bytes, lambda name: _scalar(environment, name), f"{buffer.name}_bytes"
        )
        bytes_each, _ = walk.index.scalar(size, f"{buffer.name}_bytes")
        own = builder.here(f"mul i64 %worker, {bytes_each}", f"{buffer.name}_own")
        walk.memory.pointers[buffer.name] = builder.here(f"getelementptr i8, ptr {everyone}, i64 {own}", buffer.name)
    return environment


def _scalar(environment: dict[str, Linear | Table], name: str) -> Linear:
    value = environment[name]
    assert isinstance(value, Linear)
    return value


def _is_arm(arch: str) -> bool:
    names = ("arm", "aarch64", "apple", "neoverse", "cortex", "ampere", "a64fx", "generic")
    return arch.startswith(names)


def _triple(arch: str) -> str:
    """Return the triple whose instructions the barrier may use while it waits."""
    return "aarch64-unknown-linux-gnu" if _is_arm(arch) else "x86_64-unknown-linux-gnu"


def _tuning(kernel: SemanticKernel) -> str:
    """Return the processor whose scheduling model LLVM shall use, whatever it compiles for.

    Some models (LLVM 22: znver4, neoverse-n1) move so many broadcasts ahead that accumulators of a full register tile
    are spilled in the innermost loop; these keep the tile in registers (``tests/emit/test_assembly.py``).
    """
    if _is_arm(kernel.arch):
        return "generic"
    sums = [fragment.dtype.bytes * fragment.layout.lanes for fragment in kernel.roles[0].fragments]
    return "skylake-avx512" if max(sums, default=0) >= _AVX512_BYTES else "haswell"
