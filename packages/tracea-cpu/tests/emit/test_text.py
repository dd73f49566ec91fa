# SPDX-License-Identifier: MIT
"""Emitted text: the same bytes in every process, and different ones for every kernel that means something else."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tracea_core.data import Data
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, EmitError
from tracea_core.ops.attention import AttentionOp
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand, Unary, UnaryFn
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.grouped import GroupedGemmOp
from tracea_core.ops.low_rank import LowRankOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.rowwise import NormKind, NormOp, SoftmaxOp
from tracea_core.ops.sparse import BlockPattern, BlockSparseGemmOp
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.chain import chain_kernel
from tracea_core.semantic.build.rows import rows_kernel
from tracea_core.semantic.forms import Form
from tracea_core.semantic.index import Sym, Test, TestFn, evaluate
from tracea_core.semantic.kernel import Actor, SemanticKernel, Space
from tracea_core.semantic.lower_chained import lower_chained
from tracea_core.semantic.lower_rowwise import lower_rowwise
from tracea_core.semantic.steps import If, Let, Load, Loop, Mma, Node, SchedulingFence, Store, Transfer
from tracea_core.semantic.verify.certificate import Certificate
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, storing
from tracea_core.testing.chain_cases import chain_problem
from tracea_core.testing.golden import check_golden, unused
from tracea_cpu.emit.contraction import emit_contraction

GOLDEN = Path(__file__).parents[1] / "golden"
TILE = PipelineConfig(tile_m=2, tile_n=16, tile_k=2)
ROW_TILE = PipelineConfig(tile_m=1, tile_n=16, tile_k=1, stages=1, warps=1)
ACC = Accumulator()


def _gemm(m: int = 64, dtype: DType = DType.FP32, **options: Any) -> Problem:
    a, b = (TensorSpec.contiguous((m, m), dtype) for _ in range(2))
    op = GemmOp(m, m, m, dtype=dtype)
    return Problem(op, (a, b), TensorSpec.contiguous((m, m), op.output_dtype()), **options)


def _along_k() -> Problem:
    plain = TensorSpec.contiguous((64, 64), DType.FP32)
    return Problem(GemmOp(64, 64, 64), (plain, plain.replace(strides=(1, 64))), plain)


def _columns_of_a() -> Problem:
    plain = TensorSpec.contiguous((64, 64), DType.FP32)
    return Problem(GemmOp(64, 64, 64), (plain.replace(strides=(1, 64)), plain), plain)


def _conv() -> Problem:
    op = Conv2dOp(1, 8, 9, 9, 8, 3, 3, (1, 1), (1, 1), (1, 1), 1)
    specs = (TensorSpec.contiguous(shape, DType.FP32) for shape in op.input_shapes())
    return Problem(op, tuple(specs), TensorSpec.contiguous(op.output_shape(), DType.FP32))


def _strided() -> Problem:
    op = Conv2dOp(1, 16, 9, 9, 8, 3, 3, (2, 2), (1, 1))
    tensors = [dense(shape, DType.FP32, (0, 2, 3, 1)) for shape in (*op.input_shapes(), op.output_shape())]
    return Problem(op, tuple(tensors[:2]), tensors[2])


def _blocks() -> Problem:
    op = BlockSparseGemmOp.of(24, BlockPattern.from_mask([[1, 0], [1, 1]], 16, 32))
    pairs = zip(op.input_shapes(), op.input_dtypes(), strict=True)
    inputs = tuple(TensorSpec.contiguous(*pair) for pair in pairs)
    return Problem(op, inputs, TensorSpec.contiguous(op.output_shape(), DType.FP32))


def _groups() -> Problem:
    op = GroupedGemmOp(64, 4, 24, 32)
    pairs = zip(op.input_shapes(), op.input_dtypes(), strict=True)
    return Problem(
        op, tuple(TensorSpec.contiguous(*pair) for pair in pairs), TensorSpec.contiguous((64, 24), DType.FP32)
    )


def _bias_gelu() -> Problem:
    x = Binary(BinaryFn.ADD, ACC, Operand(0))
    erf = Unary(UnaryFn.ERF, Binary(BinaryFn.MUL, x, Constant(0.5**0.5)))
    gelu = Binary(BinaryFn.MUL, Binary(BinaryFn.MUL, x, Constant(0.5)), Binary(BinaryFn.ADD, Constant(1.0), erf))
    bias = Epilogue(gelu, (EpilogueOperand("bias", OperandAxes.COLUMN),), label="bias, gelu")
    return _gemm(epilogue=bias, epilogue_inputs=(TensorSpec.contiguous((64,), DType.FP32),))


PROBLEMS: dict[str, tuple[Callable[[], Problem], PipelineConfig]] = {
    "gemm_fp32": (_gemm, TILE),
    "gemm_bf16_bias_gelu": (_bias_gelu, TILE),
    "gemm_fp32_auxiliary": (lambda: storing(_gemm()), TILE),
    "gemm_int8_split_k": (lambda: _gemm(dtype=DType.INT8), TILE.replace(split_k=2)),
    "gemm_fp32_streamed": (_gemm, TILE.replace(block_k=8, pack_b=False)),
    "gemm_fp32_turned": (_along_k, TILE.replace(tile_n=8, pack_b=False)),
    "gemm_fp32_rows_packed": (_columns_of_a, TILE.replace(block_k=8, pack_a=True)),
    "block_sparse_fp32": (_blocks, TILE.replace(pack_b=False)),
    "grouped_fp32": (_groups, TILE),
    "grouped_fp32_streamed": (_groups, TILE.replace(block_k=8, pack_b=False)),
    "conv2d_fp32": (_conv, TILE),
    "conv2d_fp32_windows": (_conv, TILE.replace(halo=True)),
    "conv2d_fp32_windows_tested": (_strided, TILE.replace(stages=2, in_flight=1)),
}


def emit(kernel: SemanticKernel) -> str:
    """Return the text of a kernel, under an empty certificate."""
    return emit_contraction(kernel, Certificate(kernel.digest(), ())).text


def proved(kernel: SemanticKernel, form: Form) -> str:
    """Return the text of a kernel under its own certificate."""
    return emit_contraction(kernel, certify(kernel, form, preset("avx2"))).text


def code(text: str) -> str:
    """Return the text without its opening comment, which names the kernel's digest."""
    return text.split("\n\n", 1)[1]


# ---- purity


ROWS: dict[str, tuple[SoftmaxOp | NormOp, PipelineConfig]] = {
    "softmax_fp32": (SoftmaxOp((64, 64)), ROW_TILE),
    "layer_norm_bf16": (NormOp((64, 64), NormKind.LAYER, bias=True, dtype=DType.BF16), ROW_TILE),
    "softmax_fp32_past_caches": (SoftmaxOp((64, 64)), ROW_TILE.replace(vector_c=4)),
    "softmax_fp32_short_rows": (SoftmaxOp((64, 9)), ROW_TILE.replace(tile_m=2, tile_n=8)),
}


def test_what_windows_meet_instead_of_padding_is_chosen_ahead_of_the_loop_over_channels(
    built: Callable[..., Any],
) -> None:
    """One choice for each row of the tile, between the image and as many zeros as there are channels at most, loaded once."""
    problem, tile = PROBLEMS["conv2d_fp32_windows_tested"]
    printed = code(built(problem(), tile).source.text)
    assert printed.count("@zeros_fp32_2048 = internal constant [2048 x float] zeroinitializer") == 1
    chosen = [
        number for number, line in enumerate(printed.splitlines()) if "= select i1" in line and "%zeros_fp32" in line
    ]
    (begun,) = (number for number, line in enumerate(printed.splitlines()) if line.strip() == "c_loop:")
    assert len(chosen) == TILE.tile_m and max(chosen) < begun


@pytest.mark.parametrize("name", ROWS)
def test_golden_text_of_rows(name: str) -> None:
    op, configuration = ROWS[name]
    specs = tuple(TensorSpec.contiguous(s, d) for s, d in zip(op.input_shapes(), op.input_dtypes(), strict=True))
    form = lower_rowwise(Problem(op, specs, TensorSpec.contiguous(op.output_shape(), op.output_dtype()))).form
    kernel = rows_kernel(form, configuration, preset("avx2"), "cpu.rowwise.avx2_fp32", "kernel")
    check_golden(GOLDEN / f"{name}.ll", proved(kernel, form))


CHAINS = {
    "attention_fp32_window": AttentionOp(1, 2, 64, 64, 16, left=9, right=4),
    "attention_fp32_biased": AttentionOp(1, 2, 64, 64, 16, bias=DType.FP32),
    "attention_fp32_masked": AttentionOp(1, 2, 64, 64, 16, bias=DType.UINT8),
    "low_rank_bf16": LowRankOp(64, 64, 64, 16, dtype=DType.BF16),
}


@pytest.mark.parametrize("name", CHAINS)
def test_golden_text_of_chains(name: str) -> None:
    form = lower_chained(chain_problem(CHAINS[name])).form
    configuration = PipelineConfig(tile_m=2, tile_n=8, tile_k=1, stages=1, warps=1, block_k=16)
    kernel = chain_kernel(form, configuration, preset("avx2"), "cpu.chained.avx2_fp32", "kernel")
    check_golden(GOLDEN / f"{name}.ll", proved(kernel, form))


@pytest.mark.parametrize("name", PROBLEMS)
def test_golden_text(name: str, built: Callable[..., Any]) -> None:
    """Set ``TRACEA_UPDATE_GOLDEN=1`` to write the files anew, then read the difference."""
    problem, configuration = PROBLEMS[name]
    check_golden(GOLDEN / f"{name}.ll", built(problem(), configuration).source.text)


def test_every_golden_file_is_compared() -> None:
    compared = {f"{name}.ll" for name in (*PROBLEMS, *ROWS, *CHAINS)}
    assert all(re.search(r"_(dots|tiles|pairs)\.ll", name) for name in unused(GOLDEN, compared))  # test_groups.py's


def test_every_process_prints_the_same_bytes(built: Callable[..., Any]) -> None:
    kernel = built(_conv(), TILE).kernel
    program = (
        "import sys; from tracea_core.semantic.kernel import SemanticKernel; "
        "from tracea_core.semantic.verify.certificate import Certificate; "
        "from tracea_cpu.emit.contraction import emit_contraction; "
        "kernel = SemanticKernel.from_json(sys.stdin.read()); "
        "sys.stdout.write(emit_contraction(kernel, Certificate(kernel.digest(), ())).text)"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", program], input=kernel.to_json(), capture_output=True, text=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    }  # fmt: skip
    assert texts == {emit(kernel)}


def test_names_come_from_the_schedule(built: Callable[..., Any]) -> None:
    text = built(_gemm(), TILE).source.text
    for name in ("%acc_1_1 ", "%row0 ", "%column0 ", "%a_base_1 ", "%panels ", "%packed_0 ", "%out_row "):
        assert name in text
    assert text.startswith("; tracea: matmul fp32")
    assert "; acc += a * b, fma_outer_2x2x8_fp32" in text
    assert max(len(line) for line in text.splitlines()) < 400


# ---- every change shows


def _variants(value: Any) -> Iterator[Any]:
    """Yield changes of one field's value."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield value + 1
    elif isinstance(value, float):
        yield value + 1.0
    elif isinstance(value, Transfer):
        yield from (t for t in (Transfer.VECTOR, Transfer.GATHER) if t is not value)
    elif isinstance(value, tuple) and value and isinstance(value[0], Test):
        yield value[1:]
        yield (value[0].replace(fn=TestFn.NE), *value[1:])
        yield (value[0].replace(right=value[0].right + 1), *value[1:])
    elif isinstance(value, Data) and hasattr(value, "offset"):
        yield value.replace(offset=value.offset + 1)
    elif isinstance(value, Data) and hasattr(value, "coordinates"):
        first, *rest = value.coordinates
        yield value.replace(coordinates=(first + 1, *rest))
    elif isinstance(value, Data) and hasattr(value, "fn") and hasattr(value, "left"):
        yield value + 1
    elif isinstance(value, Accumulator):
        yield Unary(UnaryFn.NEG, value)


def _changed(nodes: tuple[Node, ...]) -> Iterator[tuple[str, tuple[Node, ...]]]:
    """Yield bodies with one field of one node changed, or one node left out."""
    for place, node in enumerate(nodes):
        before, after = nodes[:place], nodes[place + 1 :]
        if isinstance(node, Mma | Store | SchedulingFence | If):
            yield f"without {type(node).__name__}", (*before, *after)
        for field in node.__struct_fields__:
            value = getattr(node, field)
            if (
                isinstance(value, tuple)
                and value
                and not isinstance(value[0], Test)
                and field in ("body", "then", "otherwise")
            ):
                for what, inner in _changed(value):
                    yield what, (*before, msgspec.structs.replace(node, **{field: inner}), *after)
                continue
            if field == "fill" and not node.guard:  # type: ignore[union-attr]
                continue  # nothing receives it
            for other in _variants(value):
                try:
                    changed = msgspec.structs.replace(node, **{field: other})
                except (TypeError, ValueError):
                    continue
                yield f"{type(node).__name__}.{field} = {other}", (*before, changed, *after)


@pytest.mark.parametrize("name", PROBLEMS)
def test_every_change_of_a_node_changes_the_code(name: str, built: Callable[..., Any]) -> None:
    problem, configuration = PROBLEMS[name]
    kernel = built(problem(), configuration).kernel
    plain, tried = _stripped(emit(kernel)), 0
    for what, body in _changed(kernel.roles[0].body):
        changed = kernel.replace(roles=(kernel.roles[0].replace(body=body),))
        try:
            text = emit(changed)
        except EmitError:
            continue
        tried += 1
        assert _stripped(text) != plain, what
    assert tried > 50


def _stripped(text: str) -> str:
    """The text without comments: what the machine sees."""
    return re.sub(r"\s*;.*", "", text)


def test_parameters_symbols_and_buffers_show(built: Callable[..., Any]) -> None:
    kernel = built(_gemm(), TILE).kernel
    plain = code(emit(kernel))
    first, *rest = kernel.parameters
    symbol, *symbols = kernel.symbols
    (buffer,) = kernel.buffers
    for change in (
        {"name": "other"},
        {"parameters": (first.replace(alignment=64), *rest)},
        {"symbols": (symbol.replace(minimum=5), *symbols)},
        {"symbols": (symbol.replace(multiple=4), *symbols)},
        {"buffers": (buffer.replace(alignment=4),)},
        {"buffers": (buffer.replace(slots=2),)},
        {"buffers": (buffer.replace(extent=buffer.extent + 1),)},
        {"buffers": (buffer.replace(space=Space.WORKSPACE),)},
    ):
        assert code(emit(kernel.replace(**change))) != plain, change


# ---- refusals


def test_an_uncertified_kernel_is_refused(built: Callable[..., Any]) -> None:
    kernel = built(_gemm(), TILE).kernel
    with pytest.raises(CertificationError, match="another kernel"):
        emit_contraction(kernel.replace(name="other"), Certificate(kernel.digest(), ()))


def _first_load(kernel: SemanticKernel, transfer: Transfer) -> SemanticKernel:
    """Change the transfer of every load."""

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        out: list[Node] = []
        for node in nodes:
            if isinstance(node, Load):
                out.append(node.replace(transfer=transfer))
            elif isinstance(node, Loop):
                out.append(node.replace(body=visit(node.body)))
            elif isinstance(node, If):
                out.append(node.replace(then=visit(node.then), otherwise=visit(node.otherwise)))
            else:
                out.append(node)
        return tuple(out)

    return kernel.replace(roles=(kernel.roles[0].replace(body=visit(kernel.roles[0].body)),))


def test_what_a_cpu_cannot_do_is_refused(built: Callable[..., Any]) -> None:
    kernel = built(_gemm(), TILE).kernel
    role, (buffer,) = kernel.roles[0], kernel.buffers
    cases = {
        "matrix load": _first_load(kernel, Transfer.MATRIX),
        "one role": kernel.replace(roles=(role.replace(actor=Actor.WARP),)),
        "shared memory": kernel.replace(buffers=(buffer.replace(space=Space.SHARED),)),
        "no single value": kernel.replace(roles=(role.replace(body=(Let("x", Sym("nowhere") + 1),)),)),
    }
    for message, broken in cases.items():
        with pytest.raises(EmitError, match=message):
            emit(broken)


def test_workspaces_hold_whole_cache_lines(built: Callable[..., Any]) -> None:
    source = built(_gemm(), TILE.replace(split_k=3)).source
    panel, partials = source.workspaces
    values = {"k": 7, "m": 5, "n": 17, "row_splits": 1}
    assert panel.per_worker and not partials.per_worker
    assert evaluate(panel.bytes, values) == 192  # ⌈7 / 3⌉ rows of 16 floats
    assert evaluate(partials.bytes, values) == 3 * 2 * 3 * 2 * 16 * 4  # row tiles, panels, parts, tile
