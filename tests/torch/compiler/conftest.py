# SPDX-License-Identifier: MIT
"""What tests of compiled graphs share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nothing is compiled or counted yet, and weights are the same each time."""
    torch = pytest.importorskip("torch")
    import tracea.torch as tt

    torch._dynamo.reset()
    tt.reset_stats()
    torch.manual_seed(0)
    yield
    torch._dynamo.reset()


@pytest.fixture
def without_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine that has no C++ compiler: the rewritten graph runs as it is, which tests it in a second instead of a minute."""
    from tracea.torch.compiler import inductor

    monkeypatch.setattr(inductor, "cpp_compiler", lambda: None)


@pytest.fixture
def reports(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """What the backend said about each graph."""
    from tracea.torch.compiler import backend

    said: list[Any] = []
    monkeypatch.setattr(backend, "count", said.append)
    return said
