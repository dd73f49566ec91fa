# SPDX-License-Identifier: MIT
"""HIP kernels: the text is golden, runs in the emulator against float64 without races or bank conflicts, and compiles without spills."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import BackendUnavailableError, EmitError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand, Unary, UnaryFn
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.pipeline import trace
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.steps import Fill
from tracea_core.testing.cases import storing
from tracea_core.testing.golden import check_golden
from tracea_core.testing.simt import SimtReport
from tracea_hip import compile as compiler
from tracea_hip.plugin import emit

GOLDEN = Path(__file__).parents[1] / "golden"
Emulator = Callable[..., SimtReport]
Source = Callable[..., KernelSource]


def configuration(**fields: Any) -> PipelineConfig:
    defaults: dict[str, Any] = {
        "tile_m": 64, "tile_n": 64, "tile_k": 32, "stages": 2, "warps": 4, "vector_a": 8, "vector_b": 8, "vector_c": 1,
        "order": Order.GROUPED, "group": 4,
    }  # fmt: skip
    return PipelineConfig(**{**defaults, **fields})


SINGLE = configuration(vector_a=1, vector_b=1)


def gemm(
    m: int, n: int, k: int, layout: str = "nt", pad: int = 8, dtype: DType = DType.BF16, fused: bool = False
) -> Problem:
    def matrix(rows: int, columns: int, turned: bool, dtype: DType = dtype) -> TensorSpec:
        inner = rows if turned else columns
        pitch = -(-inner // pad) * pad
        return TensorSpec((rows, columns), dtype, (1, pitch) if turned else (pitch, 1))

    a, b = matrix(m, k, layout[0] == "t"), matrix(k, n, layout[1] == "t")
    op = GemmOp(m, n, k, dtype=dtype)
    out = matrix(m, n, False, op.output_dtype())
    if not fused:
        return Problem(op, (a, b), out)
    x = Binary(BinaryFn.ADD, Accumulator(), Operand(0))
    erf = Unary(UnaryFn.ERF, Binary(BinaryFn.MUL, x, Constant(0.5**0.5)))
    gelu = Binary(BinaryFn.MUL, Binary(BinaryFn.MUL, x, Constant(0.5)), Binary(BinaryFn.ADD, Constant(1.0), erf))
    total = Binary(BinaryFn.ADD, gelu, Operand(1))
    operands = (EpilogueOperand("bias", OperandAxes.COLUMN), EpilogueOperand("residual", OperandAxes.FULL))
    epilogue = Epilogue(total, operands, label="bias, gelu, residual")
    return Problem(op, (a, b), out, epilogue, (TensorSpec((n,), dtype, (1,)), matrix(m, n, False)))


def conv(dtype: DType = DType.FP16, channels_last: bool = False) -> Problem:
    op = Conv2dOp(2, 5, 9, 11, 7, 3, 3, (2, 1), (1, 2), (1, 2), 1, dtype=dtype)

    def tensor(shape: tuple[int, ...]) -> TensorSpec:
        _, c, h, w = shape
        return TensorSpec(shape, dtype, (c * h * w, 1, w * c, c) if channels_last else (c * h * w, h * w, w, 1))

    x, w = (tensor(shape) for shape in op.input_shapes())
    return Problem(op, (x, w), tensor(op.output_shape()))


KERNELS: dict[str, tuple[Problem, PipelineConfig, str]] = {
    "gemm_bf16_nt": (gemm(512, 512, 512), configuration(tile_m=128, tile_n=128), "mi300x"),
    "gemm_fp16_tn_fused": (gemm(512, 512, 512, "tn", dtype=DType.FP16, fused=True), configuration(), "mi300x"),
    "gemm_bf16_auxiliary": (storing(gemm(512, 512, 512)), configuration(tile_m=128, tile_n=128, vector_c=8), "mi300x"),
    "conv_fp16": (conv(), SINGLE, "mi300x"),
    "gemm_bf16_gfx1100": (gemm(512, 512, 512), configuration(), "rx7900xtx"),
}


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str, source: Source) -> None:
    check_golden(GOLDEN / f"{name}.hip", source(*KERNELS[name]).text)


def test_sums_of_integers_begin_with_what_their_step_says() -> None:
    path = trace(gemm(48, 80, 64, dtype=DType.INT8), preset="mi300x", backend="hip")

    def beginning_with(value: float) -> str:
        (role,) = path.kernel.roles
        body = tuple(_filled(node, value) for node in role.body)
        kernel: SemanticKernel = path.kernel.replace(roles=(role.replace(body=body),))
        return emit(kernel, path.certificate.replace(kernel=kernel.digest())).text

    assert path.source is not None and beginning_with(0.0) == path.source.text and "[r] = 0;" in path.source.text
    assert "[r] = 3;" in beginning_with(3.0) and "[r] = 0;" not in beginning_with(3.0)
    with pytest.raises(EmitError, match="an integer"):
        beginning_with(0.5)


def _filled(node: Any, value: float) -> Any:
    """A node with every fragment that is set in it set to another value."""
    if isinstance(node, Fill):
        return node.replace(value=value)
    fields = [field for field in ("body", "then", "otherwise") if hasattr(node, field)]
    return node.replace(**{field: tuple(_filled(n, value) for n in getattr(node, field)) for field in fields})


def clean(report: SimtReport) -> None:
    report.require_clean()
    assert all(access.cycles == access.phases for access in report.banks), "bank conflicts"


@pytest.mark.toolchain
@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
def test_layouts_in_the_emulator(layout: str, emulator: Emulator) -> None:
    like = gemm(512, 512, 512, layout)
    for number, sizes in enumerate([(72, 136, 104), (8, 8, 8), (64, 64, 64)]):
        clean(emulator(gemm(*sizes, layout), configuration(), like, seed=number))


@pytest.mark.toolchain
def test_odd_shapes_in_the_emulator(emulator: Emulator) -> None:
    like = gemm(512, 512, 512, pad=1)
    for number, sizes in enumerate([(67, 129, 65), (2, 3, 5), (3, 70, 131)]):
        clean(emulator(gemm(*sizes, pad=1), SINGLE, like, seed=number))


@pytest.mark.toolchain
@pytest.mark.parametrize("stages", [1, 3])
def test_stages_and_epilogues_in_the_emulator(stages: int, emulator: Emulator) -> None:
    config = configuration(stages=stages, tile_m=128, vector_a=4)
    clean(emulator(gemm(136, 72, 168, "tn", dtype=DType.FP16, fused=True), config))


@pytest.mark.toolchain
@pytest.mark.parametrize("channels_last", [False, True])
def test_convolutions_in_the_emulator(channels_last: bool, emulator: Emulator) -> None:
    clean(emulator(conv(channels_last=channels_last), SINGLE))


@pytest.mark.toolchain
def test_coordinates_out_of_tables_in_the_emulator(emulator: Emulator) -> None:
    """Turns of three steps, of which some are looked up: 45 places in tables of 32."""
    looked_up = SINGLE.replace(stages=1, tile_k=16, hoisted=2)
    clean(emulator(conv(), looked_up))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("device", "dtype"),
    [
        ("mi300x", DType.FP32), ("mi300x", DType.INT8), ("mi210", DType.BF16), ("mi210", DType.INT8), ("mi355x", DType.FP16),
        ("mi355x", DType.BF16), ("rx7900xtx", DType.BF16), ("rx7900xtx", DType.INT8), ("rx9070", DType.FP16), ("rx9070", DType.INT8),
        ("mi355x", DType.FP8_E4M3), ("rx9070", DType.FP8_E4M3), ("rx9070", DType.FP8_E5M2),
        ("mi300x", DType.FP8_E4M3FNUZ), ("mi300x", DType.FP8_E5M2FNUZ),
    ],
)  # fmt: skip
def test_every_instruction_in_the_emulator(device: str, dtype: DType, emulator: Emulator) -> None:
    config = configuration(vector_a=4, vector_b=4, tile_k=64)
    clean(emulator(gemm(72, 80, 144, dtype=dtype, pad=4), config, device=device))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("tile", "device"),
    [
        ((128, 128, 32, 2, 4), "mi300x"),
        ((256, 256, 32, 2, 8), "mi300x"),
        ((256, 256, 32, 2, 8), "mi210"),
        ((128, 128, 32, 2, 8), "rx7900xtx"),
    ],
)
def test_machine_code_has_no_spills(tile: tuple[int, ...], device: str, source: Source) -> None:
    tile_m, tile_n, tile_k, stages, warps = tile
    config = configuration(tile_m=tile_m, tile_n=tile_n, tile_k=tile_k, stages=stages, warps=warps)
    printed = source(gemm(4096, 4096, 4096), config, device)
    try:
        found = compiler.report(compiler.binary(printed))
    except BackendUnavailableError as error:
        pytest.skip(str(error))
    assert (found.spills, found.scratch_bytes) == (0, 0)
    assert found.shared_bytes == printed.launch.shared_bytes
