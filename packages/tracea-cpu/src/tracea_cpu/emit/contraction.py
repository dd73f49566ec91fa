# SPDX-License-Identifier: MIT
"""A kernel of any family as an LLVM module: head, helpers, and one function that every worker runs.

``void @name(ptr arguments, i64 worker, i64 workers)``: `arguments` is an array of 8-byte words, the pointers in the
order of the parameters, then the symbols, then the address of a barrier, then the address of each workspace.
"""

from __future__ import annotations

from tracea_core.emit import linear
from tracea_core.emit.linear import Atom, Linear
from tracea_core.emit.source import KernelSource, contents, header, workspace
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.semantic.kernel import Actor, SemanticKernel, Space
from tracea_core.semantic.verify.certificate import Certificate
from tracea_llvm.barrier import barrier_text
from tracea_llvm.builder import NONTEMPORAL
from tracea_llvm.machines import triple_of, tuning
from tracea_llvm.symbols import Table
from tracea_llvm.walk import Walk

from tracea_cpu.python_functions import Calls


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
    calls = Calls()
    walk = Walk(kernel, kernel.roles[0], calls)
    environment = _arguments(kernel, walk)
    walk.print(environment)
    walk.builder.settle()
    walk.builder.line("ret void")
    writer = SourceWriter(comment=";")
    writer.comment(head)
    if walk.uses_barrier:
        writer.line(barrier_text(triple_of(kernel.arch)).strip("\n"))
    libraries = list(walk.expressions.libraries.values())
    declarations = set(walk.builder.declarations).union(
        calls.declarations(), *(library.declarations() for library in libraries)
    )
    for lines in (
        [walk.groups.constants] if walk.groups.constants else [],
        walk.memory.constants,
        sorted(declarations),
        [library.functions() for library in libraries if library.functions()],
    ):
        if lines:
            writer.line()
            writer.line("\n".join(lines))
    writer.line()
    _contents(kernel, writer)
    attributes = f'nounwind "tune-cpu"="{tuning(kernel)}"'
    with writer.block(f"define void @{kernel.name}(ptr %arguments, i64 %worker, i64 %workers) {attributes}"):
        walk.builder.render(writer)
    if walk.builder.streams:
        writer.line()
        writer.line(NONTEMPORAL)
    return f"{writer.text()}\n{calls.text()}\n" if calls else writer.text()


def _contents(kernel: SemanticKernel, writer: SourceWriter) -> None:
    """List arguments, buffers and fragments with everything that is said of them."""
    for line in contents(kernel):
        writer.comment(line)
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
