# SPDX-License-Identifier: MIT
"""Each way of dividing an operator's tensors, taken by hand: parts computed one by one and put together are the whole result."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

torch = pytest.importorskip("torch")

from tracea.torch import sharding  # noqa: E402
from tracea.torch.registration import OPERATORS  # noqa: E402
from tracea.torch.sharding import PARTIAL, Call, Way  # noqa: E402

_PROCESS = Path(__file__).with_name("sharded.py")
_PARTS = 2


def draw(*shape: int, seed: int = 0) -> Any:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + sum(shape)))


class Case(NamedTuple):
    """Arguments of an operator, and the results that its ways should have."""

    name: str
    tensors: tuple[Any, ...]
    operands: tuple[Any, ...]
    text: str
    settings: tuple[Any, ...]
    results: tuple[Any, ...]


ONCE = ([1, 1], [1, 1], [1, 1])
CASES = {
    "linear": Case("linear", (draw(2, 4, 6), draw(8, 6)), (), "", ("",), (None, 0, 1, 2, PARTIAL)),
    "linear, bias": Case("linear", (draw(4, 6), draw(8, 6)), (draw(8),), "bias", ("",), (None, 0, 1, PARTIAL)),
    "linear, all": Case(
        "linear", (draw(4, 6), draw(8, 6)), (draw(8), draw(4, 8)), "bias,residual,gelu", ("",), (None, 0, 1)
    ),
    "linear, gate": Case("linear", (draw(4, 6), draw(8, 6)), (draw(4), draw(4)), "bias,swiglu", ("",), (None, 0)),
    "linear, row scale": Case("linear", (draw(4, 6), draw(8, 6)), (draw(4),), "row_scale", ("",), (None, 0, 1)),
    "matmul": Case("matmul", (draw(4, 6), draw(6, 8)), (), "", (None, False, False, ""), (None, 0, 1, PARTIAL)),
    "matmul, batched": Case(
        "matmul", (draw(4, 2, 6), draw(1, 6, 8)), (draw(4, 2, 8),), "residual", (None, False, False, ""), (None, 0, 1, 2, PARTIAL)
    ),
    "matmul, in order": Case("matmul", (draw(4, 6), draw(6, 8)), (), "", (None, True, False, ""), (None, 0, 1)),
    "conv2d": Case(
        "conv2d", (draw(2, 4, 5, 5), draw(6, 4, 3, 3)), (draw(6),), "bias", (*ONCE, 1, ""), (None, 0, 1, PARTIAL)
    ),
    "conv2d, groups": Case("conv2d", (draw(2, 4, 5, 5), draw(6, 2, 3, 3)), (), "relu", (*ONCE, 2, ""), (None, 0)),
    "conv_transpose2d": Case(
        "conv_transpose2d", (draw(2, 4, 3, 3), draw(4, 6, 3, 3)), (), "", ([2, 2], [1, 1], [0, 0], [1, 1], 1, ""),
        (None, 0, 1, PARTIAL),
    ),
    "conv2d_filters": Case(
        "conv2d_filters", (draw(2, 4, 5, 5), draw(2, 6, 5, 5)), (), "", ([3, 3], *ONCE, 1, 1, "", "torch"),
        (None, PARTIAL, 0, 1),
    ),
    "conv2d_filters, parts": Case(
        "conv2d_filters", (draw(2, 4, 5, 5), draw(2, 6, 5, 5)), (), "", ([3, 3], *ONCE, 1, 2, "", "torch"), (None,)
    ),
    "attention": Case(
        "attention", (draw(2, 4, 3, 4), draw(2, 2, 3, 4), draw(2, 2, 3, 4, seed=1)), (), "", (True, None, None, None, ""),
        (None, 0, 1),
    ),
    "attention, one head of keys": Case(
        "attention", (draw(2, 4, 3, 4), draw(2, 1, 3, 4), draw(2, 1, 3, 4, seed=1)), (), "", (True, None, None, None, ""),
        (None, 0),
    ),
    "low_rank_mlp": Case("low_rank_mlp", (draw(4, 6), draw(6, 2), draw(2, 8)), (), "", ("gelu", ""), (None, 0, 1, PARTIAL)),
    "softmax": Case("softmax", (draw(2, 4, 7),), (), "", (True, 0.5, None, ""), (None, 0, 1)),
    "norm": Case("norm", (draw(4, 7), draw(7), None), (), "", ("layer", 1e-5, None, ""), (None, 0)),
    "norm, residual": Case("norm", (draw(4, 7), None, None), (draw(4, 7),), "residual", ("rms", 1e-5, None, ""), (None, 0)),
}  # fmt: skip


def stated(case: Case) -> Call:
    tensors = tuple(None if tensor is None else tuple(tensor.shape) for tensor in case.tensors)
    return Call(tensors, tuple(tuple(operand.shape) for operand in case.operands), case.text, case.settings, _PARTS)


def part(tensor: Any, place: Any, process: int) -> Any:
    """What one process holds."""
    if place is None:
        return tensor
    if place == PARTIAL:
        return tensor if process == 0 else torch.zeros_like(tensor)
    return tensor.chunk(_PARTS, place)[process]


def together(case: Case, way: Way) -> Any:
    """The result of all processes."""
    results = []
    for process in range(_PARTS):
        places = iter(way.tensors)
        tensors = [None if tensor is None else part(tensor, next(places), process) for tensor in case.tensors]
        operands = [part(tensor, place, process) for tensor, place in zip(case.operands, way.operands, strict=True)]
        operator = getattr(torch.ops.tracea, case.name).default
        results.append(operator(*tensors, operands, case.text, *case.settings))
    if way.result is None:
        return results[0]
    return sum(results) if way.result == PARTIAL else torch.cat(results, way.result)


def agrees(case: Case) -> bool:
    """Whether every way gives the result of one process."""
    whole = together(case, Way(None, (None,) * len(stated(case).given), (None,) * len(case.operands)))
    found = [together(case, way) for way in sharding.ways(case.name, stated(case))]
    return all(each.shape == whole.shape and torch.allclose(each, whole, atol=1e-9) for each in found)


@pytest.mark.parametrize("title", sorted(CASES))
def test_parts_make_up_the_whole(title: str) -> None:
    case = CASES[title]
    assert agrees(case)
    assert [way.result for way in sharding.ways(case.name, stated(case))] == list(case.results)


@pytest.mark.parametrize(
    ("title", "attribute", "value"),
    [
        ("linear, all", "_only_adds", lambda text, epilogue: True),
        ("matmul, batched", "_place", lambda *given: None),
        ("linear, gate", "_only_adds", lambda text, epilogue: True),
    ],
)
def test_a_way_that_is_none_would_be_seen(
    monkeypatch: pytest.MonkeyPatch, title: str, attribute: str, value: Any
) -> None:
    monkeypatch.setattr(sharding, attribute, value)
    try:
        assert not agrees(CASES[title])
    except Exception as error:  # a kernel refuses parts that do not fit
        assert "shape" in str(error).lower() or "operand" in str(error).lower(), error


def test_a_constant_is_not_added_by_each_process() -> None:
    from tracea_core.ops.epilogue import Epilogue
    from tracea_core.ops.expr import Accumulator, Binary, BinaryFn, Constant

    from tracea.torch.epilogues import text_of

    text = text_of(Epilogue(Binary(BinaryFn.ADD, Accumulator(), Constant(1.0))))
    case = CASES["linear"]._replace(text=text)
    assert PARTIAL not in [way.result for way in sharding.ways("linear", stated(case))] and agrees(case)


def test_other_operators_are_not_divided() -> None:
    others = set(OPERATORS) - set(sharding._RULES)
    assert others == {
        "block_sparse_matmul",
        "grouped_matmul",
        "grouped_outer",
        "masked_attention",
        "scaled_matmul",
        "scaled_grouped_matmul",
    }
    call = Call(((4, 6), (6, 8), (2,)), (), "", (), _PARTS)
    assert sharding.ways("grouped_matmul", call) == [Way(None, (None, None, None))]


def told(folder: Path) -> list[dict[str, Any]]:
    """What two processes say."""
    command = [sys.executable, str(_PROCESS)]
    running = [
        subprocess.Popen(
            [*command, str(rank), str(folder / "store")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for rank in (0, 1)
    ]
    try:
        said = [process.communicate(timeout=240) for process in running]
    finally:
        for process in running:
            process.kill()
    assert not any(process.returncode for process in running), said[0][1] + said[1][1]
    return [json.loads(out.splitlines()[-1]) for out, _ in said]


@pytest.mark.skipif(
    not (torch.distributed.is_available() and torch.distributed.is_gloo_available()), reason="this PyTorch has no gloo"
)
def test_two_processes_hold_distributed_tensors(tmp_path: Path) -> None:
    pytest.importorskip("torch.distributed.tensor")
    for each in told(tmp_path):
        assert each["placed"] == {
            "rows": "S(0)", "columns": "S(1)", "summed": "P", "bent": "R or S", "normed": "S(0)", "attended": "S(1)",
        }  # fmt: skip
        assert max(each["apart"].values()) < 1e-9, each["apart"]
        assert each["trained"] < 1e-9 < 1e-3 < each["moved"]
        assert each["kernels"] >= 4
