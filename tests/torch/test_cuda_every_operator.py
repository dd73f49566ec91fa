# SPDX-License-Identifier: MIT
"""Every operator under ``torch.ops.tracea`` on a GPU: captured, on another stream, on another device, by its fake. Needs a device."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)
pytestmark = pytest.mark.device

from tracea.torch.registration import OPERATORS  # noqa: E402

_SPEC = importlib.util.spec_from_file_location(
    "tracea_every_operator", Path(__file__).parent / "test_every_operator.py"
)
assert _SPEC is not None and _SPEC.loader is not None
table = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(table)

every = pytest.mark.parametrize("name", sorted(OPERATORS))
_LONG = 200_000_000  # cycles for which a stream does nothing: a tenth of a second


class Call:
    """The call of an operator that the table states, in 16 bits on a GPU."""

    def __init__(self, name: str, device: str = "cuda:0") -> None:
        case = table.CASES[name]()
        self.tensors = [self._there(t, device) for t in case.tensors]
        self.rest = ([self._there(t, device) for t in case.rest[0]], *case.rest[1:])
        self.operator = getattr(torch.ops.tracea, name).default
        self.first = self.tensors[0].clone()

    @staticmethod
    def _there(tensor: Any, device: str) -> Any:
        return tensor.to(device, torch.bfloat16 if tensor.dtype is torch.float64 else tensor.dtype)

    def __call__(self) -> Any:
        return self.operator(*self.tensors, *self.rest)

    def negate(self) -> None:
        """Let the first tensor be another one where it lies."""
        self.tensors[0].copy_((-self.first.float()).to(self.first.dtype))


def same(got: Any, expected: Any) -> bool:
    return bool(torch.equal(torch.isnan(got), torch.isnan(expected))) and bool(
        torch.allclose(got.float(), expected.float(), rtol=0.02, atol=0.02, equal_nan=True)
    )


@every
def test_a_captured_call_computes_again(name: str) -> None:
    call = Call(name)
    before = call().clone()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = call()
    call.negate()
    graph.replay()
    torch.cuda.synchronize()
    expected = call()
    assert same(out, expected) and not same(out, before)


@every
def test_work_follows_the_stream_that_is_current(name: str) -> None:
    """Input that a slow stream has yet to write is waited for by what is queued on it."""
    call = Call(name)
    before = call().clone()
    call.negate()
    expected = call().clone()
    call.tensors[0].copy_(call.first)
    torch.cuda.synchronize()
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        torch.cuda._sleep(_LONG)
        call.negate()
        got = call()
    stream.synchronize()
    assert same(got, expected) and not same(got, before)


@every
def test_fakes_have_the_layout_of_results(name: str) -> None:
    call = Call(name)
    checks = ("test_faketensor",)
    torch.library.opcheck(call.operator, (*call.tensors, *call.rest), test_utils=checks)
    assert call().device == call.tensors[0].device


@every
@pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
def test_another_device_than_the_current_one(name: str) -> None:
    here, there = Call(name)(), Call(name, "cuda:1")()
    assert there.device == torch.device("cuda:1") and same(there.cpu(), here.cpu())


@every
def test_tangents_are_those_of_a_processor(name: str) -> None:
    if not OPERATORS[name].recorded:
        pytest.skip("no gradients flow through it")
    case, call = table.CASES[name](), Call(name)

    def tangent(operator: Any, tensors: Any, rest: Any) -> Any:
        return torch.func.jvp(lambda first: operator(first, *tensors[1:], *rest), (tensors[0],), (tensors[0],))[1]

    expected = tangent(call.operator, case.tensors, case.rest)
    got = tangent(call.operator, call.tensors, call.rest).double().cpu()
    assert float((got - expected).norm()) < 0.03 * float(expected.norm()) + 0.03
