# SPDX-License-Identifier: MIT
"""Who asks for strides behind a convolution that left its image channels-last gets those that PyTorch would have given."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")
from torch import nn  # noqa: E402

from tracea.torch import shapes  # noqa: E402
from tracea.torch.compiler import backend, rewrite  # noqa: E402

ENDS: dict[str, Callable[[Any], Any]] = {
    "the caller": lambda y: y,
    "the caller, behind a step": lambda y: y.permute(0, 2, 3, 1) + 1,
    "a view": lambda y: y.view(y.shape[0], -1),
    "a view of part": lambda y: torch.sigmoid(y)[:1].view(1, 8, -1).sum(-1),
    "flattened": lambda y: y.flatten(2),
}


class Network(nn.Module):
    """Two convolutions with an activation each, and an end."""

    def __init__(self, end: Callable[[Any], Any]) -> None:
        super().__init__()
        self.first, self.second, self.end = nn.Conv2d(3, 8, 3, padding=1), nn.Conv2d(8, 8, 3), end

    def forward(self, x: Any) -> Any:
        """Return the end of an image."""
        return self.end(torch.relu(self.second(torch.relu(self.first(x)))))


def run(end: Callable[[Any], Any], x: Any, graphs: list[Any]) -> tuple[Any, Any]:
    """Return eager and rewritten results."""

    def rewritten(module: Any, inputs: Any) -> Any:
        backend.take(module, "always")
        graphs.append(module.graph)
        return module.forward

    torch._dynamo.reset()
    model = Network(end).eval()
    with torch.no_grad():
        return model(x), torch.compile(model, backend=rewritten, fullgraph=True)(x)


@pytest.mark.parametrize("name", ENDS)
def test_strides_are_those_of_pytorch(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    graphs: list[Any] = []
    expected, got = run(ENDS[name], torch.randn(2, 3, 6, 7), graphs)
    assert torch.allclose(got, expected, atol=1e-5)
    assert name == "the caller, behind a step" or got.stride() == expected.stride()
    targets = [node.target for node in graphs[0].nodes]
    assert targets.count(torch.ops.tracea.conv2d.default) == 2
    operators = [node for node in graphs[0].nodes if node.target is torch.ops.tracea.conv2d.default]
    (between,) = operators[0].users
    assert between.kwargs == {"memory_format": torch.channels_last}, "nothing is moved between two convolutions"


def test_images_that_were_channels_last_stay_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    graphs: list[Any] = []
    x = torch.randn(2, 3, 6, 7).contiguous(memory_format=torch.channels_last)
    expected, got = run(ENDS["the caller"], x, graphs)
    assert torch.allclose(got, expected, atol=1e-5) and got.stride() == expected.stride()
    assert not any(node.target == "contiguous" and not node.kwargs for node in graphs[0].nodes)


def test_without_restoring_a_view_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "LAID_OUT", ("cpu",))
    monkeypatch.setattr(rewrite, "restore_planes", lambda graph: None)
    with pytest.raises(RuntimeError, match="view"):
        run(ENDS["a view"], torch.randn(2, 3, 6, 7), [])
