# SPDX-License-Identifier: MIT
"""What a kernel spares: passes over memory that Inductor would need, and none that it makes for another reason."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from tracea.torch import shapes  # noqa: E402
from tracea.torch.compiler import backend, sketch  # noqa: E402


def spared(model: Any, x: Any) -> list[bool]:
    found: list[bool] = []

    def compiler(module: Any, inputs: Any) -> Any:
        found.extend(sketch.sketch_of(region).saves_pass for region in backend._find(module)[0].regions)
        return module.forward

    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model.eval(), backend=compiler, fullgraph=True)(x)
    return found


def test_a_result_in_planes_is_written_by_a_pass_anyway(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = nn.Sequential(nn.Conv2d(4, 8, 3), nn.ReLU()), torch.randn(2, 4, 9, 9)
    assert spared(model, x) == [True], "on a CPU both layouts are timed"
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    assert spared(model, x) == [False]
    assert spared(model, x.to(memory_format=torch.channels_last)) == [True]


def test_biases_of_convolutions_are_a_pass_where_others_add_them(monkeypatch: pytest.MonkeyPatch) -> None:
    model, x = nn.Sequential(nn.Conv2d(4, 8, 3), nn.Conv2d(8, 4, 1, bias=False)), torch.randn(2, 4, 9, 9)
    assert spared(model, x) == [False, False]
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    assert spared(model, x) == [True, False], "the second one reads the biased image from memory"
