# SPDX-License-Identifier: MIT
"""Operators that run again on the same weight are queued by one call; whatever changes takes the ordinary way and is right."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from tracea_core.errors import AlignmentError  # noqa: E402

from tracea.dispatch import forget_plans  # noqa: E402
from tracea.torch import kernels, sites  # noqa: E402


class Bound:
    """Lets launches on the CPU be bound as those of a device are, and counts how often one is queued."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.queued, self.code, self.stream, self.refuses = 0, 0, 7, False
        make = kernels.make_entry

        def made(*given: Any) -> kernels.Entry:
            entry = make(*given)
            if entry.plan is not None:
                entry.plan.bind = self.bind(entry.plan.launch)
            return entry

        monkeypatch.setattr(kernels, "make_entry", made)
        monkeypatch.setattr(sites, "_stream_of", lambda device: self.stream)
        monkeypatch.setattr(kernels, "allocator", self.allocator)

    def allocator(self, layout: Any, device: Any) -> Callable[[], Any]:
        """Two results in turns, as a device's allocator gives them out."""
        results = itertools.cycle([layout.empty(torch.empty(0)), layout.empty(torch.empty(0))])
        return lambda: next(results)

    def bind(self, launch: Any) -> Any:
        def bound(pointers: tuple[int, ...], stream: int) -> tuple[Callable[[], int], object]:
            if self.refuses:
                raise AlignmentError("not aligned", alignment=4)

            def call() -> int:
                self.queued += 1
                if not self.code:
                    launch(*pointers)
                return self.code

            return call, None

        return bound


@pytest.fixture
def bound(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bound]:
    forget_plans()
    yield Bound(monkeypatch)
    forget_plans()


def call(x: Any, w: Any, b: Any) -> None:
    torch.testing.assert_close(
        kernels.linear(x, w, [b], "bias,relu", ""), torch.relu(torch.nn.functional.linear(x, w, b))
    )


def tensors() -> tuple[Any, Any, Any]:
    return torch.randn(8, 16), torch.nn.Parameter(torch.randn(12, 16)), torch.randn(12)


def repeat(count: int, *given: Any) -> None:
    with torch.no_grad():
        for _ in range(count):
            call(*given)


def test_what_returns_is_queued_by_one_call(bound: Bound) -> None:
    given = tensors()
    repeat(12, *given)
    (site,) = sites._sites.values()
    assert len(site.calls) == 2 and bound.queued == 9, "the first call leaves the site, each new address a launch"


def test_other_weights_shapes_and_operands_are_served(bound: Bound) -> None:
    x, w, b = tensors()
    others = [(x, w, b), (x[:4], w, b), (x, torch.randn(12, 16), b), (x, w, torch.randn(12)), (x.clone(), w, b)]
    for _ in range(3):
        for given in others:
            repeat(2, *given)


def test_whatever_changes_a_tensor_takes_the_ordinary_way(bound: Bound) -> None:
    x, w, b = torch.randn(16, 16), torch.randn(16, 16), torch.randn(16)
    repeat(8, x, w, b)
    before = bound.queued
    assert before
    for given in ((x, w.t(), b), (x.t(), w, b), (x[:4], w, b)):
        assert given[1].data_ptr() == w.data_ptr()
        repeat(1, *given)
    torch.use_deterministic_algorithms(True)
    try:
        repeat(1, x, w, b)
    finally:
        torch.use_deterministic_algorithms(False)
    assert bound.queued == before


def test_streams_have_launches_of_their_own(bound: Bound) -> None:
    given = tensors()
    repeat(8, *given)
    before, bound.stream = bound.queued, 8
    (site,) = sites._sites.values()
    known = set(site.calls)
    repeat(1, *given)
    assert bound.queued == before and {place[0] for place in set(site.calls) - known} == {8}


def test_a_refused_launch_takes_the_way_that_says_why(bound: Bound) -> None:
    given = tensors()
    repeat(8, *given)
    bound.code = 700
    repeat(8, *given)


def test_unaligned_addresses_are_not_bound(bound: Bound) -> None:
    bound.refuses = True
    given = tensors()
    repeat(4, *given)
    (site,) = sites._sites.values()
    assert not site.calls and bound.queued == 0


def test_limits(bound: Bound, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sites, "_LIMIT", 2)
    monkeypatch.setattr(sites, "_SETS", 2)
    for _ in range(4):
        x, w, b = tensors()
        for _ in range(4):
            repeat(1, x.clone(), w, b)
    assert len(sites._sites) <= 2 and all(len(site.calls) <= 2 for site in sites._sites.values())
    forget_plans()
    assert not sites._sites
