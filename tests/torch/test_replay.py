# SPDX-License-Identifier: MIT
"""Repeated products take the shortest way, and every change that another plan or a check would answer to leaves it."""

from __future__ import annotations

import ctypes
import types
from collections.abc import Iterator
from typing import Any

import pytest
from tracea_core.errors import AlignmentError
from tracea_core.runtime.prepared import MOVED
from tracea_core.runtime.prepared import prepared as made_ready

import tracea
from tracea import ops
from tracea.dispatch import forget_plans

torch = pytest.importorskip("torch")
from tracea.torch import functional, replay  # noqa: E402  (torch may be missing)


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    forget_plans()
    yield
    forget_plans()


@pytest.fixture
def prepared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes each call that takes the long way."""
    seen: list[str] = []
    into = functional._into

    def noted(*arguments: Any) -> Any:
        seen.append(arguments[0])
        return into(*arguments)

    monkeypatch.setattr(functional, "_into", noted)
    return seen


def matrices() -> tuple[Any, Any, Any]:
    return torch.randn(7, 5), torch.randn(5, 6), torch.full((7, 6), float("nan"))


def check(a: Any, b: Any, out: Any) -> None:
    out.fill_(float("nan"))
    assert ops.matmul(a, b, out=out) is out
    torch.testing.assert_close(out, a @ b)


def test_only_the_first_call_is_prepared(prepared: list[str]) -> None:
    for _ in range(3):
        check(*matrices())
    assert prepared == ["matmul"]


def test_other_strides_shapes_and_types_are_other_calls(prepared: list[str]) -> None:
    a, b, out = matrices()
    check(a, b, out)
    check(torch.randn(5, 7).t(), b, out)
    check(a, b, torch.empty(6, 7).t())
    check(torch.randn(3, 5), b, torch.empty(3, 6))
    check(a.double(), b.double(), out.double())
    square = torch.randn(5, 5)
    check(square, square.clone(), torch.empty(5, 5))
    square.t_()  # the same object, other strides
    check(square, square.clone(), torch.empty(5, 5))
    assert len(prepared) == 7


def test_overlap_is_found_on_the_short_way_too() -> None:
    a, b, out = torch.randn(6, 6), torch.randn(6, 6), torch.empty(6, 6)
    check(a, b, out)
    kept = a.clone()
    with pytest.raises(tracea.AliasError):
        ops.matmul(a, b, out=a)
    assert torch.equal(a, kept)
    block = torch.randn(72)
    with pytest.raises(tracea.AliasError):
        ops.matmul(block[:36].view(6, 6), b, out=block[30:66].view(6, 6))


def test_what_the_call_asks_for_besides_takes_the_long_way(prepared: list[str]) -> None:
    a, b, out = matrices()
    check(a, b, out)
    prepared.clear()
    ops.matmul(a, b, out=out, epilogue="relu")
    torch.testing.assert_close(out, (a @ b).relu())
    ops.matmul(a, b, out=out, alpha=2.0)
    torch.testing.assert_close(out, 2 * (a @ b))
    ops.matmul(a, b, out=out, backend="cpu")
    assert len(prepared) == 3
    with pytest.raises(tracea.OptionError):
        ops.matmul(a, b, out=out, fallback="nonsense")


def test_a_named_type_of_the_result_takes_the_short_way_and_another_one_the_long(prepared: list[str]) -> None:
    a, b, out = (x.to(torch.bfloat16) for x in matrices())
    wide = torch.empty(7, 6)
    for _ in range(3):
        ops.matmul(a, b, out=wide, out_dtype="fp32")
        ops.matmul(a, b, out=out)
    assert prepared == ["matmul", "matmul"]
    torch.testing.assert_close(wide, a.float() @ b.float(), rtol=1e-3, atol=1e-3)
    with pytest.raises(tracea.DTypeError):  # what was planned for fp32 does not answer for a call that names no type
        ops.matmul(a, b, out=wide)
    with pytest.raises(tracea.DTypeError):
        ops.matmul(a, b, out=wide, out_dtype="bf16")
    with pytest.raises(tracea.DTypeError, match="unknown dtype"):
        ops.matmul(a, b, out=wide, out_dtype="bf17")


def test_fast_sums_are_plans_of_their_own(prepared: list[str]) -> None:
    a, b, _ = (x.to(torch.float8_e4m3fn) for x in matrices())
    out = torch.empty(7, 6)
    for _ in range(3):
        ops.matmul(a, b, out=out, out_dtype="fp32", fast_accumulation=True)
        ops.matmul(a, b, out=out, out_dtype="fp32")
    assert prepared == ["matmul", "matmul"]
    real, other, wide = matrices()
    check(real, other, wide)
    with pytest.raises(tracea.OptionError, match="sums of fp8"):
        ops.matmul(real, other, out=wide, fast_accumulation=True)


def test_gradients_are_recorded() -> None:
    a, b, out = matrices()
    check(a, b, out)
    a.requires_grad_()
    result = ops.matmul(a, b, out=torch.empty(7, 6))
    result.sum().backward()
    torch.testing.assert_close(a.grad, b.sum(1).expand(7, 5))


def test_many_addresses_are_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(replay, "_SETS", 3)
    outs = [torch.empty(7, 6) for _ in range(8)]
    a, b, _ = matrices()
    for out in outs * 2:
        check(a, b, out)


def test_forgotten_plans_are_not_replayed(prepared: list[str]) -> None:
    check(*matrices())
    forget_plans()
    check(*matrices())
    assert len(prepared) == 2


class Bound:
    """A launch bound to three tensors as on a device; counts how often it is queued, and returns `code`."""

    def __init__(self, a: Any, b: Any, out: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queued, self.code, self.stream = 0, 0, 7
        pointers = (a.data_ptr(), b.data_ptr(), out.data_ptr())
        check = replay.checker(a, b, out)
        assert check is not None, "this PyTorch has the check that replay relies on"
        replay._bound[pointers] = replay._Bound(
            check, any(t.requires_grad for t in (a, b, out)), replay._deterministic(), 0, {7: (self, None)}, {}
        )
        monkeypatch.setattr(replay, "_stream_of", lambda device: self.stream)

    def __call__(self) -> int:
        self.queued += 1
        return self.code


def test_bound_launches_are_queued_by_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, out = matrices()
    bound = Bound(a, b, out, monkeypatch)
    for _ in range(3):
        assert ops.matmul(a, b, out=out) is out
    assert bound.queued == 3 and torch.isnan(out).all(), "nothing else ran"


def test_the_last_launch_is_queued_on_its_stream_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, out = matrices()
    bound, other = Bound(a, b, out, monkeypatch), Counted()
    pointers = (a.data_ptr(), b.data_ptr(), out.data_ptr())
    replay._bound[pointers].calls[8] = (other, None)
    for stream, expected in ((7, (1, 0)), (7, (2, 0)), (8, (2, 1)), (8, (2, 2)), (7, (3, 2))):
        bound.stream = stream
        assert ops.matmul(a, b, out=out) is out
        assert (bound.queued, other.queued) == expected and replay._last[out.data_ptr()][4] == stream
    bound.code = 700
    ops.matmul(a, b, out=out)
    assert not torch.isnan(out).any(), "what a driver refuses takes the way of any other call"


@pytest.mark.parametrize("in_c", [False, True])
def test_a_call_is_for_tensors_that_are_where_they_were(monkeypatch: pytest.MonkeyPatch, in_c: bool) -> None:
    called: list[int] = []
    function = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(lambda word: called.append(word) or 5)
    if not in_c:
        monkeypatch.setattr(replay, "_address_of", 0)
    a, b, weight = torch.randn(4), torch.randn(8), torch.nn.Parameter(torch.randn(4))
    call = replay.where_they_are(made_ready(function, 3), (a, b[2:], "x", weight))
    if in_c and isinstance(call, types.FunctionType):
        pytest.skip("no built-in function can be made here")
    assert call(a, b[2:4], None, weight) == call(a, b[2:], "y", weight) == 5 and called == [3, 3]
    assert isinstance(call, types.BuiltinFunctionType) is in_c
    for given in ((a, b, "x", weight), (a, b[2:], "x", weight.data), (weight, b[2:], "x", a), (1, b[2:], "x", weight)):
        assert call(*given) == MOVED
    assert called == [3, 3]
    own = a.as_subclass(type("Own", (torch.Tensor,), {}))
    call = replay.where_they_are(made_ready(function, 4), (own,))
    assert (call(own), call(a), call(own[1:])) == (5, MOVED, MOVED), "no tensor may be anywhere"


class Counted:
    """Counts how often it is called, and returns 0."""

    queued = 0

    def __call__(self) -> int:
        self.queued += 1
        return 0


def test_whatever_changes_a_tensor_leaves_the_bound_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    square = torch.randn(5, 5)
    a, b, out = square, torch.randn(5, 5), torch.empty(5, 5)
    bound = Bound(a, b, out, monkeypatch)
    ops.matmul(a, b, out=out)
    assert bound.queued == 1 and replay._last, "from here on it is the last launch, too"
    bound.queued = 0
    changes = (
        lambda: (a.t(), b, out), lambda: (a[:3], b, out[:3]), lambda: (a, b.view(torch.int32), out),
        lambda: (torch._neg_view(a), b, out), lambda: (a, torch.nn.Parameter(b), out),
    )  # fmt: skip
    for change in changes:
        tensors = change()
        assert tensors[0].data_ptr() == a.data_ptr()
        check = replay._bound[(a.data_ptr(), b.data_ptr(), out.data_ptr())].check
        assert not check(*tensors)
    check_result = a.t() @ b
    ops.matmul(a.t(), b, out=out)
    torch.testing.assert_close(out, check_result)
    square.t_()
    ops.matmul(square, b, out=out)
    torch.testing.assert_close(out, square @ b)
    square.t_().requires_grad_()
    ops.matmul(square, b, out=out).sum().backward()
    torch.testing.assert_close(square.grad, b.sum(1).expand(5, 5))
    assert bound.queued == 0


def test_a_launch_bound_while_nothing_was_recorded_does_not_hide_a_gradient(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, out = matrices()
    a.requires_grad_()
    with torch.no_grad():
        bound = Bound(a, b, out, monkeypatch)
        ops.matmul(a, b, out=out)
    assert bound.queued == 1
    ops.matmul(a, b, out=out).sum().backward()
    assert bound.queued == 1
    torch.testing.assert_close(a.grad, b.sum(1).expand(7, 5))


def test_modes_streams_and_settings_leave_the_bound_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._subclasses import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    class Mode(TorchDispatchMode):
        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return function(*args, **(kwargs or {}))

    a, b, out = matrices()
    bound = Bound(a, b, out, monkeypatch)
    for around in (Mode(), torch.autocast("cpu"), torch.inference_mode()):
        with around:
            ops.matmul(a, b, out=out)
    with FakeTensorMode(allow_non_fake_inputs=True):
        assert replay._modes(), "tracers are modes"
    torch.vmap(lambda x: (ops.matmul(a, b, out=out), x)[1])(torch.randn(2, 3))
    bound.stream = 8
    ops.matmul(a, b, out=out)
    bound.stream = 7
    torch.use_deterministic_algorithms(True)
    try:
        ops.matmul(a, b, out=out)
    finally:
        torch.use_deterministic_algorithms(False)
    assert bound.queued == 0
    torch.testing.assert_close(out, a @ b)
    ops.matmul(a, b, out=out)
    assert bound.queued == 1


def test_a_refused_launch_takes_the_way_that_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, out = matrices()
    bound = Bound(a, b, out, monkeypatch)
    bound.code = 700
    check(a, b, out)
    assert bound.queued == 1


def test_forgotten_plans_are_bound_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, out = matrices()
    bound = Bound(a, b, out, monkeypatch)
    forget_plans()
    check(a, b, out)
    assert bound.queued == 0


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes each call whose result is allocated and whose plan is looked for in the long way."""
    from tracea.torch import kernels

    seen: list[str] = []
    find = kernels.find
    monkeypatch.setattr(kernels, "find", lambda name, *rest: (seen.append(name), find(name, *rest))[1])
    return seen


def test_results_of_a_known_product_are_new_ones(planned: list[str]) -> None:
    a, b, _ = matrices()
    results = [ops.matmul(a, b) for _ in range(4)]
    assert planned == ["matmul"] and len({result.data_ptr() for result in results}) == 4
    for result in results:
        torch.testing.assert_close(result, a @ b)
    other, third = torch.randn(7, 5), torch.randn(5, 6)
    torch.testing.assert_close(ops.matmul(other, third), other @ third)
    assert planned == ["matmul"], "a plan serves every address"


def test_allocated_results_of_other_tensors_are_looked_for(planned: list[str]) -> None:
    square, b = torch.randn(5, 5), torch.randn(5, 5)
    others = (lambda: (square.t(), b), lambda: (square.double(), b.double()), lambda: (torch._neg_view(square), b))
    ops.matmul(square, b)
    for place, other in enumerate(others):
        x, y = other()
        torch.testing.assert_close(ops.matmul(x, y), x @ y)
        assert len(planned) >= place + 1
    planned.clear()
    with torch.autocast("cpu"):
        assert ops.matmul(square, b).dtype is torch.bfloat16
    batched = torch.randn(3, 5, 5)
    torch.testing.assert_close(torch.vmap(lambda x: ops.matmul(x, b))(batched), batched @ b)
    torch.testing.assert_close(ops.matmul(square, b, epilogue="relu"), (square @ b).relu())
    assert len(planned) >= 3
    planned.clear()
    forget_plans()
    torch.testing.assert_close(ops.matmul(square, b), square @ b)
    assert planned == ["matmul"]


def test_allocated_results_are_recorded_where_gradients_are(planned: list[str]) -> None:
    a, b, _ = matrices()
    a.requires_grad_()
    with torch.no_grad():
        for _ in range(2):
            assert not ops.matmul(a, b).requires_grad
    assert planned == ["matmul"]
    ops.matmul(a, b).sum().backward()
    torch.testing.assert_close(a.grad, b.sum(1).expand(7, 5))


def test_allocated_results_are_queued_by_one_call_where_addresses_return(monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, out = matrices()
    ops.matmul(a, b)
    bound = Bound(a, b, out, monkeypatch)
    known = replay._fresh[a.shape, b.shape]
    key = (a.data_ptr(), b.data_ptr(), out.data_ptr(), 7)
    replay._fresh[a.shape, b.shape] = known._replace(device=0, allocate=lambda: out, calls={key: (bound, None)})
    assert ops.matmul(a, b) is out and bound.queued == 1 and torch.isnan(out).all(), "nothing else ran"
    bound.code = 700
    torch.testing.assert_close(ops.matmul(a, b), a @ b)
    bound.code, bound.stream = 0, 8
    torch.testing.assert_close(ops.matmul(a, b), a @ b)
    assert bound.queued == 2


def test_allocated_results_of_unaligned_factors_are_not_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(pointers: tuple[int, ...], stream: int) -> Any:
        raise AlignmentError("the address is not a multiple of 16", alignment=2)

    a, b, _ = matrices()
    ops.matmul(a, b)
    known = replay._fresh[a.shape, b.shape]
    monkeypatch.setattr(known.plan, "bind", refuse)
    monkeypatch.setattr(replay, "_stream_of", lambda device: 7)
    replay._fresh[a.shape, b.shape] = known._replace(device=0)
    for _ in range(2):
        torch.testing.assert_close(ops.matmul(a, b), a @ b)
    assert known.calls == {}
