# SPDX-License-Identifier: MIT
"""A whole kernel in a C-like language: head, idioms, what the text is about, and one branch for each role."""

from __future__ import annotations

from collections.abc import Iterator

from tracea_core.emit.c import algebra, indices
from tracea_core.emit.c.algebra import Term
from tracea_core.emit.c.dialect import Dialect
from tracea_core.emit.c.walk import Walk
from tracea_core.emit.source import KernelSource, box_maps, contents, header, workspace
from tracea_core.emit.writer import SourceWriter
from tracea_core.errors import EmitError
from tracea_core.semantic.index import text
from tracea_core.semantic.kernel import Actor, Direction, Launch, Overlap, Role, SemanticKernel, Space
from tracea_core.semantic.quotient import divisor_of
from tracea_core.semantic.verify.certificate import Certificate

_NARROW = 1 << 31


def kernel_source(kernel: SemanticKernel, certificate: Certificate, dialect: Dialect) -> KernelSource:
    """Return `kernel` printed in a dialect's language, with what a launch has to know; equal input gives equal bytes.

    Raises
    ------
    CertificationError, EmitError
        See `kernel_text`.
    """
    spaces = tuple(workspace(buffer) for buffer in kernel.buffers if buffer.space is not Space.SHARED)
    return KernelSource(
        language=dialect.language, arch=kernel.arch, entry=kernel.name, text=kernel_text(kernel, certificate, dialect),
        parameters=kernel.parameters, symbols=kernel.symbols, workspaces=spaces, launch=kernel.launch,
        kernel_digest=kernel.digest(), certificate=certificate.digest(), boxes=box_maps(kernel),
    )  # fmt: skip


def kernel_text(kernel: SemanticKernel, certificate: Certificate, dialect: Dialect) -> str:
    """Return the source of `kernel`; equal kernels and certificates give equal bytes.

    Raises
    ------
    CertificationError
        If the certificate belongs to another kernel.
    EmitError
        If the language has no word for a step.
    """
    certificate.require(kernel)
    body = SourceWriter()
    with body.indented():
        _body(kernel, dialect, body)
    writer = SourceWriter()
    writer.comment(header(kernel, certificate))
    writer.line()
    writer.line(dialect.preamble().strip("\n"))
    writer.line()
    if any(divisor_of(symbol.name) is not None for symbol in kernel.symbols):
        writer.line(dialect.reciprocal_idiom())
        writer.line()
    _contents(kernel, writer)
    pointers = [dialect.pointer(p.dtype, p.name, constant=p.direction is Direction.READ) for p in kernel.parameters]
    symbols = [f"{'i64' if symbol.wide else 'int'} {symbol.name}" for symbol in kernel.symbols]
    spaces = [dialect.worker_buffer(buffer) for buffer in kernel.buffers if buffer.space is not Space.SHARED]
    writer.line(dialect.signature(kernel, pointers, (*symbols, *spaces)) + " {")
    return writer.text() + body.text() + "}\n"


def _contents(kernel: SemanticKernel, writer: SourceWriter) -> None:
    """List arguments, buffers and rings with everything that is said of them."""
    for line in contents(kernel):
        writer.comment(line)
    for ring in kernel.rings:
        writer.comment(
            f"{ring.name}: a ring of {ring.slots} slots of {', '.join(ring.buffers)}, {ring.producer} to "
            f"{', '.join(ring.consumers)}, {ring.transaction_bytes} bytes a slot"
        )
    launch = kernel.launch
    writer.comment(
        f"launch: {text(launch.blocks)} blocks of {launch.threads} threads, clusters of {launch.cluster}, "
        f"{launch.shared_bytes} bytes of shared memory"
    )


def _body(kernel: SemanticKernel, dialect: Dialect, writer: SourceWriter) -> None:
    for line in (*dialect.block_lines(kernel), *_neighbours(kernel.launch, dialect)):
        writer.line(line)
    environment: dict[str, Term] = {
        symbol.name: algebra.symbol(symbol.name, symbol.minimum, symbol.maximum, wide=symbol.wide)
        for symbol in kernel.symbols
    }
    environment |= {
        "block": algebra.symbol("block", 0, _NARROW - 1),
        "blocks": algebra.symbol("blocks", 1, _NARROW - 1),
        "cluster_rank": algebra.symbol("cluster_rank", 0, kernel.launch.cluster - 1),
    }
    if any(role.actor is Actor.WORKER for role in kernel.roles):
        _worker(kernel, dialect, writer, environment)
        return
    first = 0
    for number, role in enumerate(kernel.roles):
        threads = role.instances * role.lanes
        last = first + threads == kernel.launch.threads
        if len(kernel.roles) == 1:
            opening = "{"
        elif first == 0:
            opening = f"if ({dialect.thread} < {threads}) {{"
        else:
            opening = "else {" if last else f"else if ({dialect.thread} < {first + threads}) {{"
        if number == len(kernel.roles) - 1 and not last:
            raise EmitError(
                "the roles do not use all threads of the block", threads=kernel.launch.threads, used=first + threads
            )
        writer.line(f"// {role.name}: {role.actor.value} x {role.instances}")
        writer.line(opening)
        with writer.indented():
            _role(kernel, role, first, dialect, writer, environment)
        writer.line("}")
        first += threads
    if kernel.launch.overlap is Overlap.BESIDE:
        writer.line(dialect.await_kernel)
    for line in dialect.close_lines(kernel):
        writer.line(line)


def _worker(kernel: SemanticKernel, dialect: Dialect, writer: SourceWriter, environment: dict[str, Term]) -> None:
    """Print the one role of a CPU's kernel: a block is a worker of one thread, whose lanes are elements of vectors."""
    if len(kernel.roles) != 1 or kernel.launch.threads != 1:
        raise EmitError("a CPU kernel has one role, the worker", roles=[role.name for role in kernel.roles])
    environment = environment | {
        "worker": algebra.symbol("worker", 0, _NARROW - 1, wide=True),
        "workers": algebra.symbol("workers", 1, _NARROW - 1, wide=True),
    }
    writer.line("const i64 worker = block, workers = blocks;")
    for buffer in kernel.buffers:
        if buffer.space is Space.PANEL:
            size = indices.address(workspace(buffer).bytes, lambda name: environment[name])
            writer.line(dialect.own_buffer(buffer, algebra.divide(size, algebra.number(buffer.dtype.bytes))))
    Walk(kernel, kernel.roles[0], dialect, writer).print(environment)


def _neighbours(launch: Launch, dialect: Dialect) -> Iterator[str]:
    """The lines before the roles that say what kernels before and after this one on the stream may do meanwhile."""
    if (launch.leads or launch.early) and not (dialect.begin_next_kernel and dialect.await_kernel):
        raise EmitError(f"{dialect.language} has no word for kernels that overlap on a stream", overlap=launch.overlap)
    if launch.leads:
        yield dialect.begin_next_kernel
    if launch.early and launch.overlap is not Overlap.BESIDE:
        yield dialect.await_kernel


def _role(
    kernel: SemanticKernel, role: Role, first: int, dialect: Dialect, writer: SourceWriter, environment: dict[str, Term]
) -> None:
    for line in dialect.role_lines(kernel, role):
        writer.line(line)
    own = dialect.thread if first == 0 else f"({dialect.thread} - {first})"
    writer.line(f"const int lane = {own if role.instances == 1 else f'{own} % {role.lanes}'};")
    instance = algebra.ZERO
    if role.instances > 1:
        writer.line(f"const int {role.name} = {dialect.uniform(f'{own} / {role.lanes}')};")
        instance = algebra.symbol(role.name, 0, role.instances - 1)
    walk = Walk(kernel, role, dialect, writer)
    if role.elected:
        with writer.block("if (lane == 0)"):
            walk.print({**environment, role.name: instance})
    else:
        walk.print({**environment, role.name: instance})
