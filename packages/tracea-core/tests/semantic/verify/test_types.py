# SPDX-License-Identifier: MIT
"""Type faults that no run in float64 could show are refused, each by name."""

from __future__ import annotations

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError
from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant
from tracea_core.ops.named import parse_epilogue
from tracea_core.semantic.build.specialized import specialized_kernel
from tracea_core.semantic.steps import Compute, Store, Transfer
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.meaning import check_meaning
from tracea_core.semantic.verify.types import check_types, holds_all

EXACT = [DType.FP64, DType.FP32, DType.BF16, DType.FP16, DType.INT8, DType.UINT8, DType.INT32]


def _fragment(kernel, name, dtype):
    consumer = next(role for role in kernel.roles if role.name == "consumer")
    changed = tuple(f.replace(dtype=dtype) if f.name == name else f for f in consumer.fragments)
    assert changed != consumer.fragments
    return kernel.replace(roles=tuple(r.replace(fragments=changed) if r is consumer else r for r in kernel.roles))


def test_shipped_kernels_keep_their_types(hopper):
    proof = check_types(hopper.kernel(epilogue=True), hopper.contraction(epilogue=True))[0]
    assert proof.property == "types" and int(proof.evidence.split()[0]) > 20


@pytest.mark.parametrize(
    ("name", "dtype", "message"),
    [
        ("acc", DType.INT32, "'acc' holds int32"),
        ("result64", DType.FP16, "'result64' holds fp16, 'staging64' bf16"),
        ("part64", DType.INT32, "'part64' holds int32, 'acc' fp32"),
    ],
)
def test_fragments_of_another_type(hopper, name, dtype, message):
    broken = _fragment(hopper.kernel(), name, dtype)
    check_meaning(broken, hopper.contraction())  # every run is right, since it is in float64
    with pytest.raises(CertificationError, match=message):
        certify(broken, hopper.contraction(), hopper.profile)


def test_sums_are_not_rounded_on_their_way_out(hopper, edit):
    broken = edit(hopper.kernel(), "consumer", lambda n: n.replace(dtype=DType.INT32) if isinstance(n, Compute) else n)
    with pytest.raises(CertificationError, match="does not hold every fp32"):
        certify(broken, hopper.contraction(), hopper.profile)


def test_fast_functions_are_for_short_results(hopper, edit):
    kernel = hopper.kernel(out=DType.FP32)
    broken = edit(kernel, "consumer", lambda n: n.replace(approximate=True) if isinstance(n, Compute) else n)
    with pytest.raises(CertificationError, match="fast functions"):
        certify(broken, hopper.contraction(out=DType.FP32), hopper.profile)


def test_matrices_are_moved_in_shared_memory_only(hopper, edit):
    kernel = hopper.kernel(hopper.configuration(vector_c=2), aligned_out=False, out=DType.FP32)
    broken = edit(kernel, "consumer", lambda n: n.replace(transfer=Transfer.MATRIX) if isinstance(n, Store) else n)
    with pytest.raises(CertificationError, match="outside shared memory"):
        certify(broken, hopper.contraction(aligned_out=False, out=DType.FP32), hopper.profile)


@pytest.mark.parametrize("wide", EXACT)
@pytest.mark.parametrize("narrow", EXACT)
def test_what_holds_what(wide, narrow):
    """Compared with the values themselves: the extremes, 1 plus or minus a unit, the smallest, a large odd integer."""
    step = narrow.eps * 2 if narrow.is_float else 1.0
    values = [narrow.largest, narrow.lowest, 1.0 + step, narrow.smallest, narrow.largest - step * narrow.largest / 2]
    values = [float(v) for v in narrow.decode(narrow.encode(values))]
    with np.errstate(all="ignore"):
        kept = [float(v) for v in wide.decode(wide.encode(values))] == values
    assert holds_all(wide, narrow) == kept


def test_an_expression_is_untouched_by_the_edit(hopper):
    consumer = next(role for role in hopper.kernel().roles if role.name == "consumer")
    found = [node for loop in consumer.body if hasattr(loop, "body") for node in loop.body if isinstance(node, Compute)]
    assert found and found[0].expr == Accumulator(0)


def test_another_form_is_the_known_one(hopper, edit):
    """What is evaluated in an expression's place is derived again; a coefficient that is off is found."""
    contraction = hopper.contraction().replace(epilogue=parse_epilogue("gelu"))
    kernel = specialized_kernel(contraction, hopper.configuration(), hopper.profile, "test", "gelu")
    certify(kernel, contraction, hopper.profile)

    def off(node):
        if not isinstance(node, Compute):
            return node
        return node.replace(approximate=Binary(BinaryFn.ADD, node.approximate, Constant(1e-3)))

    with pytest.raises(CertificationError, match="another expression"):
        certify(edit(kernel, "consumer", off), contraction, hopper.profile)
