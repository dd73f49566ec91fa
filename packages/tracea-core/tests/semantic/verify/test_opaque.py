# SPDX-License-Identifier: MIT
"""Matrices in registers of an order that nobody states: a right kernel is certified, and whatever relies on the order is refused."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import numpy as np
import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.policy.config import PipelineConfig
from tracea_core.semantic.build.box_tile import swizzled_rows
from tracea_core.semantic.build.opaque_tiles import opaque_kernel
from tracea_core.semantic.contraction import Contraction
from tracea_core.semantic.index import COLUMN, ROW
from tracea_core.semantic.interpret_block import BlockInterpreter
from tracea_core.semantic.interpret_registers import InterpretError
from tracea_core.semantic.kernel import Opaque, SemanticKernel, Use, walk
from tracea_core.semantic.lanes import instruction
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.lower import lower
from tracea_core.semantic.opaque import tile_place
from tracea_core.semantic.steps import Barrier, BufferRef, Compute, Load, Node, Store, Transfer
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.opaque import check_opaque
from tracea_core.testing.cases import gemm
from tracea_core.testing.faults import faults

PVC = preset_target("pvc").profile
SMALL = PipelineConfig(tile_m=32, tile_n=16, tile_k=32, stages=2, warps=2, vector_a=8, vector_b=8, vector_c=1)


def built(layout: str = "nn", dtype: DType = DType.BF16) -> tuple[SemanticKernel, Contraction]:
    """Return a small kernel, and what it computes."""
    form = lower(gemm((64, 64, 64), dtype, layout)).contraction
    name = f"joint_sg16_8x16x{32 // dtype.bytes}_{dtype.value}"
    config = SMALL if dtype.bytes == 2 else SMALL.replace(tile_k=64, vector_a=16, vector_b=16)
    return opaque_kernel(form, config, PVC, "oneapi.contraction.joint", "product", name), form


@pytest.mark.parametrize(("layout", "dtype"), [("nn", DType.BF16), ("nt", DType.FP16), ("nt", DType.INT8)])
def test_a_product_is_certified_and_says_what_is_assumed(layout: str, dtype: DType) -> None:
    kernel, form = built(layout, dtype)
    certificate = certify(kernel, form, PVC)
    proof = next(proof for proof in certificate.proofs if proof.property == "opaque")
    assert "are assumed to mean" in proof.statement and "their banks are not known" in proof.statement
    banks = next(proof for proof in certificate.proofs if proof.property == "banks")
    assert "whose lanes are known" in banks.statement
    b = next(fragment for fragment in kernel.roles[0].fragments if fragment.name == "b0").opaque
    assert b == Opaque(Use.B, layout == "nn")  # B lies in shared memory as it does in global memory


def _body(kernel: SemanticKernel, change: Callable[[Node], tuple[Node, ...]]) -> SemanticKernel:
    """The kernel with every node replaced by what `change` makes of it."""

    def visit(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
        found: list[Node] = []
        for node in nodes:
            for new in change(node):
                for part in ("body", "then", "otherwise"):
                    if hasattr(new, part):
                        new = new.replace(**{part: visit(getattr(new, part))})
                found.append(new)
        return tuple(found)

    (role,) = kernel.roles
    return kernel.replace(roles=(role.replace(body=visit(role.body)),))


def _fragment(kernel: SemanticKernel, name: str, **fields: object) -> SemanticKernel:
    (role,) = kernel.roles
    changed = tuple(f.replace(**fields) if f.name == name else f for f in role.fragments)
    return kernel.replace(roles=(role.replace(fragments=changed),))


def _buffer(kernel: SemanticKernel, name: str, layout: Layout) -> SemanticKernel:
    return kernel.replace(buffers=tuple(b.replace(layout=layout) if b.name == name else b for b in kernel.buffers))


def _moved(kernel: SemanticKernel, kind: type, before: Transfer, after: Transfer) -> SemanticKernel:
    """The kernel with the moves of one kind made another way."""

    def change(node: Node) -> tuple[Node, ...]:
        hit = isinstance(node, kind) and getattr(node, "transfer", None) is before
        place = getattr(node, "source" if kind is Load else "target", None)
        return (node.replace(transfer=after),) if hit and isinstance(place, BufferRef) else (node,)

    return _body(kernel, change)


def _without(kernel: SemanticKernel, barrier: str) -> SemanticKernel:
    return _body(kernel, lambda node: () if isinstance(node, Barrier) and node.name == barrier else (node,))


def _computed(kernel: SemanticKernel) -> SemanticKernel:
    """The epilogue on the sums where they are."""
    names = {
        node.accumulators[0]
        for node in walk(kernel.roles[0].body)
        if isinstance(node, Compute) and node.target == "result"
    }
    assert names == {"sum"}
    return _body(
        kernel,
        lambda node: (
            (node.replace(accumulators=("acc0_0",)),)
            if isinstance(node, Compute) and node.target == "result"
            else (node,)
        ),
    )


FAULTS: dict[str, tuple[Callable[[SemanticKernel], SemanticKernel], str]] = {
    "sums are read before they are written": (lambda k: _without(k, "sums_written"), "without a barrier"),
    "sums are overwritten before they are read": (lambda k: _without(k, "sums_read"), "without a barrier"),
    "an expression of sums where they are": (_computed, "needs"),
    "sums stored by lanes": (lambda k: _moved(k, Store, Transfer.TILE, Transfer.GATHER), "moved whole"),
    "operands loaded by lanes": (lambda k: _moved(k, Load, Transfer.TILE, Transfer.GATHER), "moved whole"),
    "known registers moved whole": (lambda k: _moved(k, Load, Transfer.GATHER, Transfer.TILE), "moved whole"),
    "a lies the other way": (lambda k: _fragment(k, "a0", opaque=Opaque(Use.A, False)), "the other way"),
    "a is declared as b": (lambda k: _fragment(k, "a0", opaque=Opaque(Use.B, True)), "declared as b"),
    "a is declared as known": (lambda k: _fragment(k, "a0", opaque=msgspec.UNSET), "moved whole"),
    "sums are another matrix": (lambda k: _fragment(k, "acc0_0", dtype=DType.INT32), "int32"),
}  # fmt: skip


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_refused(fault: str) -> None:
    plant, words = FAULTS[fault]
    kernel, form = built()
    with pytest.raises(CertificationError, match=words):
        certify(plant(kernel), form, PVC)


@pytest.mark.parametrize("change", ["% for //", "9 for 8", "7 for 8", "max for min"])
def test_fetches_of_whole_runs_are_tried_where_columns_are_counted_in_runs(change: str) -> None:
    """Half a tile is the last extent below one, and hides where the second run of a row begins, in each step of the reduction."""
    kernel, form = built()
    words = f"warp: Load b_tile_fetched0: source.address offset: {change}"
    planted = [fault.kernel for fault in faults(kernel) if fault.words == words]
    assert len(planted) >= 3
    for wrong in planted:
        with pytest.raises(CertificationError):
            certify(wrong, form, PVC)


def test_an_expression_of_opaque_sums_is_refused_for_what_it_needs() -> None:
    with pytest.raises(CertificationError, match="which lane holds what of 'acc0_0'"):
        check_opaque(_computed(built()[0]))


def test_tiles_lie_in_even_rows() -> None:
    kernel, _ = built()
    axes = (("outer", 32), ("k", 32))
    with pytest.raises(CertificationError, match="16 bytes apart"):
        check_opaque(_buffer(kernel, "a_tile", Layout.row_major(*axes, pad=4)))
    swizzled = Layout.xored(*axes, xor=swizzled_rows(64, 2))
    with pytest.raises(CertificationError, match="a fixed distance apart"):
        check_opaque(_buffer(kernel, "a_tile", swizzled))
    assert check_opaque(_buffer(kernel, "a_tile", Layout.row_major(*axes, pad=8)))


def test_the_place_of_a_tile() -> None:
    buffer = next(b for b in built()[0].buffers if b.name == "a_tile")
    by_rows = tile_place(buffer, BufferRef("a_tile", (ROW, COLUMN)), (8, 16))
    assert (by_rows.by_rows, by_rows.stride) == (True, 32)
    turned = tile_place(buffer, BufferRef("a_tile", (COLUMN, ROW)), (16, 8))
    assert (turned.by_rows, turned.stride) == (False, 32)


def test_the_other_interpreter_knows_no_lanes_either() -> None:
    """One thread after the other, in any order: the same sums, and a missing barrier is a race although each warp reads its own."""
    kernel, _ = built()
    generator = np.random.default_rng(5)
    a, b = (generator.integers(-8, 8, 33 * 40).astype(np.float64) for _ in range(2))
    symbols = {"m": 9, "n": 16, "k": 40, "a_row": 40, "b_row": 16, "out_row": 16}
    operands = {"a": a[: 9 * 40], "b": b[: 40 * 16], "out": np.full(9 * 16, np.nan)}
    found = BlockInterpreter(kernel, symbols, operands, workers=1).run()["out"].reshape(9, 16)
    assert (found == a[:360].reshape(9, 40) @ b[:640].reshape(40, 16)).all()
    with pytest.raises(InterpretError, match="without a barrier"):
        BlockInterpreter(_without(kernel, "sums_written"), symbols, operands, workers=1).run()


def test_the_made_up_maps_are_maps() -> None:
    for name in (
        "joint_sg16_8x16x16_bf16",
        "joint_sg8_8x8x16_fp16",
        "joint_sg16_8x16x32_int8",
        "joint_sg8_8x8x32_uint8",
    ):
        lanes = instruction(name)
        assert lanes.opaque and not lanes.faults()
        assert lanes.c != instruction(name.replace("joint", "dpas")).c
