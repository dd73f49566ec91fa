# SPDX-License-Identifier: MIT
"""Operators launched by their topologies give what their ops give, and tensors that are not what a topology says launch nothing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tracea_core.dtypes import DType
from tracea_core.errors import DeviceError, DTypeError, OptionError, ShapeError, UnsupportedError

import tracea
from tracea import DeviceBackend, OperatorTensors, OperatorTopology, RuntimeManager, TopologyKind, ops

rng = np.random.default_rng(3)


def draw(*shape: int) -> Any:
    return rng.standard_normal(shape).astype(np.float32)


def topology(m: int, n: int, k: int, kind: Any = None, op_type: str = "Gemm", **more: Any) -> OperatorTopology:
    return OperatorTopology(7, "mine", op_type, m, n, k, TopologyKind.Dense() if kind is None else kind, **more)


PATTERN = tracea.BlockPattern.from_mask(np.array([[1, 0, 1], [0, 1, 0]], bool), 8, 4)
Case = tuple[OperatorTopology, tuple[Any, ...], Any]


def cases() -> dict[str, Case]:
    a, b, q, k, v, x = draw(5, 7), draw(7, 9), draw(2, 3, 6, 8), draw(2, 3, 6, 8), draw(2, 3, 6, 8), draw(6, 12)
    many, low, high = draw(3, 5, 7), draw(7, 2), draw(2, 9)
    rows, weights = (2, 0, 4), draw(3, 12, 5)
    blocks, dense = draw(3, 8, 4), draw(5, 16)
    heads, scale = {"batch": 6, "first_depth": 8}, draw(12)
    return {
        "dense": (topology(5, 9, 7), (a, b), a @ b),
        "batched": (topology(5, 9, 7, batch=3), (many, b), many @ b),
        "low rank": (topology(5, 9, 7, TopologyKind.LowRank(r=2)), (a, low, high), a @ low @ high),
        "causal": (topology(6, 8, 6, TopologyKind.Causal(), **heads), (q, k, v), ops.attention(q, k, v, causal=True)),
        "windowed": (
            topology(6, 8, 6, TopologyKind.Windowed(2, 1), **heads), (q, k, v), ops.attention(q, k, v, left=2, right=1),
        ),
        "attention": (topology(6, 8, 6, op_type="Attention", **heads), (q, k, v), ops.attention(q, k, v)),
        "groups": (
            topology(6, 5, 12, TopologyKind.Grouped(rows)), (x, weights),
            np.concatenate([x[:2] @ weights[0], x[2:] @ weights[2]]),
        ),
        "blocks": (
            topology(5, 12, 16, TopologyKind.BlockSparse(8, 4, 0.5)), (dense, blocks, PATTERN),
            ops.block_sparse_matmul(dense, blocks, PATTERN),
        ),
        "softmax": (topology(6, 12, 1, TopologyKind.Rows(), "Softmax"), (x,), ops.softmax(x)),
        "norm": (topology(6, 12, 1, TopologyKind.Rows(), "RmsNorm"), (x, scale), ops.rms_norm(x, scale)),
    }  # fmt: skip


CASES = cases()


@pytest.mark.parametrize("name", CASES)
def test_a_topology_launches_its_op(name: str) -> None:
    told, inputs, expected = CASES[name]
    runtime = RuntimeManager(DeviceBackend.Cpu)
    (result,) = runtime.launch_with_policy([OperatorTensors(told, inputs)])
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    out = np.empty_like(result)
    (given,) = runtime.launch_with_policy([OperatorTensors(told, inputs, out, "relu")])
    assert given is out
    np.testing.assert_allclose(out, np.maximum(expected, 0), rtol=1e-4, atol=1e-4)


def test_operators_run_in_their_order_on_torch_tensors_too() -> None:
    torch = pytest.importorskip("torch")
    x, a, b = torch.randn(4, 8), torch.randn(8, 6), torch.randn(6, 3)
    middle = torch.empty(4, 6)
    first, second = topology(4, 6, 8), topology(4, 3, 6)
    rows = topology(4, 5, 8, TopologyKind.Grouped((1, 3)))
    weights = torch.randn(2, 8, 5)
    results = RuntimeManager("cpu").launch_with_policy(
        [
            OperatorTensors(first, (x, a), middle),
            OperatorTensors(second, (middle, b)),
            OperatorTensors(rows, (x, weights)),
        ]
    )
    torch.testing.assert_close(results[1], x @ a @ b)
    torch.testing.assert_close(results[2], torch.cat([x[:1] @ weights[0], x[1:] @ weights[1]]))
    assert results[0] is middle


WRONG: dict[str, tuple[OperatorTopology, tuple[Any, ...], type[Exception], str]] = {
    "shape": (topology(5, 9, 8), (draw(5, 7), draw(7, 9)), ShapeError, r"input 0 has shape \(5, 7\), the topology says \(5, 8\)"),
    "rank": (topology(5, 9, 7, TopologyKind.LowRank(3)), (draw(5, 7), draw(7, 2), draw(2, 9)), ShapeError, "input 1"),
    "batch": (topology(5, 9, 7, batch=2), (draw(3, 5, 7), draw(7, 9)), ShapeError, "are 3 matrices, the topology says 2"),
    "dtype": (topology(5, 9, 7, dtype=DType.BF16), (draw(5, 7), draw(7, 9)), DTypeError, "is fp32, the topology says bf16"),
    "count": (topology(5, 9, 7), (draw(5, 7),), OptionError, "takes 2 tensors, not 1"),
    "pattern": (
        topology(5, 12, 24, TopologyKind.BlockSparse(8, 4, 0.5)), (draw(5, 24), draw(3, 8, 4), PATTERN), ShapeError, "the pattern is of",
    ),
    "no pattern": (topology(5, 12, 16, TopologyKind.BlockSparse(8, 4, 0.5)), (draw(5, 16),) * 3, OptionError, "BlockPattern"),
    "op": (topology(5, 9, 7, op_type="Conv2d"), (draw(5, 7), draw(7, 9)), UnsupportedError, "does not say what is to be computed"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_launches_nothing(name: str) -> None:
    told, inputs, error, message = WRONG[name]
    untouched = np.full((5, 9), np.nan, np.float32)
    good = OperatorTensors(topology(5, 9, 7), (draw(5, 7), draw(7, 9)), untouched)
    with pytest.raises(error, match=message):
        RuntimeManager("cpu").launch_with_policy([good, OperatorTensors(told, inputs)])
    assert np.isnan(untouched).all()
    RuntimeManager("cpu").launch_with_policy([good])
    assert not np.isnan(untouched).any()


def test_the_policy_is_told_and_devices_must_agree() -> None:
    runtime = RuntimeManager(DeviceBackend.Cpu)
    told = topology(512, 512, 512)
    assert runtime.decide(told).heroes and repr(runtime) == "RuntimeManager('cpu')"
    monkey = RuntimeManager("cpu")
    monkey.device = "cuda:0"
    with pytest.raises(DeviceError, match="an input is on cpu, the runtime on cuda:0"):
        monkey.launch_with_policy([OperatorTensors(topology(5, 9, 7), (draw(5, 7), draw(7, 9)))])
