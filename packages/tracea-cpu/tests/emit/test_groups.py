# SPDX-License-Identifier: MIT
"""Products by groups of k: golden texts, registers, and results, on the instructions themselves and on stand-ins for them.

A stand-in is a function in LLVM IR that does what the manual says an instruction does, so that all that is printed around it runs
on any x86-64 processor.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.emit.source import KernelSource
from tracea_core.errors import EmitError
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.dots import dots_kernel
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import lower
from tracea_core.semantic.steps import Compute, Fill, Load, Loop, Mma, Transfer
from tracea_core.semantic.verify.certificate import Certificate
from tracea_cpu.amx import tiles_are_granted
from tracea_cpu.compile import assembly, features_of, host_cpu, host_features
from tracea_cpu.emit.contraction import emit_contraction
from tracea_cpu.runtime import CpuRuntime

GOLDEN = Path(__file__).parents[1] / "golden"
LINUX = "x86_64-unknown-linux-gnu"
VECTORS, TILES = (3, 32), (32, 32)
CASES = {
    "gemm_int8_pairs": ("fma_outer_4x2x8_int8", (3, 16), (DType.INT8, DType.INT8), "avx2"),
    "gemm_uint8_pairs": ("fma_outer_4x2x8_uint8", (3, 16), (DType.UINT8, DType.UINT8), "avx2"),
    "gemm_uint8_int8_pairs": ("fma_outer_4x2x8_uint8xint8", (3, 16), (DType.UINT8, DType.INT8), "avx2"),
    "gemm_bf16_dots": ("fma_outer_6x4x16_bf16", VECTORS, (DType.BF16, DType.BF16), "avx512bf16"),
    "gemm_int8_dots": ("fma_outer_6x4x16_int8xuint8", VECTORS, (DType.INT8, DType.INT8), "avx512vnni"),
    "gemm_uint8_int8_dots": ("fma_outer_6x4x16_uint8xint8", VECTORS, (DType.UINT8, DType.INT8), "avx512vnni"),
    "gemm_bf16_tiles": ("amx_2x2_bf16", TILES, (DType.BF16, DType.BF16), "amx-bf16"),
    "gemm_int8_tiles": ("amx_2x2_int8", TILES, (DType.INT8, DType.INT8), "amx-int8"),
    "gemm_uint8_tiles": ("amx_2x2_uint8", TILES, (DType.UINT8, DType.UINT8), "amx-int8"),
    "gemm_uint8_int8_tiles": ("amx_2x2_uint8xint8", TILES, (DType.UINT8, DType.INT8), "amx-int8"),
}
PRINTED = ("gemm_int8_pairs", "gemm_bf16_dots", "gemm_int8_dots", "gemm_bf16_tiles", "gemm_int8_tiles")
SHAPES = ((2, 3, 5), (33, 35, 67), (7, 70, 3), (64, 64, 128), (40, 33, 130))
_STACK = re.compile(r"\(%rsp")
_PRODUCT = re.compile(r"\t(vpdpbusd|vdpbf16ps|tdpb|vpmaddwd)")


def _spec(rows: int, columns: int, dtype: DType, by_columns: bool) -> TensorSpec:
    return TensorSpec((rows, columns), dtype, (1, rows) if by_columns else (columns, 1))


def _kernel(
    case: str, shape: tuple[int, int, int] = (64, 64, 64), layouts: str = "rr", tile: tuple[int, int] | None = None,
    unroll: int = 2,
) -> tuple[SemanticKernel, dict[str, int], Problem]:  # fmt: skip
    instruction, known, (a, b), _ = CASES[case]
    m, n, k = shape
    rows, columns = tile or known
    op = GemmOp(m, n, k, dtype=a, b_dtype=b if b is not a else None)
    specs = _spec(m, k, a, layouts[0] == "c"), _spec(k, n, b, layouts[1] == "c")
    problem = Problem(op, specs, TensorSpec.contiguous((m, n), op.output_dtype()))
    lowered = lower(problem)
    config = PipelineConfig(tile_m=rows, tile_n=columns, tile_k=unroll, stages=1, warps=1)
    kernel = dots_kernel(lowered.contraction, config, preset("avx512"), "cpu.contraction.dots", "kernel", instruction)
    return kernel, lowered.symbols, problem


def _emit(kernel: SemanticKernel) -> KernelSource:
    return emit_contraction(kernel, Certificate(kernel.digest(), ()))


@pytest.mark.parametrize("case", PRINTED)
def test_golden_text(case: str) -> None:
    text, path = _emit(_kernel(case)[0]).text, GOLDEN / f"{case}.ll"
    if os.environ.get("TRACEA_UPDATE_GOLDEN"):
        path.write_text(text)
    assert text == path.read_text(), f"TRACEA_UPDATE_GOLDEN=1 pytest -k golden {__file__} rewrites {path.name}"


@pytest.mark.parametrize("cpu", ["znver4", "sapphirerapids"])
@pytest.mark.parametrize("case, tile, unroll", [
    ("gemm_int8_pairs", (4, 16), 1),
    *((case, tile, 1) for case in CASES if "pairs" in case for tile in ((3, 16), (2, 24))),
    *((case, tile, 1) for case in CASES if "dots" in case for tile in ((6, 64), (6, 48), (4, 80))),
    ("gemm_bf16_tiles", (32, 32), 2), ("gemm_int8_tiles", (32, 32), 2), ("gemm_bf16_tiles", (16, 48), 2),
])  # fmt: skip
def test_the_main_loop_does_not_touch_the_stack(case: str, tile: tuple[int, int], unroll: int, cpu: str) -> None:
    if "tiles" in case and cpu == "znver4":
        pytest.skip("a processor without AMX")
    cpu = "znver3" if "pairs" in case else cpu
    text = assembly(_emit(_kernel(case, tile=tile, unroll=unroll)[0]).text, LINUX, cpu)
    blocks = re.split(r"^(?=\.?L\w+:)", text, flags=re.MULTILINE)
    loop = max(blocks, key=lambda block: len(_PRODUCT.findall(block)))
    each = 256 if "tiles" in case else 4 if "pairs" in case else 16
    assert len(_PRODUCT.findall(loop)) == tile[0] * tile[1] // each * unroll
    assert not _STACK.search(loop)


def test_features_follow_from_what_is_called() -> None:
    wanted = {case: features_of(_emit(_kernel(case)[0]).text) for case in PRINTED}
    assert wanted["gemm_bf16_dots"] == ["+avx512bf16"]
    assert wanted["gemm_int8_dots"] == ["+avx512vnni"]
    assert wanted["gemm_bf16_tiles"] == ["+amx-bf16", "+amx-tile", "+avx512bf16"]
    assert wanted["gemm_int8_tiles"] == ["+amx-int8", "+amx-tile"]


# ---- results


def _check(source: KernelSource, symbols: dict[str, int], problem: Problem, seed: int) -> None:
    """Run a kernel on random operands; the output starts as poison."""
    random = np.random.default_rng(seed)
    m, n = problem.output.shape
    values, stored = [], []
    for spec in problem.inputs:
        drawn = random.integers(-9, 10, spec.shape) if spec.dtype.is_float else random.integers(
            int(spec.dtype.lowest), int(spec.dtype.largest) + 1, spec.shape
        )  # fmt: skip
        values.append(drawn.astype(np.float64))
        encoded = spec.dtype.encode(drawn)
        stored.append(np.asfortranarray(encoded) if spec.strides[0] == 1 else np.ascontiguousarray(encoded))
    out = np.frombuffer(b"\xa5" * (m * n * problem.output.dtype.bytes), problem.output.dtype.storage).copy()
    expected = problem.output.dtype.encode(values[0] @ values[1])
    for parts in ((1, 1), (2, 3)):
        launch = CpuRuntime().compile(source).prepare(
            {**symbols, "row_splits": parts[0], "column_splits": parts[1], "workers": 1}
        )  # fmt: skip
        launch(*(array.ctypes.data for array in stored), out.ctypes.data)
        assert np.array_equal(out.reshape(m, n), expected)


@pytest.mark.parametrize("layouts", ["rr", "rc", "cr", "cc"])
@pytest.mark.parametrize("case", CASES)
def test_results_on_the_instructions_themselves(case: str, layouts: str) -> None:
    feature = CASES[case][3]
    if not host_features().get(feature) or (feature.startswith("amx") and not tiles_are_granted()):
        pytest.skip(f"{host_cpu()} has no {feature}")
    for seed, shape in enumerate(SHAPES):
        kernel, symbols, problem = _kernel(case, shape, layouts)
        _check(_emit(kernel), symbols, problem, seed)


@pytest.mark.parametrize("case, layouts", [
    ("gemm_bf16_dots", "rr"), ("gemm_bf16_dots", "cc"), ("gemm_int8_dots", "rc"), ("gemm_int8_dots", "cr"),
    ("gemm_uint8_int8_dots", "rc"), ("gemm_bf16_tiles", "rc"), ("gemm_bf16_tiles", "cr"), ("gemm_int8_tiles", "rr"),
    ("gemm_uint8_int8_tiles", "rr"),
])  # fmt: skip
def test_results_on_stand_ins(case: str, layouts: str) -> None:
    if "x86" not in host_triple_machine():
        pytest.skip("the text is meant for x86-64")
    kernel, symbols, problem = _kernel(case, SHAPES[1], layouts)
    source = _stood_in(_emit(kernel))
    for seed, shape in enumerate(SHAPES):
        _, symbols, problem = _kernel(case, shape, layouts)
        _check(source, symbols, problem, seed)


def test_a_kernel_that_swaps_signs_is_noticed() -> None:
    if "x86" not in host_triple_machine():
        pytest.skip("the text is meant for x86-64")
    kernel, symbols, problem = _kernel("gemm_uint8_int8_dots", (33, 35, 67))
    source = _stood_in(_emit(kernel))
    text = source.text.replace("zext <64 x i8> %unsigned", "sext <64 x i8> %unsigned")
    assert text != source.text
    with pytest.raises(AssertionError):
        _check(source.replace(text=text), symbols, problem, 0)


def host_triple_machine() -> str:
    from tracea_cpu.compile import host_triple

    return host_triple().split("-")[0]


# ---- what cannot be printed


def test_arithmetic_on_words_is_refused() -> None:
    kernel, _, _ = _kernel("gemm_int8_dots")
    role = kernel.roles[0]
    product = next(node for node in walk(role.body) if isinstance(node, Mma))
    convert = next(node for node in walk(role.body) if isinstance(node, Compute))
    strange = role.replace(body=(*role.body, convert.replace(target=product.b)))
    with pytest.raises(EmitError, match="held in groups"):
        _emit(kernel.replace(roles=(strange,)))


@pytest.mark.parametrize("transfer", [Transfer.TILE, Transfer.MATRIX, Transfer.MATRIX_TRANSPOSED, Transfer.STREAM])
def test_words_are_loaded_in_no_other_way(transfer: Transfer) -> None:
    kernel, _, _ = _kernel("gemm_int8_dots")
    role = kernel.roles[0]
    factors = {node.b for node in walk(role.body) if isinstance(node, Mma)}
    load = next(node for node in walk(role.body) if isinstance(node, Load) and node.fragment in factors)
    strange = role.replace(body=(load.replace(transfer=transfer), *role.body))
    with pytest.raises(EmitError, match=f"no {transfer.value} load of words"):
        _emit(kernel.replace(roles=(strange,)))


def test_tiles_are_filled_with_zeros_alone() -> None:
    kernel, _, _ = _kernel("gemm_bf16_tiles")
    role = kernel.roles[0]
    product = next(node for node in walk(role.body) if isinstance(node, Mma))
    with pytest.raises(EmitError, match="zeros alone"):
        _emit(kernel.replace(roles=(role.replace(body=(Fill(product.accumulator, 1.0), *role.body)),)))


def test_rows_of_a_tile_lie_equally_far_apart() -> None:
    kernel, _, _ = _kernel("gemm_bf16_tiles")
    buffer = next(buffer for buffer in kernel.buffers if buffer.name == "rows_of_a")
    assert isinstance(kernel.roles[0].body[-1], Loop)
    with pytest.raises(EmitError, match=r"equally far apart|no sum of its coordinates"):
        broken = buffer.replace(layout=_uneven(buffer.layout))
        _emit(kernel.replace(buffers=tuple(broken if b is buffer else b for b in kernel.buffers)))


def _uneven(layout: Any) -> Any:
    """The rows of 32 in two halves that lie further apart than their rows do."""
    from tracea_core.semantic.layout import Axis, Digit

    row, part = layout.axes
    return layout.replace(axes=(Axis(row.name, (Digit(4, 4096), Digit(8, row.digits[-1].stride)), row.bits), part))


# ---- stand-ins (Intel 64 and IA-32 Architectures Software Developer's Manual, vol. 2: the operations of each instruction)


def _stood_in(source: KernelSource) -> KernelSource:
    """Return the source with functions in the place of instructions."""
    kept = [line for line in source.text.splitlines() if not re.search(r"^declare .*@llvm\.x86\.|ldtilecfg", line)]
    text = "\n".join(kept).replace("@llvm.x86.", "@stands.for.")
    called = set(re.findall(r"@stands\.for\.([\w.]+)", text))
    return source.replace(text=text + "\n" + "\n".join(_FUNCTIONS[name] for name in sorted(called)) + _TILE_MEMORY)


def _tiles_function(name: str, a_sign: str, b_sign: str) -> str:
    """One row of C at a time: each word of A's row, spread, times a row of B, added up in groups of four."""
    return f"""
define internal void @stands.for.{name}(i8 %c, i8 %a, i8 %b) noinline {{
entry:
  %c_at = call ptr @tile_at(i8 %c)
  %a_at = call ptr @tile_at(i8 %a)
  %b_at = call ptr @tile_at(i8 %b)
  br label %rows
rows:
  %row = phi i64 [ 0, %entry ], [ %row_next, %row_end ]
  %row_bytes = shl i64 %row, 6
  %c_row = getelementptr i8, ptr %c_at, i64 %row_bytes
  %a_row = getelementptr i8, ptr %a_at, i64 %row_bytes
  %start = load <16 x {"float" if name == "tdpbf16ps" else "i32"}>, ptr %c_row, align 4
  br label %groups
groups:
  %group = phi i64 [ 0, %rows ], [ %group_next, %groups ]
  %sum = phi <16 x {"float" if name == "tdpbf16ps" else "i32"}> [ %start, %rows ], [ %added, %groups ]
  %word_at = getelementptr i32, ptr %a_row, i64 %group
  %word = load i32, ptr %word_at, align 4
  %group_bytes = shl i64 %group, 6
  %b_row = getelementptr i8, ptr %b_at, i64 %group_bytes
  %y = load <16 x i32>, ptr %b_row, align 4
  %one = insertelement <16 x i32> poison, i32 %word, i64 0
  %x = shufflevector <16 x i32> %one, <16 x i32> poison, <16 x i32> zeroinitializer
{_group_text(a_sign, b_sign)}
  %group_next = add i64 %group, 1
  %more = icmp slt i64 %group_next, 16
  br i1 %more, label %groups, label %row_end
row_end:
  store <16 x {"float" if name == "tdpbf16ps" else "i32"}> %added, ptr %c_row, align 4
  %row_next = add i64 %row, 1
  %again = icmp slt i64 %row_next, 16
  br i1 %again, label %rows, label %end
end:
  ret void
}}"""


def _lanes(first: int, step: int) -> str:
    return ", ".join(f"i32 {first + step * lane}" for lane in range(16))


def _group_text(a_sign: str, b_sign: str) -> str:
    """Lines that add the products of the words %x and %y to %sum, as %added."""
    if not a_sign:
        lines = []
        for side, name in ((0, "x"), (0, "y"), (1, "x"), (1, "y")):
            shift = f"  %{name}{side}_bits = " + (
                f"shl <16 x i32> %{name}, splat (i32 16)" if not side else f"and <16 x i32> %{name}, splat (i32 -65536)"
            )
            lines += [shift, f"  %{name}{side} = bitcast <16 x i32> %{name}{side}_bits to <16 x float>"]
        lines += [
            "  %p0 = fmul <16 x float> %x0, %y0", "  %p1 = fmul <16 x float> %x1, %y1",
            "  %p = fadd <16 x float> %p0, %p1", "  %added = fadd <16 x float> %sum, %p",
        ]  # fmt: skip
        return "\n".join(lines)
    lines = [
        "  %unsigned = bitcast <16 x i32> %x to <64 x i8>", "  %signed = bitcast <16 x i32> %y to <64 x i8>",
        f"  %wide_x = {a_sign} <64 x i8> %unsigned to <64 x i32>", f"  %wide_y = {b_sign} <64 x i8> %signed to <64 x i32>",
        "  %products = mul <64 x i32> %wide_x, %wide_y",
    ]  # fmt: skip
    total = "%sum"
    for place in range(4):
        lines.append(
            f"  %q{place} = shufflevector <64 x i32> %products, <64 x i32> poison, <16 x i32> <{_lanes(place, 4)}>"
        )
        name = "%added" if place == 3 else f"%t{place}"
        lines.append(f"  {name} = add <16 x i32> {total}, %q{place}")
        total = name
    return "\n".join(lines)


_MEMORY = np.zeros(8192, np.uint8)
_TILE_MEMORY = f"""
define internal ptr @tile_at(i8 %tile) noinline {{
  %number = zext i8 %tile to i64
  %bytes = shl i64 %number, 10
  %place = add i64 %bytes, {_MEMORY.ctypes.data}
  %at = inttoptr i64 %place to ptr
  ret ptr %at
}}
"""


def _moved(name: str, source: str, target: str, step: str) -> str:
    value = "zeroinitializer" if name == "tilezero" else "%row_of_bytes"
    load = "" if name == "tilezero" else f"  %row_of_bytes = load <64 x i8>, ptr %{source}, align 1"
    arguments = "i8 %tile" if name == "tilezero" else "i8 %tile, ptr %memory, i64 %stride"
    there = "" if name == "tilezero" else "  %there = getelementptr i8, ptr %memory, i64 %far"
    return f"""
define internal void @stands.for.{name}({arguments}) noinline {{
entry:
  %tile_begin = call ptr @tile_at(i8 %tile)
  br label %rows
rows:
  %row = phi i64 [ 0, %entry ], [ %next, %rows ]
  %near = shl i64 %row, 6
  %far = mul i64 %row, {step}
  %here = getelementptr i8, ptr %tile_begin, i64 %near
{there}
{load}
  store <64 x i8> {value}, ptr %{target}, align 1
  %next = add i64 %row, 1
  %more = icmp slt i64 %next, 16
  br i1 %more, label %rows, label %end
end:
  ret void
}}"""


_FUNCTIONS = {
    "tilerelease": "define internal void @stands.for.tilerelease() { ret void }",
    "tilezero": _moved("tilezero", "here", "here", "0"),
    "tileloadd64": _moved("tileloadd64", "there", "here", "%stride"),
    "tilestored64": _moved("tilestored64", "here", "there", "%stride"),
    "tdpbf16ps": _tiles_function("tdpbf16ps", "", ""),
    **{
        f"tdpb{a}{b}d": _tiles_function(f"tdpb{a}{b}d", "sext" if a == "s" else "zext", "sext" if b == "s" else "zext")
        for a in "su"
        for b in "su"
    },
    "avx512bf16.cvtneps2bf16.512": """
define internal <16 x bfloat> @stands.for.avx512bf16.cvtneps2bf16.512(<16 x float> %x) noinline {
  %bits = bitcast <16 x float> %x to <16 x i32>
  %above = lshr <16 x i32> %bits, splat (i32 16)
  %odd = and <16 x i32> %above, splat (i32 1)
  %half = add <16 x i32> %odd, splat (i32 32767)
  %sum = add <16 x i32> %bits, %half
  %high = lshr <16 x i32> %sum, splat (i32 16)
  %short = trunc <16 x i32> %high to <16 x i16>
  %rounded = bitcast <16 x i16> %short to <16 x bfloat>
  ret <16 x bfloat> %rounded
}""",
    "avx512.vpdpbusd.512": f"""
define internal <16 x i32> @stands.for.avx512.vpdpbusd.512(<16 x i32> %sum, <16 x i32> %x, <16 x i32> %y) noinline {{
{_group_text("zext", "sext")}
  ret <16 x i32> %added
}}""",
    "avx512bf16.dpbf16ps.512": f"""
define internal <16 x float> @stands.for.avx512bf16.dpbf16ps.512(<16 x float> %sum, <32 x bfloat> %xs, <32 x bfloat> %ys) noinline {{
  %x = bitcast <32 x bfloat> %xs to <16 x i32>
  %y = bitcast <32 x bfloat> %ys to <16 x i32>
{_group_text("", "")}
  ret <16 x float> %added
}}""",
}
