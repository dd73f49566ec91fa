# SPDX-License-Identifier: MIT
"""The uniform schedule: interpreted exactly for every layout and ragged shape, certified, and refused with reasons."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt
import pytest
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.conv import Conv2dOp
from tracea_core.ops.epilogue import Epilogue, EpilogueOperand, OperandAxes
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant, Operand
from tracea_core.ops.gemm import GemmOp
from tracea_core.ops.problem import Problem
from tracea_core.ops.spec import TensorSpec
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.order import Order
from tracea_core.semantic.build.multistage import multistage_fault, multistage_kernel, warp_grid
from tracea_core.semantic.index import Sym
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.lower import Lowered, lower
from tracea_core.semantic.steps import (
    AsyncCopy,
    Barrier,
    Let,
    Load,
    Loop,
    Mma,
    Node,
    Store,
)
from tracea_core.semantic.verify.certify import certify

MI300X = preset("mi300x")
MFMA = "mfma_32x32x8_bf16"
SMALL_MFMA = "mfma_16x16x16_bf16"
AMPERE = "mma_m16n8k16_bf16"
Array = npt.NDArray[np.float64]


def configuration(**fields: Any) -> PipelineConfig:
    defaults: dict[str, Any] = {
        "tile_m": 64, "tile_n": 64, "tile_k": 32, "stages": 2, "warps": 4, "vector_a": 8, "vector_b": 8, "vector_c": 8,
        "order": Order.GROUPED, "group": 4,
    }  # fmt: skip
    return PipelineConfig(**{**defaults, **fields})


def rounded(extent: int, to: int) -> int:
    return max(to, -(-extent // to) * to)


def gemm(
    m: int, n: int, k: int, layout: str = "nt", pad: int = 8, dtype: DType = DType.BF16, batch: int = 0,
    epilogue: bool = False,
) -> Problem:  # fmt: skip
    """A product whose a and b are row-major (n) or column-major (t), rows padded to `pad` elements."""

    def matrix(rows: int, columns: int, turned: bool) -> TensorSpec:
        strides = (1, rounded(rows, pad)) if turned else (rounded(columns, pad), 1)
        if not batch:
            return TensorSpec((rows, columns), dtype, strides)
        return TensorSpec((batch, rows, columns), dtype, (rounded(rows, pad) * rounded(columns, pad), *strides))

    a, b, c = matrix(m, k, layout[0] == "t"), matrix(k, n, layout[1] == "t"), matrix(m, n, False)
    op = GemmOp(m, n, k, batch=(batch,) if batch else (), dtype=dtype)
    if not epilogue:
        return Problem(op, (a, b), c)
    total = Binary(BinaryFn.ADD, Binary(BinaryFn.ADD, Accumulator(0), Operand(0)), Operand(1))
    fused = Epilogue(
        Binary(BinaryFn.MAXIMUM, total, Constant(0.0)),
        (EpilogueOperand("bias", OperandAxes.COLUMN), EpilogueOperand("residual", OperandAxes.FULL)),
    )
    return Problem(op, (a, b), c, fused, (TensorSpec((n,), dtype, (1,)), TensorSpec((m, n), dtype, (n, 1))))


def build(
    problem: Problem, config: PipelineConfig, name: str = SMALL_MFMA, device: str = "mi300x"
) -> tuple[SemanticKernel, Lowered]:
    low = lower(problem)
    return multistage_kernel(low.contraction, config, preset(device), "hip.contraction.mfma", "gemm", name), low


def exact(
    config: PipelineConfig, sizes: tuple[int, int, int], blocks: int = 2, name: str = SMALL_MFMA, **options: Any
) -> None:
    """Interpret one launch on integers and compare with NumPy's product."""
    kernel, _ = build(gemm(512, 512, 512, **options), config, name)
    m, n, k = sizes
    problem = gemm(m, n, k, **options)
    low = lower(problem)
    random = np.random.default_rng(m * n + k)
    memory, logical = {}, {}
    for operand, spec in zip(("a", "b", "out"), (*problem.inputs[:2], problem.output), strict=True):
        shape = spec.shape if len(spec.shape) == 3 else (1, *spec.shape)
        steps = spec.strides if len(spec.strides) == 3 else (0, *spec.strides)
        axes = [np.arange(e)[(...,) + (None,) * (2 - i)] * s for i, (e, s) in enumerate(zip(shape, steps, strict=True))]
        places = sum(axes)
        memory[operand] = random.integers(-9, 10, int(places.max(initial=-1)) + 1).astype(np.float64)
        logical[operand] = places
    expected = memory["a"][logical["a"]] @ memory["b"][logical["b"]]
    if options.get("epilogue"):
        bias, residual = random.integers(-99, 100, n), random.integers(-99, 100, (m, n))
        memory |= {"bias_0": bias.astype(np.float64), "residual_1": residual.astype(np.float64).ravel()}
        expected = np.maximum(expected + bias + residual, 0)
    run = interpreter(kernel, low.symbols, memory, blocks, 1)
    found = run.run()["out"][logical["out"]]
    assert np.array_equal(found, expected)
    assert run.memory["out"].written.sum() == expected.size


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize(("stages", "vector"), [(1, 8), (2, 8), (3, 4), (2, 1)])
def test_every_layout_and_depth_computes_exactly(layout: str, stages: int, vector: int) -> None:
    config = configuration(stages=stages, vector_a=vector, vector_b=vector, vector_c=vector)
    for sizes in ((72, 136, 104), (8, 8, 8), (64, 64, 0), (64, 128, 64)):
        exact(config, sizes, layout=layout, pad=8)


@pytest.mark.parametrize("layout", ["nn", "tt"])
def test_odd_shapes_move_single_elements(layout: str) -> None:
    config = configuration(vector_a=1, vector_b=1, vector_c=1)
    for sizes in ((67, 129, 65), (2, 3, 5), (3, 70, 131)):
        exact(config, sizes, layout=layout, pad=1)


@pytest.mark.parametrize(
    ("tile", "warps", "name"),
    [((128, 128, 32), 4, MFMA), ((64, 128, 64), 2, MFMA), ((192, 96, 32), 3, MFMA), ((32, 64, 64), 4, SMALL_MFMA)],
)
def test_tiles_warps_and_instructions(tile: tuple[int, int, int], warps: int, name: str) -> None:
    config = configuration(tile_m=tile[0], tile_n=tile[1], tile_k=tile[2], warps=warps)
    exact(config, (tile[0] + 8, tile[1] + 16, 2 * tile[2] + 8), name=name)


def test_batches_and_epilogues() -> None:
    exact(configuration(), (40, 72, 48), batch=3, blocks=4)
    exact(configuration(vector_c=1), (72, 70, 40), epilogue=True, pad=8)


def conv(channels_last: bool = False, **fields: Any) -> Problem:
    sizes = {"n": 2, "c": 6, "h": 9, "w": 8, "k": 5, "r": 3, "s": 3, "dtype": DType.BF16} | fields
    op = Conv2dOp(**sizes)

    def tensor(shape: tuple[int, ...]) -> TensorSpec:
        _, c, h, w = shape
        return TensorSpec(shape, DType.BF16, (c * h * w, 1, w * c, c) if channels_last else (c * h * w, h * w, w, 1))

    x, w = (tensor(shape) for shape in op.input_shapes())
    return Problem(op, (x, w), tensor(op.output_shape()))


@pytest.mark.parametrize(
    "fields",
    [
        {"stride": (2, 1), "padding": (1, 2), "dilation": (1, 2)},
        {"c": 8, "k": 4, "groups": 2, "padding": (1, 1)},
        {"r": 1, "s": 1},
        {"channels_last": True, "padding": (1, 1)},
    ],
)
def test_convolutions_are_gathered_and_certified(fields: dict[str, Any]) -> None:
    kernel, low = build(conv(**fields), configuration(vector_a=1, vector_b=1, vector_c=1))
    certificate = certify(kernel, low.contraction, MI300X)
    assert any(proof.property == "meaning" for proof in certificate.proofs)


@pytest.mark.parametrize("layout", ["nt", "nn", "tn"])
@pytest.mark.parametrize("vector", [8, 1])
def test_kernels_are_certified_and_survive_json(layout: str, vector: int) -> None:
    config = configuration(vector_a=vector, vector_b=vector, vector_c=vector)
    kernel, low = build(gemm(512, 512, 512, layout), config)
    certificate = certify(kernel, low.contraction, MI300X)
    assert {"banks", "budgets", "cover", "meaning"} <= {proof.property for proof in certificate.proofs}
    again = msgspec.json.decode(msgspec.json.encode(kernel), type=SemanticKernel)
    certificate.require(again)


@pytest.mark.parametrize("channels_last", [False, True])
def test_filters_of_any_extent_are_served_whatever_is_promised(channels_last: bool) -> None:
    low = lower(conv(c=64, k=64, channels_last=channels_last))
    for device, name in (("mi300x", SMALL_MFMA), ("h200", AMPERE)):
        config = configuration(vector_c=2)  # planes of 42 pixels
        kernel = multistage_kernel(low.contraction, config, preset(device), "x.contraction.x", "conv", name)
        assert all(symbol.admits(low.symbols[symbol.name]) for symbol in kernel.symbols)


def test_dies_take_turns_and_cover_the_output_once() -> None:
    config = configuration(order=Order.GROUPED_DIES, group=2)
    exact(config, (200, 392, 40), blocks=3)
    exact(config, (72, 136, 40), blocks=40, batch=5)
    kernel, low = build(gemm(512, 512, 512, batch=3), config)
    certify(kernel, low.contraction, MI300X)


def nodes_of(kernel: SemanticKernel, kind: type) -> list[Any]:
    return [node for node in walk(kernel.roles[0].body) if isinstance(node, kind)]


# ---- planted bugs


def without_barriers(nodes: tuple[Node, ...], name: str) -> tuple[Node, ...]:
    kept: list[Node] = []
    for node in nodes:
        if isinstance(node, Loop):
            node = node.replace(body=without_barriers(node.body, name))
        if not (isinstance(node, Barrier) and node.name == name):
            kept.append(node)
    return tuple(kept)


def changed(kernel: SemanticKernel, body: tuple[Node, ...]) -> SemanticKernel:
    (role,) = kernel.roles
    assert body != role.body
    return kernel.replace(roles=(role.replace(body=body),))


def rewritten(nodes: tuple[Node, ...], edit: Any) -> tuple[Node, ...]:
    found = []
    for node in nodes:
        if isinstance(node, Loop):
            node = node.replace(body=rewritten(node.body, edit))
        found.append(edit(node))
    return tuple(found)


@pytest.mark.parametrize(
    ("stages", "name"), [(2, "slot_written"), (2, "tile_done"), (1, "slot_read"), (1, "slot_written")]
)
def test_a_missing_barrier_is_a_race(stages: int, name: str) -> None:
    kernel, low = build(gemm(512, 512, 512), configuration(stages=stages))
    broken = changed(kernel, without_barriers(kernel.roles[0].body, name))
    with pytest.raises(CertificationError, match=r"without a barrier|nothing was written"):
        certify(broken, low.contraction, MI300X)


def test_parts_of_dies_that_are_taken_as_equal_leave_tiles_out() -> None:
    kernel, low = build(gemm(512, 512, 512), configuration(order=Order.GROUPED_DIES))
    tiles = Sym("tile_rows") * Sym("tile_columns")

    def even(node: Node) -> Node:
        known = isinstance(node, Let) and node.name == "tile"
        return node.replace(value=Sym("die") * (tiles // 8) + Sym("turn") // 8) if known else node

    with pytest.raises(CertificationError, match=r"never computed|computed twice"):
        certify(changed(kernel, rewritten(kernel.roles[0].body, even)), low.contraction, MI300X)


def test_an_unswizzled_tile_has_bank_conflicts() -> None:
    kernel, low = build(gemm(512, 512, 512), configuration())
    plain = tuple(b.replace(layout=type(b.layout).row_major(("outer", 64), ("k", 32))) for b in kernel.buffers)
    with pytest.raises(CertificationError, match="bank conflicts"):
        certify(kernel.replace(buffers=plain), low.contraction, MI300X)


def test_a_transposed_fragment_and_a_shifted_slot_are_wrong() -> None:
    kernel, low = build(gemm(512, 512, 512), configuration())

    def turned(node: Node) -> Node:
        return node.replace(a=node.b, b=node.a) if isinstance(node, Mma) else node

    def shifted(node: Node) -> Node:
        target = getattr(node, "target", None)
        if isinstance(node, Store) and getattr(target, "slot", None) is not None and node.fragment == "a_tile_fetched":
            return node.replace(target=target.replace(slot=(target.slot + 1) % 2))
        return node

    def unmasked(node: Node) -> Node:
        return node.replace(guard=()) if isinstance(node, Load) and node.guard else node

    for edit in (turned, shifted, unmasked):
        with pytest.raises(CertificationError):
            certify(changed(kernel, rewritten(kernel.roles[0].body, edit)), low.contraction, MI300X)


# ---- refusals


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"tile_k": 24}, "no power of two"),
        ({"warps": 3}, "3 warps do not divide"),
        ({"cluster_m": 2}, "clusters"),
        ({"split_k": 2}, "split_k"),
        ({"warps": 32}, "threads exceed"),
    ],
)
def test_refusals_say_why(fields: dict[str, Any], reason: str) -> None:
    low = lower(gemm(512, 512, 512))
    config = configuration(**{"tile_m": 256, "tile_n": 256, **fields}) if "warps" in fields else configuration(**fields)
    fault = multistage_fault(low.contraction, config, MI300X, SMALL_MFMA)
    assert fault is not None and reason in fault
    with pytest.raises(ConfigurationError, match="uniform schedule"):
        multistage_kernel(low.contraction, config, MI300X, "hip.contraction.mfma", "gemm", SMALL_MFMA)


def test_too_much_memory_and_too_many_registers() -> None:
    with pytest.raises(ConfigurationError, match="shared memory"):
        build(gemm(512, 512, 512), configuration(tile_m=256, tile_n=256, tile_k=64, warps=8))
    with pytest.raises(ConfigurationError, match="registers"):
        build(gemm(512, 512, 512), configuration(tile_m=256, tile_n=256, tile_k=16, warps=1))


def test_warps_divide_the_tile_where_least_is_read() -> None:
    lanes = instruction(MFMA)
    assert warp_grid(configuration(tile_m=256, tile_n=256, warps=8), lanes) in ((2, 4), (4, 2))
    assert warp_grid(configuration(tile_m=32, tile_n=256, warps=8), lanes) == (1, 8)
    assert warp_grid(configuration(tile_m=32, tile_n=32, warps=4), lanes) is None


@pytest.mark.parametrize("layout", ["nn", "nt", "tn", "tt"])
@pytest.mark.parametrize("vector", [4, 1])
def test_lanes_multiply_where_no_matrix_unit_does(layout: str, vector: int) -> None:
    config = configuration(tile_k=8, warps=2, vector_a=vector, vector_b=vector, vector_c=vector)
    low = lower(gemm(512, 512, 512, layout, dtype=DType.FP32))
    kernel = multistage_kernel(
        low.contraction, config, preset("a100"), "cuda.contraction.simt", "gemm", "simt_4x8_8x8_fp32"
    )
    assert any(proof.property == "banks" for proof in certify(kernel, low.contraction, preset("a100")).proofs)


PAIRED = "simt_4x8_8x8_fp32_paired"


def reading_ahead(layout: str, **fields: Any) -> tuple[SemanticKernel, Lowered]:
    """Return lanes with two sets of parts, which read across the end of a step."""
    low = lower(gemm(512, 512, 512, layout, dtype=DType.FP32))
    config = configuration(**{"tile_k": 8, "warps": 2, "vector_a": 4, "vector_b": 4, "unroll_k": 2, **fields})
    return multistage_kernel(low.contraction, config, preset("a100"), "cuda.contraction.simt", "gemm", PAIRED), low


@pytest.mark.parametrize(("layout", "fields"), [
    ("nn", {}), ("nt", {}), ("tn", {"tile_k": 2}), ("tt", {"stages": 3}), ("nt", {"stages": 4, "vector_a": 1, "vector_b": 1}),
    ("nt", {"tile_m": 128, "tile_k": 16, "warps": 4}),
])  # fmt: skip
def test_lanes_read_the_next_parts_ahead(layout: str, fields: dict[str, int]) -> None:
    kernel, low = reading_ahead(layout, **fields)
    assert {fragment.name for fragment in kernel.roles[0].fragments} >= {"a0_0", "a0_1", "b0_0", "b0_1"}
    single = fields.get("vector_a") == 1
    assert len(nodes_of(kernel, AsyncCopy)) == 0 if layout == "nt" and not single else nodes_of(kernel, AsyncCopy)
    certify(kernel, low.contraction, preset("a100"))


def test_rows_that_are_stored_across_are_padded_for_few_addresses() -> None:
    kernel, _ = reading_ahead("nt")
    assert all(buffer.layout == Layout.row_major(("k", 8), ("outer", 64), pad=4) for buffer in kernel.buffers)


@pytest.mark.parametrize("layout", ["nt", "tn"])
def test_reading_ahead_before_the_barrier_is_found(layout: str) -> None:
    kernel, low = reading_ahead(layout)
    body = kernel.roles[0].body

    def late(node: Node) -> Node:
        if not isinstance(node, Loop) or node.var != "k_step":
            return node
        steps = list(node.body)
        barrier = next(place for place, step in enumerate(steps) if isinstance(step, Barrier))
        steps.append(steps.pop(barrier))
        return node.replace(body=tuple(steps))

    with pytest.raises(
        CertificationError, match=r"copy is under way|without a barrier|nothing was written|not written"
    ):
        certify(changed(kernel, rewritten(body, late)), low.contraction, preset("a100"))
