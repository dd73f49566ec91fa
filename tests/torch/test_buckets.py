# SPDX-License-Identifier: MIT
"""Graphs with symbolic rows plan once for each power of two of them."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
import tracea_core.pipeline  # noqa: E402

from tracea.torch import buckets, kernels  # noqa: E402
from tracea.torch.epilogues import epilogue_of  # noqa: E402

F = torch.nn.functional


@pytest.fixture
def planned(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The shape of the first input of every plan that is made."""
    seen: list[tuple[int, ...]] = []
    inner = tracea_core.pipeline.plan

    def counted(problem: Any, *rest: Any) -> Any:
        seen.append(problem.inputs[0].shape)
        return inner(problem, *rest)

    monkeypatch.setattr(tracea_core.pipeline, "plan", counted)
    monkeypatch.setattr(buckets, "plan", counted)
    kernels.forget_entries()
    buckets._plans.clear()
    torch._dynamo.reset()
    return seen


def test_new_rows_within_a_bucket_are_not_planned(planned: list[tuple[int, ...]]) -> None:
    w, b = torch.randn(48, 72), torch.randn(48)
    options = {"tracea.policy": "always"}
    compiled = torch.compile(lambda x: F.gelu(F.linear(x, w, b)), backend="tracea", dynamic=True, options=options)
    with torch.no_grad():
        for rows in (40, 33, 41, 50, 63, 64, 40):
            x = torch.randn(rows, 72)
            torch.testing.assert_close(compiled(x), F.gelu(F.linear(x, w, b)), atol=1e-5, rtol=1e-4)
        assert planned == [(40, 72), (64, 72)]
        for rows in (65, 100, 128, 127):
            x = torch.randn(rows, 72)
            torch.testing.assert_close(compiled(x), F.gelu(F.linear(x, w, b)), atol=1e-5, rtol=1e-4)
    assert planned == [(40, 72), (64, 72), (128, 72)]


@pytest.mark.parametrize("text", ["", "bias,relu", "bias,residual"])
def test_batches_of_sequences(text: str, planned: list[tuple[int, ...]]) -> None:
    w, b = torch.randn(24, 16), torch.randn(24)
    for lead in ((3, 9), (4, 16), (3, 15), (4, 10)):
        x, r = torch.randn(*lead, 16), torch.randn(*lead, 24)
        operands = {"": [], "bias,relu": [b], "bias,residual": [b, r]}[text]
        got = kernels.find("linear", [x, w, *operands], text, (), "", varies=True).call([x, w, *operands])
        exact = F.linear(x, w, b if text else None)
        exact = exact.relu() if "relu" in text else exact + r if "residual" in text else exact
        torch.testing.assert_close(got, exact, atol=1e-5, rtol=1e-4)
    assert len(planned) == 1


@pytest.mark.parametrize("last", [False, True])
def test_images_vary_in_number(last: bool, planned: list[tuple[int, ...]]) -> None:
    w = torch.randn(16, 8, 3, 3)
    settings = ((1, 1), (1, 1), (1, 1), 1)
    for count in (3, 4, 5, 8, 7):
        x = torch.randn(count, 8, 6, 6)
        x = x.to(memory_format=torch.channels_last) if last else x
        got = kernels.find("conv2d", [x, w], "relu", settings, "", varies=True).call([x, w])
        torch.testing.assert_close(got, F.relu(F.conv2d(x, w, padding=1)), atol=1e-4, rtol=1e-4)
    assert [shape[0] for shape in planned] == [4, 8]


def test_what_lies_otherwise_is_planned_by_itself() -> None:
    x, w = torch.randn(40, 30).t(), torch.randn(16, 40)
    epilogue = epilogue_of("")
    assert buckets.representative("linear", [x, w], epilogue) is None
    assert buckets.representative("matmul", [torch.randn(2, 3, 4), torch.randn(2, 4, 5)], epilogue) is None
    rows = buckets.representative("linear", [torch.randn(30, 40), w], epilogue)
    assert rows is not None and [outline.shape for outline in rows] == [(32, 40), (16, 40)]


def test_one_number_of_rows_after_the_other_is_planned_where_none_varies(planned: list[tuple[int, ...]]) -> None:
    w = torch.randn(48, 40)
    for rows in (33, 34, 35):
        kernels.find("linear", [torch.randn(rows, 40), w], "", (), "")
    assert len(planned) == 3
