# SPDX-License-Identifier: MIT
"""The same operators on a GPU: numbers, streams, graph capture, compiled models. Needs a device; what no kernel takes is PyTorch's."""

from __future__ import annotations

import copy
import importlib.util
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
if not torch.cuda.is_available():
    pytest.skip("needs a GPU", allow_module_level=True)
pytestmark = pytest.mark.device
F = torch.nn.functional

import tracea  # noqa: E402
import tracea.torch as tt  # noqa: E402
from tracea import ops  # noqa: E402
from tracea.torch import kernels  # noqa: E402

_SPEC = importlib.util.spec_from_file_location("tracea_test_models", Path(__file__).parent / "models.py")
assert _SPEC is not None and _SPEC.loader is not None
models = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(models)


def draw(*shape: int, dtype: Any = torch.bfloat16) -> Any:
    torch.manual_seed(sum(shape))
    return torch.randn(*shape, device="cuda").to(dtype)


def off(got: Any, exact: Any) -> float:
    return float((got.double() - exact).norm() / exact.norm())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
@pytest.mark.parametrize("shape", [(64, 64, 64), (256, 512, 384), (100, 96, 72), (7, 13, 11)])
@pytest.mark.parametrize("text", ["", "bias,relu", "bias,gelu,residual"])
def test_products(text: str, shape: tuple[int, int, int], dtype: Any) -> None:
    m, n, k = shape
    x, w, b, r = draw(m, k, dtype=dtype), draw(n, k, dtype=dtype), draw(n, dtype=dtype), draw(m, n, dtype=dtype)
    given = [] if not text else [b, r] if "residual" in text else [b]
    exact = x.double() @ w.double().t()
    exact = exact + b.double() if text else exact
    exact = F.relu(exact) if "relu" in text else F.gelu(exact) + r.double() if "gelu" in text else exact
    assert off(tt.linear(x, w, given, text), exact) < 8 * torch.finfo(dtype).eps
    plain = ops.linear(x, w, b, epilogue="silu")
    assert off(plain, F.silu(x.double() @ w.double().t() + b.double())) < 8 * torch.finfo(dtype).eps


def test_gradients() -> None:
    x, w, b = (t.requires_grad_() for t in (draw(128, 64), draw(96, 64), draw(96)))
    weights = draw(128, 96)
    (ops.linear(x, w, b, epilogue="relu") * weights).sum().backward()
    exact = [t.detach().double().requires_grad_() for t in (x, w, b)]
    (F.relu(F.linear(*exact)) * weights.double()).sum().backward()
    for mine, theirs in zip((x, w, b), exact, strict=True):
        assert off(mine.grad, theirs.grad) < 0.05


def test_operator_checks() -> None:
    x, w, b = draw(64, 64).requires_grad_(), draw(64, 64).requires_grad_(), draw(64)
    torch.library.opcheck(torch.ops.tracea.linear.default, (x, w, [b], "bias,relu", ""))


def test_work_is_queued_on_the_current_stream() -> None:
    x, w = draw(2048, 2048), draw(2048, 2048)
    expected = tt.linear(x, w)
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        torch.cuda._sleep(50_000_000)
        late = x * 1.0
        got = tt.linear(late, w)
    stream.synchronize()
    assert torch.equal(got, expected)


VIEWS = {
    "contiguous": lambda: draw(512, 1024),
    "transposed": lambda: draw(1024, 512).t(),
    "every second row": lambda: draw(1024, 1024)[::2],
    "a window": lambda: draw(600, 1200)[3:515, 8:1032],
}


def taken(call: Any) -> tuple[int, Any]:
    """Return how much memory of PyTorch's a call takes at the most, its result included, and the result; it was made before."""
    call()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    torch.cuda.reset_peak_memory_stats()
    result = call()
    return torch.cuda.max_memory_allocated() - before, result


@pytest.mark.parametrize("view", VIEWS)
def test_views_are_taken_as_they_are(view: str) -> None:
    x, w, b = VIEWS[view](), draw(768, 1024), draw(768)
    more, got = taken(lambda: ops.linear(x, w, b, epilogue="relu", fallback="error"))
    assert more == got.nbytes, "something was copied"
    assert off(got, F.relu(F.linear(x.double(), w.double(), b.double()))) < 0.02
    more, _ = taken(lambda: ops.linear(x.clone(), w, b, epilogue="relu", fallback="error"))
    assert more >= got.nbytes + x.nbytes, "a copy would be seen"


def test_images_that_are_channels_last_are_taken_as_they_are() -> None:
    x, w = (draw(*shape).contiguous(memory_format=torch.channels_last) for shape in ((8, 64, 56, 56), (128, 64, 3, 3)))
    more, got = taken(lambda: ops.conv2d(x, w, padding=1, epilogue="relu", fallback="error"))
    assert more == got.nbytes and got.is_contiguous(memory_format=torch.channels_last)
    assert off(got, F.relu(F.conv2d(x.double(), w.double(), padding=1))) < 0.02


def test_graph_capture() -> None:
    x, w, b = draw(256, 512), draw(384, 512), draw(384)
    tt.linear(x, w, [b], "bias,relu")
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = tt.linear(x, w, [b], "bias,relu")
    x.copy_(draw(256, 513)[:, :512])
    graph.replay()
    torch.cuda.synchronize()
    assert off(out, F.relu(F.linear(x.double(), w.double(), b.double()))) < 0.02


@pytest.mark.parametrize("mode", ["inference", "train"])
@pytest.mark.parametrize("name", models.MODELS)
def test_compiled_models(name: str, mode: str) -> None:
    torch._dynamo.reset()
    torch.manual_seed(0)
    make, inputs = models.MODELS[name]
    model = make().cuda().train(mode == "train")
    other = copy.deepcopy(model).double()
    values = [x.cuda() for x in inputs()]
    compiled = torch.compile(model, backend="tracea", fullgraph=True, options={"tracea.policy": "always"})
    with torch.set_grad_enabled(mode == "train"):
        got, exact = compiled(*values), other(*(x.double() for x in values))
    assert off(got, exact) < 5e-3, "tf32 at worst"
    if mode == "train":
        got.square().sum().backward()
        exact.square().sum().backward()
        for mine, theirs in zip(model.parameters(), other.parameters(), strict=True):
            if theirs.grad is not None and float(theirs.grad.norm()) > 1e-3:
                assert off(mine.grad, theirs.grad) < 2e-2


@pytest.mark.parametrize("allowed", [True, False])
def test_compiled_convolutions_of_fp32_follow_pytorchs_flag(allowed: bool) -> None:
    """Where PyTorch's own kernels may round to tf32, ours may, and so they are taken; elsewhere they are exact."""
    torch._dynamo.reset()
    tt.reset_stats()
    model = torch.nn.Sequential(torch.nn.Conv2d(16, 32, 3, padding=1), torch.nn.ReLU()).cuda()
    x = draw(4, 16, 28, 28, dtype=torch.float32)
    with torch.backends.cudnn.flags(enabled=True, allow_tf32=allowed), torch.no_grad():
        got = torch.compile(model, backend="tracea", options={"tracea.policy": "always"})(x)
        assert tt.stats().taken == 1
        error = off(got, copy.deepcopy(model).double()(x.double()))
    assert 1e-5 < error < 2e-3 if allowed else error < 2e-6


@pytest.mark.parametrize("mode", [None, "reduce-overhead"])
def test_a_bfloat16_mlp_uses_kernels_and_graphs(mode: str | None) -> None:
    torch._dynamo.reset()
    tt.reset_stats()
    model = (
        torch.nn.Sequential(torch.nn.Linear(512, 1024), torch.nn.GELU(), torch.nn.Linear(1024, 512)).cuda().bfloat16()
    )
    x = draw(256, 512)
    given: dict[str, Any] = {"mode": mode} if mode else {}
    compiled = torch.compile(model, backend="tracea", options=None if mode else {"tracea.policy": "always"}, **given)
    with torch.no_grad():
        for _ in range(4):
            got = compiled(x).clone()
        assert off(got, copy.deepcopy(model).double()(x.double())) < 0.02
    if kernels.find("linear", [x, model[0].weight, model[0].bias], "bias,gelu", (), "").reason is None and not mode:
        assert tt.stats().taken == 2


@pytest.mark.parametrize("activation", [torch.nn.GELU(), torch.nn.SiLU(), torch.nn.Hardswish()])
@pytest.mark.parametrize("lead", [(8, 64), (2, 16, 16)])
def test_training_keeps_what_activations_are_applied_to(lead: tuple[int, ...], activation: Any) -> None:
    torch.manual_seed(0)
    layers = torch.nn.Linear(128, 512), activation, torch.nn.Linear(512, 128)
    model = torch.nn.Sequential(*layers).to("cuda", torch.bfloat16)
    exact = copy.deepcopy(model).double()
    compiled = torch.compile(model, backend="tracea", options={"tracea.policy": "always"})
    for _ in range(3):
        x, weights = draw(*lead, 128), draw(*lead, 128)
        given, wide = x.clone().requires_grad_(), x.double().requires_grad_()
        for run, of, at in ((compiled, model, given), (exact, exact, wide)):
            of.zero_grad()
            (run(at) * weights.to(at.dtype)).sum().backward()
        pairs = [
            (given.grad, wide.grad),
            *((p.grad, q.grad) for p, q in zip(model.parameters(), exact.parameters(), strict=True)),
        ]
        assert all(off(mine, theirs) < 0.02 for mine, theirs in pairs)
    report = tracea.explain(model, x.requires_grad_(), policy="always")
    assert report.graphs[0].regions[0].epilogue.startswith("bias, auxiliary, ")


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("size", [28, 27, 7])
def test_planes_with_filters_of_their_own(size: int, dtype: Any) -> None:
    """A patched layer is filtered where it lies, and so is the gradient of its image."""
    plain = torch.nn.Conv2d(24, 24, 7, padding=3, groups=24).to("cuda", dtype)
    layer = tracea.TraceaConv2d.from_module(plain)
    x = draw(8, 24, size, size, dtype=dtype).requires_grad_()
    assert layer.fallback_reason(x) is None
    weights = draw(8, 24, size, size, dtype=dtype)
    result = layer(x)
    assert result.is_contiguous()
    exact = x.detach().double().requires_grad_()
    filters, bias = (tensor.detach().double().requires_grad_() for tensor in (plain.weight, plain.bias))
    expected = F.conv2d(exact, filters, bias, padding=3, groups=24)
    (result * weights).sum().backward()
    (expected * weights.double()).sum().backward()
    for got, wanted in ((result, expected), (x.grad, exact.grad), (plain.weight.grad, filters.grad)):
        assert off(got, wanted) < 8 * torch.finfo(dtype).eps
