# SPDX-License-Identifier: MIT
"""Products of a few rows by lanes: equal to the reference at every edge, certified on all lanes, and planted faults are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from msgspec import UNSET
from tracea_core.doctor.few_rows import few_rows_variant
from tracea_core.doctor.presets import preset
from tracea_core.dtypes import DType
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.ops.named import parse_epilogue
from tracea_core.ops.problem import Problem
from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.semantic.build.schedules import build_kernel
from tracea_core.semantic.index import Const, IndexFn, IndexOp
from tracea_core.semantic.interpret_block import interpreter
from tracea_core.semantic.kernel import SemanticKernel, walk
from tracea_core.semantic.lower import Lowered
from tracea_core.semantic.lower_gemm import lower_gemm
from tracea_core.semantic.row_steps import Fold
from tracea_core.semantic.steps import Barrier, Compute, Extract, Fill, If, Let, Load, Loop, Node, Store
from tracea_core.semantic.verify.certify import certify
from tracea_core.testing.cases import dense, gemm
from tracea_core.testing.edit import Edit, edited

FP32 = DType.FP32


def product(m: int, n: int, k: int, layout: str = "nt", epilogue: str = "", **fields: Any) -> Problem:
    chain = parse_epilogue(epilogue)
    shapes = {"bias": (n,), "residual": (m, n)}
    extra = tuple(dense(shapes[operand.name], FP32) for operand in chain.operands)
    return gemm((m, n, k), FP32, layout, epilogue=chain, extra=extra, **fields)


def shares(
    rows: int, columns: int, step: int, warps: int, runs: tuple[int, int] = (4, 4), unroll: int = 1
) -> PipelineConfig:
    return PipelineConfig(
        tile_m=rows, tile_n=columns, tile_k=step, stages=1, warps=warps, vector_a=runs[0], vector_b=runs[1], unroll_k=unroll
    )  # fmt: skip


KINDS: dict[str, tuple[Problem, PipelineConfig]] = {
    "one row": (product(1, 37, 300), shares(1, 4, 128, 2, unroll=2)),
    "rows beyond the last": (product(3, 21, 72), shares(4, 16, 32, 4)),
    "two tiles of rows": (product(9, 21, 72), shares(8, 8, 32, 2)),
    "more rows than warps": (product(8, 18, 40), shares(8, 8, 64, 2)),
    "one warp": (product(2, 40, 64), shares(2, 16, 32, 1, unroll=2)),
    "many warps": (product(1, 5, 1000), shares(1, 2, 128, 16)),
    "single elements": (product(5, 33, 41), shares(8, 4, 32, 4, (1, 1), 4)),
    "narrow weights": (product(2, 33, 44), shares(2, 8, 64, 2, (4, 2))),
    "columns": (product(2, 72, 44, "nn"), shares(2, 16, 32, 4)),
    "columns of a line": (product(7, 100, 36, "nn"), shares(8, 32, 16, 4)),
    "single columns": (product(3, 71, 45, "nn"), shares(4, 16, 4, 2, (1, 1), 4)),
    "columns by pairs of rows": (product(1, 44, 34, "nn"), shares(1, 8, 32, 2, (2, 4))),
    "an epilogue": (product(5, 44, 72, "nt", "bias,residual,relu"), shares(8, 16, 32, 8)),
    "an epilogue of several turns": (product(5, 44, 72, "nn", "bias,residual,relu"), shares(8, 16, 32, 2)),
    "a batch": (product(2, 20, 64, batch=(3,)), shares(2, 8, 64, 1)),
    "a column": (product(50, 1, 64, "nn"), shares(1, 16, 32, 1)),
}


def lowered(problem: Problem) -> Lowered:
    return lower_gemm(problem)


def built(problem: Problem, configuration: PipelineConfig, device: str = "h200") -> tuple[SemanticKernel, Lowered]:
    found = lowered(problem)
    return build_kernel(found.form, configuration, preset(device), few_rows_variant("cuda")), found


@pytest.mark.parametrize("name", KINDS)
def test_certified_and_equal_to_the_reference(name: str) -> None:
    kernel, found = built(*KINDS[name])
    certify(kernel, found.form, preset("h200"))
    problem, random = KINDS[name][0], np.random.default_rng(5)
    specs = {"input0": problem.inputs[0], "input1": problem.inputs[1], "output": problem.output}
    specs |= {f"epilogue{slot}": spec for slot, spec in enumerate(problem.epilogue_inputs)}
    values = {what: random.integers(-9, 9, spec.shape).astype(np.float64) for what, spec in specs.items()}
    held = dict(zip((p.name for p in kernel.parameters), found.operands, strict=True))
    memory = {place: in_memory(values[what], specs[what].strides) for place, what in held.items()}
    result = interpreter(kernel, found.symbols, memory, 2, seed=1).run()["out"]
    expected = values["input0"] @ values["input1"]
    if problem.epilogue_inputs:
        expected = np.maximum(expected + values["epilogue0"] + values["epilogue1"], 0)
    assert np.array_equal(result, in_memory(expected, problem.output.strides))


def in_memory(values: npt.NDArray[np.float64], strides: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Elements where they lie; there are none between them."""
    order = np.argsort([-stride for stride in strides], kind="stable")
    return np.ascontiguousarray(values.transpose(order)).reshape(-1)


@pytest.mark.parametrize("device", ["mi300x", "m1", "pvc", "a100", "t4"])
@pytest.mark.parametrize("layout", ["nt", "nn"])
@pytest.mark.parametrize("rows", [1, 6, 16])
def test_what_the_policy_chooses_is_certified_on_other_devices(device: str, layout: str, rows: int) -> None:
    problem, profile = product(rows, 4096, 1024, layout, "bias,residual,relu"), preset(device)
    hero = PolicyEngine(profile).decide(problem, few_rows_variant("cuda")).hero
    kernel, found = built(problem, hero, device)
    assert kernel.roles[0].lanes == profile.lanes
    certify(kernel, found.form, profile)


REFUSED = [
    (product(2, 64, 64), shares(2, 64, 32, 2), "lanes do not share 64 columns"),
    (product(2, 64, 64), shares(2, 2, 32, 2), "lanes do not share 2 columns"),
    (product(2, 64, 64), shares(2, 8, 256, 2), "do not share"),
    (product(2, 64, 64), shares(3, 8, 64, 2), "powers of two"),
    (product(2, 64, 64), shares(2, 8, 64, 2, (8, 4)), "runs of up to 16 bytes"),
    (product(2, 64, 64), shares(2, 8, 32, 2, (2, 4)), "no longer runs than rows"),
    (product(2, 64, 64, "tt"), shares(2, 8, 64, 2), "rows run along the reduction"),
    (product(2, 64, 64, b=dense((64, 64), FP32, step=2)), shares(2, 8, 64, 2), "weights along it"),
    (product(2, 64, 64), shares(2, 8, 64, 2).replace(split_k=2), "a block alone"),
    (product(2, 64, 64), shares(2, 8, 64, 2).replace(cluster_n=2), "a block alone"),
    (product(2, 64, 64), shares(16, 32, 16, 8, unroll=4), "registers"),
    (gemm((2, 64, 64), DType.BF16, "nt"), shares(2, 8, 64, 2), "of the type of the sums"),
    (product(2, 64, 64, epilogue="swiglu"), shares(2, 8, 64, 2), "without gates"),
]


@pytest.mark.parametrize(("problem", "configuration", "words"), REFUSED)
def test_refused_with_a_reason(problem: Problem, configuration: PipelineConfig, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        built(problem, configuration)


def test_weights_are_asked_for_before_rows_and_operands_before_all() -> None:
    """The order in which loads are printed is that in which compilers, which move few of them far, start them."""
    kernel, _ = built(*KINDS["an epilogue"])
    loads = [node.fragment for node in walk(kernel.roles[0].body) if isinstance(node, Load)]
    assert loads[:4] == ["bias_0_held", "residual_1_held", "weights", "row"]


# ---- planted faults


def changed(name: str, by: int) -> Edit:
    """A named number is more."""

    def edit(node: Node) -> Node | None:
        if not (isinstance(node, Let) and node.name == name):
            return node
        return node.replace(value=IndexOp(IndexFn.ADD, node.value, Const(by)))

    return edit


def without_tests(kind: type[Load] | type[Store], fragment: str) -> Edit:
    def edit(node: Node) -> Node | None:
        return node.replace(guard=()) if isinstance(node, kind) and node.fragment == fragment else node

    return edit


def without(*kinds: type[Node]) -> Edit:
    return lambda node: None if isinstance(node, kinds) else node


def without_barrier(name: str) -> Edit:
    return lambda node: None if isinstance(node, Barrier) and node.name == name else node


def one_warp_less(node: Node) -> Node | None:
    """A warp's steps begin with the next one's."""
    return (
        node.replace(start=IndexOp(IndexFn.ADD, node.start, Const(1)))
        if isinstance(node, Loop) and node.var == "step"
        else node
    )


def another_place(node: Node) -> Node | None:
    """A row's second element meets the first one of the weights."""
    return node.replace(operands=("row0_0",)) if isinstance(node, Compute) and node.operands == ("row0_1",) else node


def another_row(node: Node) -> Node | None:
    """The second row's products are added to the first one's."""
    return (
        node.replace(target="sums0", accumulators=("sums0", "factors"))
        if isinstance(node, Compute) and node.target == "sums1"
        else node
    )


def another_part(node: Node) -> Node | None:
    """Weights are those of one place further back, but for the first."""
    if not (isinstance(node, Extract) and node.target == "factors" and isinstance(node.column, Const)):
        return node
    return node.replace(column=Const(max(node.column.value - 1, 0)))


def neighbours(node: Node) -> Node | None:
    """What is multiplied together are neighbouring places of a step, of the first lanes, not one place of each lane."""
    return node.replace(every=UNSET) if isinstance(node, Extract) else node


def of_all(node: Node) -> Node | None:
    """Every warp stores, whether the block has its row or not."""
    return node.replace(guard=()) if isinstance(node, If) else node


FAULTS: dict[str, Edit] = {
    "a column later": changed("at_column", 1),
    "a row later": changed("at_row0", 1),
    "one step more": changed("whole_steps", 1),
    "one step less": changed("whole_steps", -1),
    "the end of the reduction unmasked": without_tests(Load, "weights"),
    "columns beyond the last stored": without_tests(Store, "result"),
    "sums not begun": without(Fill),
    "sums not joined": without(Fold),
    "nothing waits for what warps found": without_barrier("found"),
    "what warps found is overwritten": without_barrier("stored"),
    "steps begin later": one_warp_less,
    "places mixed up": another_place,
    "rows mixed up": another_row,
    "parts mixed up": another_part,
    "parts that are neighbours": neighbours,
    "rows that are not there": of_all,
}


@pytest.mark.parametrize("name", FAULTS)
@pytest.mark.parametrize("kind", ["rows beyond the last", "columns of a line"])
def test_a_planted_fault_is_refused(name: str, kind: str) -> None:
    problem, configuration = KINDS[kind]
    kernel, found = built(problem, configuration)
    wrong = edited(kernel, FAULTS[name])
    with pytest.raises(CertificationError):
        certify(wrong, found.form, preset("h200"))
