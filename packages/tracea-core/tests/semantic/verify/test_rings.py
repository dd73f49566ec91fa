# SPDX-License-Identifier: MIT
"""Every check of kernels with rings refuses the bug it exists for, and `certify` refuses them all."""

from __future__ import annotations

import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.problem import Options
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.index import Sym
from tracea_core.semantic.layout import Layout
from tracea_core.semantic.lower import lower
from tracea_core.semantic.ring_events import extent_names
from tracea_core.semantic.shared_plan import shared_plan
from tracea_core.semantic.steps import (
    AccumulatorFence,
    Acquire,
    AsyncLoad,
    AsyncMma,
    Expect,
    Extract,
    Let,
    ProxyFence,
    Release,
    Store,
    Transfer,
    Wait,
)
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.cover import check_cover
from tracea_core.semantic.verify.layouts import check_layouts
from tracea_core.semantic.verify.pipeline import check_pipeline
from tracea_core.semantic.verify.shared import _check_conflicts, check_shared
from tracea_core.semantic.verify.structure import check_domains
from tracea_core.testing.cases import gemm


def _refused(check, kernel, hopper, message):
    with pytest.raises(CertificationError, match=message):
        check(kernel, hopper.profile) if check is check_shared else check(kernel)
    with pytest.raises(CertificationError):
        certify(kernel, hopper.contraction(), hopper.profile)


def _ring(kernel, **fields):
    return kernel.replace(rings=(kernel.rings[0].replace(**fields),))


def _buffer(kernel, name, **fields):
    return kernel.replace(buffers=tuple(b.replace(**fields) if b.name == name else b for b in kernel.buffers))


def _role(kernel, name, **fields):
    return kernel.replace(roles=tuple(r.replace(**fields) if r.name == name else r for r in kernel.roles))


def test_shipped_kernels_pass(hopper):
    kernel = hopper.kernel(hopper.configuration(cluster=(2, 2), tile_n=112))
    names = [p.property for p in (*check_shared(kernel, hopper.profile), *check_cover(kernel), *check_pipeline(kernel))]
    assert names == ["addressing", "banks", "budgets", "cover", "pipeline"]


@pytest.mark.parametrize(
    "fields", [{"full_arrivals": 2}, {"empty_arrivals": 1}, {"transaction_bytes": 1024}, {"producer": "consumer"}]
)
def test_counts_are_derived_again(hopper, fields):
    kernel = hopper.kernel()
    with pytest.raises(CertificationError):
        check_pipeline(_ring(kernel, **fields))


@pytest.mark.parametrize(
    ("role", "change", "message"),
    [
        ("producer", lambda n: [] if isinstance(n, Acquire) else n, "without waiting"),
        ("consumer", lambda n: [] if isinstance(n, Acquire) else n, "without waiting"),
        ("consumer", lambda n: [] if isinstance(n, Release) else n, "fails: deadlock"),
        ("consumer", lambda n: n.replace(lag=0) if isinstance(n, Release) else n, "fails: "),
        ("producer", lambda n: n.replace(bytes=n.bytes - 16) if isinstance(n, Expect) else n, "announced"),
        (
            "producer",
            lambda n: (
                n.replace(target=n.target.replace(slot=(Sym("stage_slot") + 1) % 3)) if isinstance(n, AsyncLoad) else n
            ),
            "another slot",
        ),
        (
            "consumer",
            lambda n: n.replace(b=n.b.replace(slot=(Sym("stage_slot") + 1) % 3)) if isinstance(n, AsyncMma) else n,
            "another slot",
        ),
    ],
)
def test_pipeline_bugs(hopper, edit, role, change, message):
    _refused(check_pipeline, edit(hopper.kernel(), role, change), hopper, message)


@pytest.mark.parametrize(
    ("role", "change", "message"),
    [
        (
            "consumer",
            lambda n: n.replace(a=n.a.replace(swizzle_bytes=64)) if isinstance(n, AsyncMma) else n,
            "descriptor of 'a_tile'",
        ),
        (
            "consumer",
            lambda n: n.replace(b=n.b.replace(stride_bytes=2048)) if isinstance(n, AsyncMma) else n,
            "descriptor of 'b_tile'",
        ),
        (
            "consumer",
            lambda n: (
                n.replace(a=n.a.replace(coordinates=(n.a.coordinates[0] + 4, n.a.coordinates[1])))
                if isinstance(n, AsyncMma)
                else n
            ),
            "descriptor of 'a_tile'",
        ),
        (
            "producer",
            lambda n: n.replace(source=n.source.replace(swizzle_bytes=0)) if isinstance(n, AsyncLoad) else n,
            "box at",
        ),
        (
            "producer",
            lambda n: (
                n.replace(source=n.source.replace(strides=(n.source.strides[0], Sym("k"))))
                if isinstance(n, AsyncLoad)
                else n
            ),
            "multiple of 16 bytes",
        ),
    ],
)
def test_addressing_bugs(hopper, edit, role, change, message):
    _refused(check_shared, edit(hopper.kernel(), role, change), hopper, message)


def test_leading_bytes_of_transposed_operands(hopper, edit):
    kernel = hopper.kernel(hopper.configuration(tile_n=128), linear=False)
    check_shared(kernel, hopper.profile)
    broken = edit(
        kernel, "consumer", lambda n: n.replace(b=n.b.replace(leading_bytes=4096)) if isinstance(n, AsyncMma) else n
    )
    with pytest.raises(CertificationError, match="descriptor of 'b_tile'"):
        check_shared(broken, hopper.profile)


def test_swizzle_removed_everywhere_is_found_by_the_banks(hopper, edit):
    kernel = hopper.kernel()
    staging = next(b for b in kernel.buffers if b.name == "staging64")
    plain = Layout.row_major(*((axis.name, axis.extent) for axis in staging.layout.axes))
    broken = _buffer(kernel, "staging64", layout=plain)
    broken = edit(
        broken,
        "consumer",
        lambda n: (
            n.replace(target=n.target.replace(swizzle_bytes=0))
            if hasattr(n, "target") and hasattr(n.target, "swizzle_bytes")
            else n
        ),
    )
    _refused(check_shared, broken, hopper, "bank conflicts: 8 cycles")


def test_transposed_fragment_is_found(hopper):
    kernel = hopper.kernel()
    consumer = next(role for role in kernel.roles if role.name == "consumer")
    turned = tuple(f.replace(layout=f.layout.transposed()) if f.name == "result64" else f for f in consumer.fragments)
    _refused(check_shared, _role(kernel, "consumer", fragments=turned), hopper, "8×8 matrices")


def test_transposed_matrix_stores(hopper, edit):
    """Staged by columns: a store that goes by rows, one that does not transpose, and lanes that hold other rows are all found."""
    options = {"options": Options(exchanged=True)}
    kernel = hopper.kernel(hopper.configuration(64, 64), **options)
    check_shared(kernel, hopper.profile)
    contraction = hopper.contraction(**options)

    def by_rows(node):
        if not isinstance(node, Store):
            return node
        *leading, column, row = node.target.coordinates
        return node.replace(target=node.target.replace(coordinates=(*leading, row, column)))

    def plain(node):
        return node.replace(transfer=Transfer.MATRIX) if isinstance(node, Store) else node

    for change in (by_rows, plain):
        with pytest.raises(CertificationError):
            certify(edit(kernel, "consumer", change), contraction, hopper.profile)
    consumer = next(role for role in kernel.roles if role.name == "consumer")
    turned = tuple(f.replace(layout=f.layout.transposed()) if f.name == "result64" else f for f in consumer.fragments)
    with pytest.raises(CertificationError, match="8×8 matrices"):
        check_shared(_role(kernel, "consumer", fragments=turned), hopper.profile)
    unswizzled = next(b for b in kernel.buffers if b.name == "staging64").layout.axes
    rows = Layout.row_major(*((axis.name, axis.extent) for axis in unswizzled))
    with pytest.raises(CertificationError, match="bank conflicts"):
        _check_conflicts(_buffer(kernel, "staging64", layout=rows), hopper.profile)


def test_budgets(hopper):
    kernel = hopper.kernel()
    for broken, message in [
        (_role(kernel, "consumer", registers=248), "registers"),
        (_role(kernel, "consumer", registers=40), "needs"),
        (_role(kernel, "producer", registers=20), "budget"),
        (kernel.replace(launch=kernel.launch.replace(threads=256)), "threads"),
        (kernel.replace(launch=kernel.launch.replace(shared_bytes=1024)), "shared bytes"),
        (kernel.replace(launch=kernel.launch.replace(cluster=2)), "cluster"),
        (_buffer(kernel, "a_tile", alignment=256), "aligned to 256"),
    ]:
        with pytest.raises(CertificationError, match=message):
            check_shared(broken, hopper.profile)
    with pytest.raises(CertificationError, match="shared bytes"):
        check_shared(kernel, hopper.profile.replace(shared_bytes=65536))


def test_a_tile_order_that_skips_a_tile(hopper, edit):
    def skip(node):
        if isinstance(node, Let) and node.name == "tile":
            return node.replace(value=Sym("first") + Sym("round") * (Sym("clusters") + 1))
        return node

    for role in ("producer", "consumer"):
        _refused(check_cover, edit(hopper.kernel(), role, skip), hopper, "never computed")


@pytest.mark.parametrize("step", [ProxyFence, AccumulatorFence])
def test_missing_fences_fail_certification(hopper, edit, step):
    broken = edit(hopper.kernel(), "consumer", lambda n: [] if isinstance(n, step) else n)
    with pytest.raises(CertificationError, match="without a"):
        certify(broken, hopper.contraction(), hopper.profile)


def test_shifted_reduction_fails_certification(hopper, edit):
    def shift(node):
        if not isinstance(node, AsyncLoad):
            return node
        first, *rest = node.source.origin
        return node.replace(source=node.source.replace(origin=(first + 64, *rest)))

    with pytest.raises(CertificationError, match="wrong"):
        certify(edit(hopper.kernel(), "producer", shift), hopper.contraction(), hopper.profile)


def test_plan_places_buffers_by_alignment_and_barriers_last(hopper):
    kernel = hopper.kernel()
    plan = shared_plan(kernel.buffers, kernel.rings)
    assert all(offset % 1024 == 0 for _, offset in plan.buffers) and plan.alignment == 1024
    last = max(offset for _, offset in plan.buffers)
    assert dict(plan.full)["stage"] > last and dict(plan.empty)["stage"] == dict(plan.full)["stage"] + 8 * 3
    assert plan.bytes == dict(plan.empty)["stage"] + 8 * 3 + 1024 == kernel.launch.shared_bytes


@pytest.mark.parametrize(
    ("role", "fields", "message"),
    [
        ("producer", {"elected": False}, "all its threads"),
        ("consumer", {"elected": True}, "is one elected thread"),
        ("producer", {"lanes": 32}, "32 lanes"),
    ],
)
def test_who_acts(hopper, role, fields, message):
    broken = _role(hopper.kernel(), role, **fields)
    with pytest.raises(CertificationError, match=message):
        certify(broken, hopper.contraction(), hopper.profile)


def test_a_ring_that_does_not_guard_its_buffer(hopper):
    broken = _ring(hopper.kernel(), buffers=("a_tile",))
    _refused(check_pipeline, broken, hopper, "does not guard")


def test_blocks_are_whole_clusters_and_all_have_work(hopper):
    kernel = hopper.kernel(hopper.configuration(cluster=(2, 1)))
    for blocks in (kernel.launch.blocks + 1, kernel.launch.blocks * 2, kernel.launch.blocks * 0):
        broken = kernel.replace(launch=kernel.launch.replace(blocks=blocks))
        with pytest.raises(CertificationError, match="blocks for"):
            check_cover(broken)


@pytest.mark.parametrize("full", [62, 64])
def test_tile_counts_off_by_one_are_found_at_both_ends_of_a_tile(hopper, edit, full):
    def change(node):
        return (
            node.replace(value=(Sym("m") + full * 2) // 128)
            if isinstance(node, Let) and node.name == "tile_rows"
            else node
        )

    _refused(
        check_cover,
        edit(edit(hopper.kernel(), "producer", change), "consumer", change),
        hopper,
        "never computed|does not exist",
    )


def test_arguments_are_those_of_the_contraction(hopper):
    kernel, contraction = hopper.kernel(), hopper.contraction()
    wide = tuple(s.replace(minimum=-1) if s.name == "k" else s for s in kernel.symbols)
    other = tuple(p.replace(dtype=DType.FP16) if p.name == "a" else p for p in kernel.parameters)
    unaligned = tuple(p.replace(alignment=1) if p.name == "a" else p for p in kernel.parameters)
    for broken, message in [
        (kernel.replace(symbols=wide), "have no meaning"),
        (kernel.replace(symbols=kernel.symbols[1:]), "takes no 'm'"),
        (kernel.replace(parameters=other), "not the one of the contraction"),
        (kernel.replace(parameters=unaligned), "drops what its type needs"),
        (kernel.replace(parameters=kernel.parameters[1:]), "takes no"),
    ]:
        with pytest.raises(CertificationError, match=message):
            check_domains(broken, contraction)


def test_no_data_moves_between_lanes_in_registers(hopper, edit):
    kernel = hopper.kernel()
    consumer = next(role for role in kernel.roles if role.name == "consumer")
    layout = consumer.fragment("part64").layout
    bits = layout.atom.columns
    turned = layout.replace(atom=layout.atom.replace(columns=(*bits[:-2], bits[-1], bits[-2])))
    fragments = tuple(f.replace(layout=turned) if f.name == "part64" else f for f in consumer.fragments)
    with pytest.raises(CertificationError, match="does not hold"):
        check_layouts(_role(kernel, "consumer", fragments=fragments))
    with pytest.raises(CertificationError, match="no fixed one"):
        check_layouts(edit(kernel, "consumer", lambda n: n.replace(row=Sym("k")) if isinstance(n, Extract) else n))


@pytest.mark.parametrize(("kind", "field"), [(Wait, "pending"), (Release, "lag"), (Expect, "bytes")])
def test_counts_are_not_negative(hopper, edit, kind, field):
    broken = edit(hopper.kernel(), "producer" if kind is Expect else "consumer",
                  lambda n: n.replace(**{field: -1}) if isinstance(n, kind) else n)  # fmt: skip
    with pytest.raises(CertificationError, match=f"counts {field} below 0"):
        certify(broken, hopper.contraction(), hopper.profile)


def test_what_is_computed_transposed_counts_its_rows_by_n(hopper):
    contraction = lower(gemm((160, 1, 8), DType.FP16, "tn", (3,))).contraction
    assert contraction.m == Sym("n")
    configuration = hopper.configuration(tile_m=128, tile_n=64, cluster=(2, 1))
    kernel = specialized_kernel(contraction, configuration, hopper.profile, "cuda.contraction.wgmma", "gemm")
    assert extent_names(kernel) == ("n", "m")
    certify(kernel, contraction, hopper.profile)
