# SPDX-License-Identifier: MIT
"""A body is printed from a schedule alone: no LLVM, no numba and no backend need be there, and LLVM takes what is printed.

That it means what the schedule says is shown where kernels run, in the tests of `tracea-cpu`.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.emit import linear
from tracea_core.emit.linear import Atom
from tracea_core.errors import EmitError
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import SoftmaxOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.rows import rows_kernel
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.steps import Barrier, Scope
from tracea_cpu.compile import assembly
from tracea_llvm.walk import Walk

PRINT = """
import sys
for absent in ("llvmlite", "numba", "tracea_cpu", "tracea"):
    sys.modules[absent] = None
from tracea_core.emit import linear
from tracea_core.emit.linear import Atom
from tracea_core.emit.writer import SourceWriter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_llvm.walk import Walk

kernel = SemanticKernel.from_json(sys.stdin.read())
printer = Walk(kernel, kernel.roles[0], None)
names = [*(p.name for p in kernel.parameters), *(b.name for b in kernel.buffers)]
symbols = [symbol.name for symbol in kernel.symbols]
printer.builder.line("entry:")
printer.memory.prologue = printer.builder.slot()
for name in names:
    printer.memory.pointers[name] = f"%{printer.builder.fresh(name)}"
bound = {name: linear.of(Atom(f"%{printer.builder.fresh(name)}", 0)) for name in (*symbols, "worker", "workers")}
printer.print(bound)
printer.builder.line("ret void")
writer = SourceWriter(comment=";")
libraries = list(printer.expressions.libraries.values())
for line in sorted(printer.builder.declarations.union(*(one.declarations() for one in libraries))):
    writer.line(line)
for library in libraries:
    writer.line(library.functions())
given = ", ".join([*(f"ptr %{name}" for name in names), *(f"i64 %{name}" for name in bound)])
with writer.block(f"define void @body({given})"):
    printer.builder.render(writer)
sys.stdout.write(writer.text())
"""
"""A backend that gives a body its pointers and numbers as arguments of their own."""


class Uncalled:
    """Stands for the Python functions that a kernel calls: this one calls none."""

    def call(self, name: str, digest: str, lanes: int, element: str, values: Sequence[str]) -> str:
        raise AssertionError(name)


def softmax() -> SemanticKernel:
    """Rows of fp32 on AVX2."""
    op = SoftmaxOp((64, 64))
    specs = tuple(TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True))
    problem = Problem(op, specs, TensorSpec.contiguous(op.output_shape(), op.output_dtype()))
    tile = PipelineConfig(tile_m=1, tile_n=16, tile_k=1, stages=1, warps=1)
    return rows_kernel(lower_rowwise(problem).form, tile, preset("avx2"), "cpu.rowwise.avx2_fp32", "kernel")


def test_a_backend_of_its_own_prints_what_llvm_takes() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PRINT], input=softmax().to_json(), capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    printed = assembly(done.stdout, "x86_64-unknown-linux-gnu", "x86-64-v3")
    assert "vmaxps" in printed and "vdivps" in printed


def test_a_step_that_no_processor_has_is_refused() -> None:
    kernel = softmax()
    role = kernel.roles[0].replace(body=(*kernel.roles[0].body, Barrier(Scope.BLOCK, "block")))
    printer = Walk(kernel.replace(roles=(role,)), role, Uncalled())
    names = [symbol.name for symbol in kernel.symbols]
    for place in (*kernel.parameters, *kernel.buffers):
        printer.memory.pointers[place.name] = f"%{place.name}"
    with pytest.raises(EmitError, match="LLVM IR for one worker cannot express"):
        printer.print({name: linear.of(Atom(f"%{name}", 0)) for name in (*names, "worker", "workers")})
