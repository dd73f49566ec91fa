# SPDX-License-Identifier: MIT
"""Warp-specialized kernels to test with, runs against exact integers, and edits that plant bugs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Options, Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.order import Order
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.interpret_async import AsyncInterpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.steps import If, Loop, Node, Staged
from tracea_core.target import CapabilityProfile

Edit = Callable[[Node], Node | Sequence[Node]]
Array = npt.NDArray[np.float64]
PLAIN = Options()


def _padded(extent: int) -> int:
    return max(16, -(-extent // 16) * 16)


class Hopper:
    """A small factory around one device preset."""

    profile: CapabilityProfile = preset("h200")

    def configuration(
        self, tile_m: int = 128, tile_n: int = 64, cluster: tuple[int, int] = (1, 1), **fields: Any
    ) -> PipelineConfig:
        defaults: dict[str, Any] = {
            "tile_m": tile_m, "tile_n": tile_n, "tile_k": 64, "stages": 3, "in_flight": 1, "order": Order.GROUPED,
            "cluster_m": cluster[0], "cluster_n": cluster[1], "vector_a": 8, "vector_b": 8, "vector_c": 8,
            "warps": 4 * (tile_m // 64 + 1), "swizzle": SwizzleMode.B128, "barrier_mode": BarrierMode.PRODUCER_CONSUMER,
        }  # fmt: skip
        return PipelineConfig(**{**defaults, **fields})

    def problem(
        self, m: int, n: int, k: int, *, linear: bool = True, dtype: DType = DType.BF16, out: DType | None = None,
        epilogue: bool = False, aligned_out: bool = True, options: Options = PLAIN,
    ) -> Problem:  # fmt: skip
        out = out or dtype
        a = TensorSpec((m, k), dtype, (_padded(k), 1))
        b = TensorSpec((k, n), dtype, (1, _padded(k)) if linear else (_padded(n), 1))
        c = TensorSpec((m, n), out, (_padded(n) if aligned_out else n, 1))
        if not epilogue:
            return Problem(GemmOp(m, n, k, dtype=dtype, out_dtype=out), (a, b), c, options=options)
        total = Binary(BinaryFn.ADD, Binary(BinaryFn.ADD, Accumulator(0), Operand(0)), Operand(1))
        fused = Epilogue(
            Binary(BinaryFn.MAXIMUM, total, Constant(0.0)),
            (EpilogueOperand("bias", OperandAxes.COLUMN), EpilogueOperand("residual", OperandAxes.FULL)),
        )
        inputs = (TensorSpec((n,), dtype, (1,)), TensorSpec((m, n), dtype, (n, 1)))
        return Problem(GemmOp(m, n, k, dtype=dtype, out_dtype=out), (a, b), c, fused, inputs, options)

    def lowered(self, *sizes: int, **options: Any) -> Lowered:
        return lower(self.problem(*sizes, **options))

    def contraction(self, **options: Any) -> Contraction:
        return self.lowered(512, 512, 512, **options).contraction

    def kernel(self, configuration: PipelineConfig | None = None, **options: Any) -> SemanticKernel:
        chosen = configuration or self.configuration()
        return specialized_kernel(self.contraction(**options), chosen, self.profile, "cuda.contraction.wgmma", "gemm")

    def run(
        self, kernel: SemanticKernel, m: int, n: int, k: int, *, blocks: int = 0, seed: int = 0, linear: bool = True,
        epilogue: bool = False, aligned_out: bool = True, **options: Any,
    ) -> tuple[Array, Array]:  # fmt: skip
        """Interpret one launch on integers; return what it wrote and what it should have written."""
        low = self.lowered(m, n, k, linear=linear, epilogue=epilogue, aligned_out=aligned_out, **options)
        random = np.random.default_rng(seed)
        a = random.integers(-9, 10, (m, _padded(k))).astype(np.float64)
        b = random.integers(-9, 10, (n, _padded(k)) if linear else (k, _padded(n))).astype(np.float64)
        operands = {"a": a, "b": b}
        width = _padded(n) if aligned_out else n
        operands["out"] = np.zeros((m, width))
        product = a[:, :k] @ (b[:, :k].T if linear else b[:, :n])
        if epilogue:
            bias, residual = random.integers(-99, 100, n), random.integers(-99, 100, (m, n))
            operands |= {"bias_0": bias.astype(np.float64), "residual_1": residual.astype(np.float64)}
            product = np.maximum(product + bias + residual, 0)
        blocks = blocks or 2 * kernel.launch.cluster
        strides = {
            "a_row": _padded(k),
            "b_column" if linear else "b_row": b.shape[1],
            "out_row": width,
        }  # of axes of extent 1, too
        interpreter = AsyncInterpreter(kernel, {**strides, **low.symbols}, operands, blocks, seed)
        found = interpreter.run()["out"].reshape(m, width)
        written = interpreter.memory["out"].written.reshape(m, width)
        assert np.array_equal(written[:, :n], np.ones((m, n))) and not written[:, n:].any()
        return found[:, :n], product


@pytest.fixture(scope="session")
def hopper() -> Hopper:
    return Hopper()


def edited(kernel: SemanticKernel, role: str, edit: Edit) -> SemanticKernel:
    """Return the kernel with every node of one role's body put through `edit`, which may return several or none."""

    def apply(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, Loop | Staged):
                node = msgspec.structs.replace(node, body=apply(node.body))
            elif isinstance(node, If):
                node = msgspec.structs.replace(node, then=apply(node.then), otherwise=apply(node.otherwise))
            changed = edit(node)
            result.extend([changed] if not isinstance(changed, list | tuple) else changed)
        return tuple(result)

    roles = tuple(r.replace(body=apply(r.body)) if r.name == role else r for r in kernel.roles)
    found = kernel.replace(roles=roles)
    assert found != kernel, "the edit changed nothing"
    return found


@pytest.fixture(scope="session")
def edit() -> Callable[[SemanticKernel, str, Edit], SemanticKernel]:
    return edited
