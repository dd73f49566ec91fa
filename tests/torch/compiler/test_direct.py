# SPDX-License-Identifier: MIT
"""What Inductor prints calls kernels themselves; where it cannot be told to, compiled graphs work as before."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from tracea.torch.compiler import direct, inductor  # noqa: E402

ALWAYS = {"tracea.policy": "always"}


def test_compiled_code_calls_kernels_without_the_dispatcher() -> None:
    if inductor.cpp_compiler() is None:
        pytest.skip("no C++ compiler")
    from torch._inductor.utils import run_and_get_code

    layer = nn.Linear(16, 32)
    model, x = nn.Sequential(layer, nn.GELU(), nn.Linear(32, 8)).eval(), torch.randn(4, 16)
    compiled = torch.compile(model, backend="tracea", options={**ALWAYS, "force_disable_caches": True})
    with torch.no_grad():
        got, (code, *_) = run_and_get_code(compiled, x)
        torch.testing.assert_close(got, model(x), rtol=1e-4, atol=1e-4)
    assert code.count("torch.ops.tracea.into(") == 2 and "torch.ops.tracea._linear.default(" not in code


def test_where_inductor_is_not_as_expected_the_dispatcher_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    from torch._inductor import lowering

    monkeypatch.delattr(lowering, "tag_to_layout_constraint")
    direct.call_directly.cache_clear()
    assert not direct.call_directly() and "dispatched" in inductor.UseTwins().uuid()
    direct.call_directly.cache_clear()
    monkeypatch.undo()
    assert "placed" in inductor.UseTwins().uuid()
