# SPDX-License-Identifier: MIT
"""Copies from rows to columns: certified for every width and raggedness, and refused once a barrier or a mask is missing."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from tracea_core.doctor.presets import preset_target
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.spec import TensorSpec
from tracea_core.semantic.build.multistage_lanes import WARP
from tracea_core.semantic.build.sweep import sweep_configuration, sweep_kernel
from tracea_core.semantic.build.transpose import is_transposed
from tracea_core.semantic.index import Const
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel
from tracea_core.semantic.rewrite import replace_symbols
from tracea_core.semantic.steps import Access, Barrier, Let, Load, Node, Store
from tracea_core.semantic.sweep import LoweredSweep, lower_copy
from tracea_core.semantic.verify.certify import certify
from tracea_core.semantic.verify.cover import check_cover
from tracea_core.testing.edit import edited

H200 = preset_target("h200").profile


def copy(k: int, n: int, dtype: DType, batch: int = 0) -> LoweredSweep:
    """Return the copy of a row-major (k, n) operand into aligned rows along k."""
    step, line = 16 // dtype.bytes, 128 // dtype.bytes
    depth, row = -(-k // step) * step, -(-k // line) * line
    lead, strides, copied = ((batch,), (k * n,), (n * row,)) if batch else ((), (), ())
    spec = TensorSpec((*lead, k, n), dtype, (*strides, n, 1))
    return lower_copy("input1", spec, "copy1", TensorSpec(spec.shape, dtype, (*copied, 1, row)), -2, depth)


def built(lowered: LoweredSweep, alignment: int = 16) -> SemanticKernel:
    return sweep_kernel(lowered.form, sweep_configuration(lowered, H200, alignment), H200, "kernel")


@pytest.mark.parametrize(
    ("lowered", "alignment", "run"),
    [
        (copy(300, 200, DType.FP8_E4M3), 16, 4),
        (copy(300, 203, DType.INT8), 16, 1),
        (copy(130, 68, DType.INT8), 1, 1),
        (copy(130, 67, DType.FP32, batch=3), 4, 1),
        (copy(130, 68, DType.BF16), 16, 2),
        (copy(130, 67, DType.BF16, batch=2), 2, 1),
    ],
)
def test_transpositions_are_certified(lowered: LoweredSweep, alignment: int, run: int) -> None:
    assert is_transposed(lowered.form, H200) and lowered.form.title.startswith("transpose")
    kernel = built(lowered, alignment)
    assert kernel.configuration.vector_a == run
    assert certify(kernel, lowered.form, H200).proofs[-1].property == "meaning"


@pytest.mark.parametrize(("columns", "stored"), [(48, 4), (50, 2), (49, 1)])
def test_stores_are_as_wide_as_rows_of_the_target_are_aligned(columns: int, stored: int) -> None:
    """Rows of channels become planes of any number of pixels."""
    rows, planes = TensorSpec((columns, 40), DType.BF16, (40, 1)), TensorSpec((columns, 40), DType.BF16, (1, columns))
    lowered = lower_copy("stored", rows, "output", planes, -2, columns)
    kernel = built(lowered)
    assert kernel.configuration.vector_c == stored
    assert certify(kernel, lowered.form, H200).proofs[-1].property == "meaning"


def test_a_copy_holds_the_transposed_operand_and_zeros_beyond() -> None:
    lowered = copy(133, 70, DType.FP32)
    source = np.random.default_rng(3).standard_normal(133 * 70)
    out = interpreter(built(lowered), lowered.symbols, {"source": source, "out": np.zeros(70 * 160)}, 4, 1).run()["out"]
    held = out.reshape(70, 160)
    np.testing.assert_array_equal(held[:, :133], source.reshape(133, 70).T)
    assert (held[:, 133:136] == 0).all() and np.isnan(held[:, 136:]).all()


def _unmasked(node: Node) -> Node:
    return node.replace(guard=()) if isinstance(node, Load | Store) else node


def _swapped(node: Node) -> Node:
    """Warps take the rows of their neighbours in the rectangle, and store them as their own."""
    if isinstance(node, Load) and not isinstance(node.source, Access):
        return replace_symbols(node, {"warp": Const(7) - WARP})
    return node


FAULTS: dict[str, Callable[[Node], Node | None]] = {
    "read before it is deposited": lambda n: None if isinstance(n, Barrier) and n.name == "deposited" else n,
    "deposited before it is taken": lambda n: None if isinstance(n, Barrier) and n.name == "taken" else n,
    "edges are not masked": _unmasked,
    "padding is not zero": lambda n: n.replace(fill=1.0) if isinstance(n, Load) and n.guard else n,
    "warps take others' rows": _swapped,
}


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_refused(name: str) -> None:
    lowered = copy(300, 200, DType.INT8)
    with pytest.raises(CertificationError):
        certify(edited(built(lowered), FAULTS[name]), lowered.form, H200)


def test_a_kernel_does_not_say_by_itself_how_many_rows_of_tiles_there_are() -> None:
    """Whoever counts one row of tiles whatever the matrix leaves the others out, and the proof does not take its word."""
    lowered = copy(300, 200, DType.INT8)

    def one(node: Node) -> Node:
        return node.replace(value=Const(1)) if isinstance(node, Let) and node.name == "tile_rows" else node

    with pytest.raises(CertificationError, match="never computed"):
        check_cover(edited(built(lowered), one))


@pytest.mark.parametrize("change", [{"tile_n": 96}, {"warps": 5}, {"stages": 2}])
def test_configurations_that_do_not_fit_are_refused(change: dict[str, int]) -> None:
    lowered = copy(300, 200, DType.INT8)
    with pytest.raises(ConfigurationError, match="does not fit"):
        sweep_kernel(lowered.form, sweep_configuration(lowered, H200).replace(**change), H200, "kernel")
