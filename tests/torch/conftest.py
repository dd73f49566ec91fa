# SPDX-License-Identifier: MIT
"""What a process remembers is forgotten ahead of each test, so that no result depends on which tests ran before it."""

from __future__ import annotations

import sys

import pytest

from tracea import fallback


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reasons are told anew, and Dynamo has compiled nothing: it gives up on code that it has compiled a few times.

    What is decided about a graph does not depend on how long kernels take to be proved on a busy machine.
    """
    monkeypatch.setattr(fallback, "_told", set())
    dynamo = sys.modules.get("torch._dynamo")
    if dynamo is not None:
        dynamo.reset()
    if "torch" in sys.modules:
        from tracea.torch import packed
        from tracea.torch.compiler import policy

        monkeypatch.setitem(policy.SECONDS, "cpu", 600.0)
        monkeypatch.setattr(packed, "held", {})  # a weight that anyone registered changes the way of every call
