# SPDX-License-Identifier: MIT
"""Metal kernels: the text is golden, keeps address spaces apart, and serves shapes it was not printed for in the emulator."""

from __future__ import annotations

from pathlib import Path

import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import CompileError, EmitError
from tracea_core.ops.activations import BiasAdd, Gelu, Residual
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.pipeline.path import trace
from tracea_core.testing.cases import dense, storing
from tracea_core.testing.golden import check_golden
from tracea_core.testing.needs import need_emulator
from tracea_core.testing.simt.metal import check_address_spaces
from tracea_core.testing.simt.served import Served
from tracea_metal.emit.dialect import MetalDialect, wrapper
from tracea_metal.plugin import tracea_register_backend

GOLDEN = Path(__file__).parents[1] / "golden"


def gemm(m: int, n: int, k: int, dtype: DType = DType.FP16, layout: str = "nt", fused: bool = False) -> Problem:
    op = GemmOp(m, n, k, dtype=dtype)
    order = [(1, 0) if letter == "t" else None for letter in layout]
    tensors = (dense((m, k), dtype, order[0]), dense((k, n), dtype, order[1]))
    out = dense((m, n), op.output_dtype())
    if not fused:
        return Problem(op, tensors, out)
    import numpy as np

    chain = BiasAdd(np.ones(n, np.float32)) | Gelu() | Residual(np.ones((m, n), np.float32))
    return Problem(op, tensors, out, chain.epilogue, (dense((n,), DType.FP32), dense((m, n), DType.FP32)))


def conv(images: int, height: int, width: int, channels: int = 5) -> Problem:
    op = Conv2dOp(images, channels, height, width, 7, 3, 3, (2, 1), (1, 2), (1, 2), 1, dtype=DType.FP16)
    tensors = [dense(shape, DType.FP16, (0, 2, 3, 1)) for shape in op.input_shapes()]
    return Problem(op, tuple(tensors), dense(op.output_shape(), DType.FP16, (0, 2, 3, 1)))


KERNELS: dict[str, tuple[Problem, str]] = {
    "gemm_fp16_nt": (gemm(512, 512, 512), "m1"),
    "gemm_fp32_nn": (gemm(512, 512, 512, DType.FP32, "nn"), "m1"),
    "gemm_bf16_tn_fused": (gemm(512, 512, 512, DType.BF16, "tn", fused=True), "m3max"),
    "gemm_fp16_auxiliary": (storing(gemm(512, 512, 512)), "m1"),
    "conv_fp16": (conv(2, 32, 32), "m1"),
}


@pytest.fixture(scope="session")
def served() -> dict[str, Served]:
    return {name: Served(tracea_register_backend(), device, problem) for name, (problem, device) in KERNELS.items()}


def printed(name: str, served: dict[str, Served]) -> KernelSource:
    return served[name].source


@pytest.mark.parametrize("name", KERNELS)
def test_golden_text(name: str, served: dict[str, Served]) -> None:
    check_golden(GOLDEN / f"{name}.metal", printed(name, served).text)


@pytest.mark.toolchain
@pytest.mark.parametrize("name", KERNELS)
def test_pointers_keep_to_their_address_space(name: str) -> None:
    need_emulator()
    text = (GOLDEN / f"{name}.metal").read_text()
    check_address_spaces(text)
    for right, wrong in (
        ("*reinterpret_cast<threadgroup ", "*reinterpret_cast<device "),
        ("<threadgroup ", "<"),
        ("device const ", ""),
    ):
        assert right in text
        with pytest.raises(CompileError, match=r"cast|cannot initialize|names no address space"):
            check_address_spaces(text.replace(right, wrong, 1))


@pytest.mark.toolchain
@pytest.mark.parametrize(
    ("name", "problems"),
    [
        ("gemm_fp16_nt", [gemm(72, 136, 104), gemm(2, 8, 8), gemm(65, 66, 72)]),
        ("gemm_fp32_nn", [gemm(67, 132, 64, DType.FP32, "nn"), gemm(1, 4, 4, DType.FP32, "nn")]),
        ("gemm_bf16_tn_fused", [gemm(72, 136, 37, DType.BF16, "tn", fused=True), gemm(8, 8, 1, DType.BF16, "tn", fused=True)]),
        ("conv_fp16", [conv(2, 9, 11), conv(1, 7, 6)]),
    ],
)  # fmt: skip
def test_other_shapes_through_the_same_kernel(name: str, problems: list[Problem], served: dict[str, Served]) -> None:
    need_emulator()
    for number, problem in enumerate(problems):
        report = served[name].run(problem, seed=number)
        assert report.counts["simdgroup_multiply_accumulate"] > 0
        assert report.bank_conflicts == 0


@pytest.mark.toolchain
def test_coordinates_out_of_tables() -> None:
    need_emulator()
    problem, device = KERNELS["conv_fp16"]
    config = trace(problem, preset=device).configuration.replace(hoisted=2)
    report = Served(tracea_register_backend(), device, problem, config).run(conv(2, 9, 11))
    assert report.findings == () and report.bank_conflicts == 0


def test_what_metal_has_no_word_for_is_refused() -> None:
    dialect = MetalDialect()
    with pytest.raises(EmitError, match="fp64"):
        dialect.scalar(DType.FP64)
    from tracea_core.semantic.lanes import instruction

    with pytest.raises(EmitError, match="Apple GPUs have no mma_m16n8k16_bf16"):
        wrapper(instruction("mma_m16n8k16_bf16"))


def test_variants_follow_what_matrices_hold() -> None:
    found = tracea_register_backend().variants
    products = [
        [v.name.rsplit("_", 1)[1] for v in found(preset(name)) if v.schedule == "multistage"]
        for name in ("m1", "m3max")
    ]
    assert products == [["fp16", "fp32"], ["fp16", "bf16", "fp32"]]
    assert {"metal.contraction.depthwise"} == {v.name for v in found(preset("m1")) if v.schedule == "depthwise"}
    assert found(preset("m1"))[-1].family == "rowwise"
    assert found(preset("mi300x")) == ()
