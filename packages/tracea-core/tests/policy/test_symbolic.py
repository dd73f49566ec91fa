# SPDX-License-Identifier: MIT
"""Window bounds hold for all integers; every bound that is off by one has a counterexample."""

from __future__ import annotations

import builtins
from typing import Any

import pytest
from tracea_core.errors import CertificationError, ConfigurationError
from tracea_core.policy.build import wanted_range
from tracea_core.policy.symbolic import prove_windows


def test_all_windows_are_covered_exactly() -> None:
    pytest.importorskip("z3", reason="the optional extra 'proofs' is not installed")
    proofs = prove_windows()
    assert len(proofs) == 16 and {proof.sides for proof in proofs} == {"both sides", "left", "right", "no side"}


@pytest.mark.parametrize(("low", "high"), [(1, 0), (-1, 0), (0, 1), (0, -1)])
def test_bounds_off_by_one_are_refuted(low: int, high: int) -> None:
    pytest.importorskip("z3", reason="the optional extra 'proofs' is not installed")

    def shifted(left: Any, right: Any, *rest: Any) -> tuple[Any, Any]:
        return wanted_range(None if left is None else left - low, None if right is None else right + high, *rest)

    with pytest.raises(CertificationError, match="not for all integers") as caught:
        prove_windows(shifted)
    assert "x0 = " in str(caught.value)


def test_a_window_that_forgets_the_end_of_the_sequence_is_refuted() -> None:
    pytest.importorskip("z3", reason="the optional extra 'proofs' is not installed")

    def endless(left: Any, right: Any, x0: Any, x1: Any, extent: Any, offset: Any, *pick: Any) -> tuple[Any, Any]:
        low, high = wanted_range(left, right, x0, x1, extent, offset, *pick)
        return low, high if right is None else x1 + offset + right

    with pytest.raises(CertificationError):
        prove_windows(endless)


def test_without_the_solver_the_way_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "z3":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ConfigurationError, match="proofs"):
        prove_windows()
