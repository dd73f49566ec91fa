# SPDX-License-Identifier: MIT
"""Training through the compiler: what an activation is applied to leaves the kernel beside its result, where one product reads that."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn
import tracea  # noqa: E402
from tracea.torch.compiler import backend, inductor  # noqa: E402

ALWAYS = {"tracea.policy": "always", "force_disable_caches": True}
needs_compiler = pytest.mark.skipif(inductor.cpp_compiler() is None, reason="no C++ compiler")


@pytest.fixture(autouse=True)
def anew() -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)


class Kept(list):  # type: ignore[type-arg]
    """Shapes of what a backward pass keeps."""

    def __enter__(self) -> Kept:
        def pack(tensor: Any) -> Any:
            self.append(tuple(tensor.shape))
            return tensor

        self.hooks = torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor)
        self.hooks.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.hooks.__exit__(None, None, None)


def trained(model: Any, run: Any, x: Any) -> list[Any]:
    model.zero_grad()
    x = x.detach().requires_grad_()
    result = run(x)
    (result * torch.arange(1.0, result.shape[-1] + 1)).mean().backward()
    return [result.detach(), x.grad, *(p.grad.clone() for p in model.parameters() if p.grad is not None)]


def agree(model: Any, x: Any) -> tuple[Kept, list[str]]:
    """Compare a training step with PyTorch's; return what it keeps and the epilogues of the graph."""
    compiled = torch.compile(model, backend="tracea", options=ALWAYS)
    with Kept() as kept:
        found = trained(model, compiled, x)
    for mine, other in zip(found, trained(model, model, x), strict=True):
        torch.testing.assert_close(mine, other, rtol=1e-4, atol=1e-5)
    report = tracea.explain(model, x.detach().requires_grad_(), policy="always")
    return kept, [region.epilogue for graph in report.graphs for region in graph.regions]


class Spelled(nn.Module):
    """An activation in steps that have no name together."""

    def __init__(self, quick: bool = False) -> None:
        super().__init__()
        self.quick = quick

    def forward(self, x: Any) -> Any:
        if self.quick:
            return x * torch.sigmoid(1.702 * x)
        return 0.5 * x * (1.0 + torch.tanh(0.7978845608028654 * (x + 0.044715 * torch.pow(x, 3.0))))


@needs_compiler
@pytest.mark.parametrize(
    "activation",
    [nn.GELU(), nn.GELU("tanh"), nn.SiLU(), nn.Mish(), nn.Hardswish(), nn.Softplus(), Spelled(), Spelled(quick=True)],
)
def test_both_results_leave_one_kernel(activation: Any) -> None:
    from torch._inductor.utils import run_and_get_code

    model, x = nn.Sequential(nn.Linear(16, 48), activation, nn.Linear(48, 16)), torch.randn(2, 3, 16)
    kept, epilogues = agree(model, x)
    assert kept.count((2, 3, 48)) + kept.count((6, 48)) == 1, "what the activation is applied to, and not its result"
    assert epilogues[0].startswith("bias, auxiliary, ") and epilogues[1] == "bias"
    _, (forward, *_) = run_and_get_code(torch.compile(model, backend="tracea", options=ALWAYS), x.requires_grad_())
    assert forward.count("torch.ops.tracea.into(") == 2 and "auxiliary" in forward and "cpp_fused" not in forward


class Residual(nn.Module):
    """A block whose second product takes a residual; its input is scaled in place ahead of the first product if asked to."""

    def __init__(self, changes: bool = False) -> None:
        super().__init__()
        self.up, self.down, self.changes = nn.Linear(16, 32), nn.Linear(32, 16), changes
        self.up.weight.requires_grad_(not changes)  # whose gradient would forbid the change

    def forward(self, x: Any) -> Any:
        y = x * 2
        act = nn.functional.gelu(self.up(y))
        if self.changes:
            y.mul_(3)
        return self.down(act) + y


@needs_compiler
@pytest.mark.parametrize("changes", [False, True])
def test_a_residual_rides_and_what_changes_meanwhile_does_not(changes: bool) -> None:
    _, epilogues = agree(Residual(changes), torch.randn(5, 16))
    assert epilogues == (["bias, residual"] if changes else ["bias, auxiliary, gelu", "bias, residual"])


class Several(nn.Module):
    """Two products read one activation."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.one, self.two = nn.Linear(16, 32), nn.Linear(32, 16), nn.Linear(32, 16)

    def forward(self, x: Any) -> Any:
        act = nn.functional.gelu(self.up(x))
        return self.one(act) + self.two(act)


class Added(nn.Module):
    """A second product that is added to a matrix, which is no bias."""

    def __init__(self) -> None:
        super().__init__()
        self.up, self.down = nn.Linear(16, 32), nn.Parameter(torch.randn(32, 16))

    def forward(self, x: Any) -> Any:
        return torch.addmm(x, nn.functional.gelu(self.up(x)), self.down)


@needs_compiler
def test_a_matrix_is_no_bias() -> None:
    _, epilogues = agree(Added(), torch.randn(5, 16))
    assert epilogues[0] == "bias"


@needs_compiler
def test_where_others_read_the_activation_it_stays_a_step() -> None:
    _, epilogues = agree(Several(), torch.randn(5, 16))
    assert epilogues[0] == "bias"


@needs_compiler
def test_of_a_chain_of_activations_those_are_kept_that_no_other_follows() -> None:
    layers = [nn.Linear(16, 32), nn.SiLU(), nn.Linear(32, 24), nn.SiLU(), nn.Linear(24, 8)]
    _, epilogues = agree(nn.Sequential(*layers), torch.randn(5, 16))
    assert epilogues == ["bias", "bias, auxiliary, silu", "bias"]


class ByColumns(nn.Module):
    """Products by matrices of columns, of rows without their leading axes, as in GPT-2 of transformers."""

    def __init__(self, columns: int, results: int) -> None:
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(columns, results) * 0.1), nn.Parameter(torch.randn(results))

    def forward(self, x: Any) -> Any:
        return torch.addmm(self.bias, x.view(-1, x.size(-1)), self.weight).view(*x.shape[:-1], self.bias.shape[0])


@needs_compiler
@pytest.mark.parametrize("activation", [nn.GELU(), Spelled()])
def test_views_between_the_products(activation: Any) -> None:
    kept, epilogues = agree(nn.Sequential(ByColumns(16, 48), activation, ByColumns(48, 16)), torch.randn(2, 3, 16))
    assert epilogues[0].startswith("bias, auxiliary, ") and epilogues[1] == "bias"
    assert kept.count((6, 48)) == 1 and (2, 3, 48) not in kept


@needs_compiler
def test_frozen_weights_and_no_bias() -> None:
    model = nn.Sequential(nn.Linear(16, 32, bias=False), nn.GELU(), nn.Linear(32, 8))
    model[0].weight.requires_grad_(False)
    _, epilogues = agree(model, torch.randn(5, 16))
    assert epilogues == ["auxiliary, gelu", "bias"]


@needs_compiler
def test_where_the_second_product_is_left_it_is_pytorchs(monkeypatch: pytest.MonkeyPatch) -> None:
    decide = backend.policy.decide

    def first_only(*given: Any, **more: Any) -> Any:
        decisions = decide(*given, **more)
        decisions[1].taken = False
        return decisions

    from torch._inductor.utils import run_and_get_code

    monkeypatch.setattr(backend.policy, "decide", first_only)
    model, x = nn.Sequential(nn.Linear(16, 48), nn.GELU(), nn.Linear(48, 16)), torch.randn(2, 3, 16)
    agree(model, x)
    torch._dynamo.reset()
    compiled = torch.compile(model, backend="tracea", options=ALWAYS)
    _, codes = run_and_get_code(lambda: compiled(x.requires_grad_()).sum().backward())
    assert [code.count("torch.ops.tracea.into(") for code in codes] == [1, 2], "so are its gradients"


class Images(nn.Module):
    """Rows at the places of an image between convolutions, as in ConvNeXt."""

    def __init__(self) -> None:
        super().__init__()
        self.stem, self.last = nn.Conv2d(3, 16, 2, 2), nn.Conv2d(16, 4, 3)
        self.plain, self.up, self.down = nn.Linear(16, 16), nn.Linear(16, 64), nn.Linear(64, 16)

    def forward(self, x: Any) -> Any:
        rows = self.stem(x).permute(0, 2, 3, 1)
        rows = torch.relu(self.plain(rows)) + rows
        rows = rows + self.down(nn.functional.gelu(self.up(rows)))
        return self.last(rows.permute(0, 3, 1, 2))


@needs_compiler
def test_rows_of_images_are_kept_as_matrices() -> None:
    kept, _ = agree(Images(), torch.randn(2, 3, 12, 12))
    assert (72, 64) in kept and (2, 6, 6, 64) not in kept, "Inductor would copy them into another layout"
