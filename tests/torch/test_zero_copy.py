# SPDX-License-Identifier: MIT
"""No byte of an input is copied: kernels get the tensors' own addresses, and a call allocates its result and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")
F = torch.nn.functional

from tracea import ops  # noqa: E402
from tracea.torch import kernels  # noqa: E402


@pytest.fixture
def launched(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[tuple[int, ...]]]:
    """The addresses of each launch."""
    seen: list[tuple[int, ...]] = []
    real = kernels.BoundPlan

    def recording(*given: Any) -> Any:
        plan = real(*given)
        launch = plan.launch
        plan.launch = lambda *pointers: (seen.append(pointers), launch(*pointers))[1]
        return plan

    monkeypatch.setattr(kernels, "BoundPlan", recording)
    kernels.forget_entries()
    yield seen
    kernels.forget_entries()


def allocations(call: Any) -> list[int]:
    """Bytes of each allocation that PyTorch makes during a call."""
    call()
    with torch.profiler.profile(profile_memory=True, activities=[torch.profiler.ProfilerActivity.CPU]) as profile:
        call()
    events = profile.profiler.kineto_results.events()
    return [event.nbytes() for event in events if event.name() == "[memory]" and event.nbytes() > 0]


VIEWS = {
    "contiguous": lambda: torch.randn(24, 32),
    "transposed": lambda: torch.randn(32, 24).t(),
    "every second row": lambda: torch.randn(48, 32)[::2],
    "a window": lambda: torch.randn(40, 50)[3:27, 5:37],
    "an expanded row": lambda: torch.randn(1, 32).expand(24, 32),
}


@pytest.mark.parametrize("view", VIEWS)
def test_views_are_taken_as_they_are(view: str, launched: list[tuple[int, ...]]) -> None:
    x, w, b = VIEWS[view](), torch.randn(16, 32), torch.randn(16)
    got = ops.linear(x, w, b, epilogue="relu", fallback="error")
    assert sorted(launched[0]) == sorted((x.data_ptr(), w.data_ptr(), b.data_ptr(), got.data_ptr()))
    torch.testing.assert_close(got, F.relu(F.linear(x, w, b)), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("channels_last", [False, True])
def test_images_are_taken_as_they_are(channels_last: bool, launched: list[tuple[int, ...]]) -> None:
    x, w = torch.randn(2, 8, 10, 10), torch.randn(16, 8, 3, 3)
    if channels_last:
        x, w = (t.to(memory_format=torch.channels_last) for t in (x, w))
    window = x[:, :, 1:9, 2:8]
    got = ops.conv2d(window, w, padding=1, fallback="error")
    assert sorted(launched[0]) == sorted((window.data_ptr(), w.data_ptr(), got.data_ptr()))
    torch.testing.assert_close(got, F.conv2d(window, w, padding=1), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("through", ["ops", "operator", "with a gradient"])
def test_a_call_allocates_its_result_only(through: str) -> None:
    x, w, b = torch.randn(64, 128), torch.randn(96, 128), torch.randn(96)
    if through == "with a gradient":
        w.requires_grad_()
    call = {
        "operator": lambda: torch.ops.tracea.linear.default(x, w, [b], "bias,relu", ""),
    }.get(through, lambda: ops.linear(x, w, b, epilogue="relu"))
    assert [size for size in allocations(call) if size >= 1024] == [64 * 96 * 4]


def test_a_copy_would_be_seen() -> None:
    x, w = torch.randn(64, 128), torch.randn(96, 128)
    assert 64 * 128 * 4 in allocations(lambda: ops.linear(x.clone(), w))


def test_out_is_written_directly() -> None:
    x, w, out = torch.randn(64, 128), torch.randn(128, 96), torch.empty(64, 96)
    assert [size for size in allocations(lambda: ops.matmul(x, w, out=out)) if size >= 1024] == []
