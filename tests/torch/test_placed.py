# SPDX-License-Identifier: MIT
"""Products of compiled graphs write into memory that is planned for them; where calls repeat they are queued by one call."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tracea.dispatch import forget_plans  # noqa: E402
from tracea.ops import prepacked  # noqa: E402
from tracea.torch import kernels, placed, replay  # noqa: E402
from tracea.torch.compiler import direct, inductor  # noqa: E402
from tracea.torch.placed import into  # noqa: E402

LINEAR = ("linear", "bias,relu", (), "", 77)


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    torch.manual_seed(0)
    forget_plans()
    yield
    forget_plans()


class Queue:
    """Lets launches on the CPU be bound as those of a device are, and counts how often one is bound, and queued by that."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queued = self.bound = self.code = 0
        make = kernels.make_entry

        def made(*given: Any) -> kernels.Entry:
            entry = make(*given)
            assert entry.plan is not None
            entry.plan.bind = self.bind(entry.plan.launch)
            return entry

        monkeypatch.setattr(kernels, "make_entry", made)
        monkeypatch.setattr(replay, "_stream_of", lambda device: 7)
        monkeypatch.setattr(torch.Tensor, "get_device", lambda tensor: 0)

    def bind(self, launch: Any) -> Any:
        def bound(pointers: tuple[int, ...], stream: int) -> tuple[Callable[[], int], object]:
            self.bound += 1

            def call() -> int:
                if self.code:
                    return self.code
                self.queued += 1
                launch(*pointers)
                return 0

            return call, None

        return bound


def linear(rows: int = 8) -> tuple[Any, Any, Any]:
    return torch.randn(rows, 16), torch.randn(12, 16), torch.randn(12)


def check(x: Any, w: Any, b: Any, out: Any, asked: Any = LINEAR) -> None:
    out.fill_(torch.nan)
    into(x, w, b, asked, out=out)
    torch.testing.assert_close(out, torch.relu(F.linear(x, w, b)))


def test_results_stand_where_they_are_wanted() -> None:
    a, b, r = torch.randn(3, 8, 16), torch.randn(3, 16, 12), torch.randn(3, 8, 12)
    out = torch.empty(3, 8, 12)
    into(a, b, r, ("matmul", "residual", (None, False, False), "", 0), out=out)
    torch.testing.assert_close(out, a @ b + r)
    x, w = torch.randn(2, 4, 9, 9).to(memory_format=torch.channels_last), torch.randn(8, 4, 3, 3)
    out = torch.empty(2, 8, 9, 9).to(memory_format=torch.channels_last)
    into(x, w, ("conv2d", "relu", ((1, 1), (1, 1), (1, 1), 1), "", 0), out=out)
    torch.testing.assert_close(out, torch.relu(F.conv2d(x, w, padding=1)), rtol=1e-4, atol=1e-4)
    check(*linear(), torch.empty(8, 12))
    x, gradient, out = torch.randn(2, 4, 7, 7), torch.randn(2, 6, 5, 5), torch.empty(6, 4, 3, 3)
    into(x, gradient, ("conv2d_filters", "", ((3, 3), (1, 1), (0, 0), (1, 1), 1, 1), "", 0), out=out)
    torch.testing.assert_close(out, torch.nn.grad.conv2d_weight(x, out.shape, gradient), rtol=1e-4, atol=1e-4)


def test_memory_of_other_strides_is_filled_by_a_copy() -> None:
    check(*linear(), torch.empty(12, 8).t())


def test_what_pytorch_computes_stands_there_too(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*given: Any) -> Any:
        from tracea_core.errors import UnsupportedError

        raise UnsupportedError("no kernel takes this")

    monkeypatch.setattr(kernels, "BoundPlan", none)
    check(*linear(), torch.empty(8, 12))


def test_weights_in_panels_are_used() -> None:
    x, w, b = linear()
    w = prepacked(w)
    check(x, w, b, torch.empty(8, 12))
    w.mul_(2)
    check(x, w, b, torch.empty(8, 12))


def test_calls_that_repeat_are_queued_by_one_call(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, given, out = Queue(monkeypatch), linear(), torch.empty(8, 12)
    for _ in range(5):
        check(*given, out)
    assert (queue.bound, queue.queued) == (1, 4)
    torch.use_deterministic_algorithms(True)
    try:
        check(*given, out)
    finally:
        torch.use_deterministic_algorithms(False)
    assert queue.queued == 4, "the plan may be another one"


def test_such_tensors_elsewhere_are_launched_without_a_look_at_plans(monkeypatch: pytest.MonkeyPatch) -> None:
    """In training most tensors may lie elsewhere at each step; what queues a launch again is made where addresses come back."""
    queue, given, out = Queue(monkeypatch), linear(), torch.empty(8, 12)
    check(*given, out)
    with monkeypatch.context() as patch:
        patch.setattr(kernels, "find", None)
        patch.setattr(replay, "checker", None)
        apart, others = torch.empty(8, 12), (torch.randn(8, 16), torch.randn(12, 16), given[2])
        check(*given, apart)
        check(*others, apart)
        assert (queue.bound, queue.queued) == (0, 0)
        for _ in range(3):
            check(*given, apart)
            check(*others, apart)
        assert (queue.bound, queue.queued) == (2, 6)
    for other in (linear(9), (given[0].t().contiguous().t(), *given[1:])):  # one shape or stride is another
        check(*other, torch.empty(other[0].shape[0], 12))
    assert queue.queued == 6


def test_addresses_that_nothing_binds_are_launched_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, given, out = Queue(monkeypatch), linear(), torch.empty(8, 12)
    check(*given, out)
    asked: list[Any] = []
    for answer in (None, (lambda: 201, None)):  # as for one that is not aligned, and where a thread has no context yet
        monkeypatch.setattr(replay, "_queued", lambda *given, answer=answer: asked.append(given) or answer)
        check(*given, out)
    assert len(asked) == 2 and queue.queued == 0


def test_calls_of_several_kernels_are_not_prepared_in_vain(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing queues those by one call, so nothing is made of their tensors after the first."""
    queue, given, out = Queue(monkeypatch), linear(), torch.empty(8, 12)
    monkeypatch.setattr(Queue, "bind", lambda *_: None)
    checked: list[Any] = []
    checker = replay.checker
    monkeypatch.setattr(replay, "checker", lambda *tensors: checked.append(tensors) or checker(*tensors))
    for _ in range(3):
        check(*given, out)
    assert queue.queued == 0 and sum(any(tensor is out for tensor in tensors) for tensors in checked) == 1


@pytest.mark.parametrize("symbolic", [False, True])
def test_memory_that_comes_back_for_another_shape_is_looked_at(monkeypatch: pytest.MonkeyPatch, symbolic: bool) -> None:
    queue, (x, w, b), out = Queue(monkeypatch), linear(), torch.empty(8, 12)
    for _ in range(3):
        for rows in (8, 5):
            check(x[:rows], w, b, out[:rows], (*LINEAR[:4], 0 if symbolic else rows))
    assert (queue.bound, queue.queued) == (2 if symbolic else 4, 4)


def test_a_site_looks_at_addresses_stream_and_determinism(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, given, out = Queue(monkeypatch), linear(), torch.empty(8, 12)
    looked: list[Any] = []
    by_name = placed._looked_up
    monkeypatch.setattr(placed, "_looked_up", lambda *given: looked.append(given) or by_name(*given))
    for _ in range(3):
        check(*given, out)
    assert len(looked) == 3 and len(placed._sites) == 1, (
        "a launch, one that is made by one call, and one that a site learns"
    )
    check(*given, out)
    assert len(looked) == 3 and queue.queued == 3
    for moved in range(4):
        tensors = [*given, out]
        tensors[moved] = tensors[moved].clone()
        check(*tensors)
        assert len(looked) == 4 + moved
    check(*given, out)
    assert len(looked) == 7, "the site is as it was, since nothing came back elsewhere"
    monkeypatch.setattr(replay, "_stream_of", lambda device: 8)
    for expected in (8, 9, 9):
        check(*given, out)
        assert len(looked) == expected
    torch.use_deterministic_algorithms(True)
    try:
        check(*given, out)
    finally:
        torch.use_deterministic_algorithms(False)
    assert len(looked) == 10
    check(*given, out, (*LINEAR[:4], 78))
    assert len(looked) == 11, "another site"


def test_a_site_knows_a_few_sets_of_addresses(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, given, looked = Queue(monkeypatch), linear(), []
    by_name = placed._looked_up
    monkeypatch.setattr(placed, "_looked_up", lambda *given: looked.append(given) or by_name(*given))
    for sets, expected in ((4, 0), (6, 24)):
        outs = [torch.empty(8, 12) for _ in range(sets)]
        for turn in range(8):
            if turn == 4:
                looked.clear()
            for out in outs:
                check(*given, out)
        assert len(looked) == expected and {len(known[1]) for known in placed._sites.values()} == {4}
    assert queue.queued > 40


def test_what_a_driver_refuses_takes_the_way_of_any_other_call(monkeypatch: pytest.MonkeyPatch) -> None:
    queue, given, out = Queue(monkeypatch), linear(), torch.empty(8, 12)
    for _ in range(4):
        check(*given, out)
    monkeypatch.setattr(queue, "code", 700)
    for _ in range(2):
        check(*given, out)


def test_sites_are_few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placed, "_SITES", 3)
    Queue(monkeypatch)
    given, out = linear(), torch.empty(8, 12)
    for site in range(1, 8):
        for _ in range(4):
            check(*given, out, (*LINEAR[:4], site))
    assert len(placed._sites) <= 3


def test_sites_know_layouts() -> None:
    graph = torch.fx.Graph()
    x, w = graph.placeholder("x"), graph.placeholder("w")
    node = graph.call_function(torch.ops.aten.mm.default, (x, w))
    tensors = [torch.empty(2, 3), torch.empty(3, 4), torch.empty(2, 4)]

    def site(*given: Any) -> int:
        for each, tensor in zip((x, w, node), given, strict=True):
            each.meta["val"] = tensor
        return direct.site_of(node, LINEAR[:4])

    known = site(*tensors)
    assert known == site(*tensors) != 0
    others = {
        site(tensors[0].t().contiguous().t(), *tensors[1:]),
        site(*[t.double() for t in tensors]),
        site(*[t.to("meta") for t in tensors]),
    }
    assert len({known, 0} | others) == 5
    from torch._subclasses import FakeTensorMode
    from torch.fx.experimental.symbolic_shapes import DimDynamic, ShapeEnv, StatelessSymbolicContext

    free: Any = StatelessSymbolicContext([DimDynamic.DYNAMIC] * 2)
    real = torch.empty(5, 30)
    with FakeTensorMode(shape_env=ShapeEnv()) as fakes:
        symbolic = fakes.from_tensor(real, symbolic_context=free)
        strided = torch.empty_strided((2, 3), (symbolic.shape[1], 1))
    assert type(strided.shape[0]) is int and site(strided, *tensors[1:]) == 0 == site(symbolic, *tensors[1:])


@pytest.mark.slow
def test_gradients_of_filters_are_placed_too() -> None:
    if inductor.cpp_compiler() is None or not direct.call_directly():
        pytest.skip("no C++ compiler")
    from torch._inductor.utils import run_and_get_code

    def gradient(x: Any, slopes: Any, fallback: str) -> Any:
        settings = ([3, 3], [1, 1], [0, 0], [1, 1], 1, 1, "", fallback)
        return torch.ops.tracea.conv2d_filters.default(x, slopes, [], "", *settings).relu()

    x, slopes = torch.randn(2, 4, 7, 7), torch.randn(2, 6, 5, 5)
    for fallback, count in (("torch", 1), ("error", 0)):
        options = {"tracea.policy": "never", "force_disable_caches": True}
        compiled = torch.compile(gradient, backend="tracea", options=options)
        with torch.no_grad():
            got, (code, *_) = run_and_get_code(compiled, x, slopes, fallback)
        torch.testing.assert_close(got, gradient(x, slopes, fallback), rtol=1e-4, atol=1e-4)
        assert code.count("torch.ops.tracea.into(") == count


@pytest.mark.slow
def test_compiled_chains_run_in_two_buffers() -> None:
    if inductor.cpp_compiler() is None or not direct.call_directly():
        pytest.skip("no C++ compiler")
    from torch._inductor.utils import run_and_get_code

    w, b = torch.randn(16, 16) * 0.1, torch.randn(16)

    def chain(x: Any) -> Any:
        for _ in range(4):
            x = torch.ops.tracea.linear.default(x, w, [b], "bias,relu", "")
        return x

    for dynamic in (False, True):
        torch._dynamo.reset()
        options = {"tracea.policy": "never", "force_disable_caches": True}
        compiled = torch.compile(chain, backend="tracea", dynamic=dynamic, options=options)
        with torch.no_grad():
            x = torch.randn(6, 16)
            got, (code, *_) = run_and_get_code(compiled, x)
            torch.testing.assert_close(got, chain(x), rtol=1e-4, atol=1e-4)
            for rows in (6, 9, 6):
                x = torch.randn(rows if dynamic else 6, 16)
                torch.testing.assert_close(compiled(x), chain(x), rtol=1e-4, atol=1e-4)
        assert code.count("torch.ops.tracea.into(") == 4 and code.count("# reuse") == 2
        found = re.findall(r"\('linear', 'bias,relu', \(\), '', (\d+)\)", code)
        assert len(found) == 4 and len(set(found)) == (1 if dynamic else 4) and ("0" in found) is dynamic
