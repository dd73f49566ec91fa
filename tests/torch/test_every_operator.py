# SPDX-License-Identifier: MIT
"""What every operator under ``torch.ops.tracea`` must do, for all of them: a new one without an entry in the table fails the first test."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

torch = pytest.importorskip("torch")
forward_ad: Any = pytest.importorskip("torch.autograd.forward_ad")
from torch.utils._python_dispatch import TorchDispatchMode  # noqa: E402
from tracea_core.errors import UnsupportedError  # noqa: E402
from tracea_core.ops.sparse import BlockPattern, SparseOperand  # noqa: E402

import tracea  # noqa: E402
from tracea import ops  # noqa: E402
from tracea.torch.registration import INSIDE, OPERATORS, Operator  # noqa: E402


class Case(NamedTuple):
    """Arguments of an operator.

    Attributes
    ----------
    tensors : tuple
        Those ahead of the operands, of float64 where a gradient is recorded.
    rest : tuple
        Everything from the operands on.
    moving : tuple of int
        Places of the tensors of which there are gradients.
    """

    tensors: tuple[Any, ...]
    rest: tuple[Any, ...]
    moving: tuple[int, ...]


def draw(*shape: int, seed: int = 0) -> Any:
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed + sum(shape)))


def fp8(*shape: int) -> Any:
    return draw(*shape).to(torch.float8_e4m3fn)


def scales(*shape: int) -> Any:
    return draw(*shape).abs().float() + 0.5


ENDS = torch.tensor([2, 2, 5], dtype=torch.int32)
PATTERN = BlockPattern.from_mask([[1, 0, 0, 1, 0], [0, 0, 0, 0, 0], [1, 1, 0, 1, 1]], 4, 3)
LISTS = {which: torch.from_numpy(PATTERN.lists(SparseOperand(which))) for which in "ab"}
ONCE = ([1, 1], [1, 0], [1, 1])
CASES: dict[str, Callable[[], Case]] = {
    "matmul": lambda: Case((draw(3, 5), draw(5, 4)), ([], "gelu", None, False, False, ""), (0, 1)),
    "linear": lambda: Case((draw(2, 3, 5), draw(4, 5)), ([draw(4)], "bias,relu", ""), (0, 1)),
    "conv2d": lambda: Case((draw(2, 4, 4, 3), draw(6, 2, 3, 2)), ([draw(6)], "bias,silu", *ONCE, 2, ""), (0, 1)),
    "conv_transpose2d": lambda: Case(
        (draw(1, 4, 3, 2), draw(4, 3, 3, 2)), ([], "relu", [2, 2], [1, 0], [1, 0], [1, 1], 1, ""), (0, 1)
    ),
    "conv2d_filters": lambda: Case(
        (draw(2, 4, 4, 3), draw(2, 6, 4, 2)), ([], "", [3, 2], *ONCE, 2, 1, "", "torch"), (0, 1)
    ),
    "attention": lambda: Case(
        (draw(1, 4, 3, 4), draw(1, 2, 3, 4), draw(1, 2, 3, 4, seed=1)),
        ([], "", True, None, None, None, ""),
        (0, 1, 2),
    ),
    "masked_attention": lambda: Case(
        (draw(1, 4, 3, 4), draw(1, 2, 5, 4), draw(1, 2, 5, 4, seed=1), draw(4, 1, 5)),
        ([], "", False, None, 1, None, ""),
        (0, 1, 2, 3),
    ),
    "low_rank_mlp": lambda: Case((draw(3, 6), draw(6, 2), draw(2, 5)), ([], "", "gelu", ""), (0, 1, 2)),
    "softmax": lambda: Case((draw(3, 7),), ([], "", True, 0.5, None, ""), (0,)),
    "norm": lambda: Case((draw(3, 7), draw(7), draw(7, seed=1)), ([], "", "layer", 1e-5, None, ""), (0, 1, 2)),
    "grouped_matmul": lambda: Case((draw(5, 4), draw(3, 4, 6), ENDS), ([], "", None, "", "torch"), (0, 1)),
    "block_sparse_matmul": lambda: Case(
        (draw(5, 12), draw(6, 4, 3), LISTS["b"]), ([], "", [3, 5], "b", None, "", "torch"), (0, 1)
    ),
    "grouped_outer": lambda: Case((draw(5, 4), draw(5, 6), ENDS), ([], "", "torch"), (0, 1)),
    "scaled_matmul": lambda: Case(
        (fp8(6, 256), fp8(16, 256).t(), scales(6, 2), scales(2, 1)), ([], "relu", torch.bfloat16, "", "torch"), ()
    ),
    "scaled_grouped_matmul": lambda: Case(
        (fp8(5, 128), fp8(3, 16, 128).transpose(1, 2), ENDS, scales(5, 1), scales(3, 1, 1)),
        ([], "", torch.bfloat16, "", "torch"),
        (),
    ),
}
"""One call of each operator."""

FUNCTIONS: dict[str, Callable[[], Any]] = {
    "block_sparse_matmul": lambda: ops.block_sparse_matmul(*CASES["block_sparse_matmul"]().tensors[:2], PATTERN),
    "attention": lambda: ops.attention(*CASES["attention"]().tensors, causal=True),
    "conv2d": lambda: ops.conv2d(*CASES["conv2d"]().tensors, groups=2),
    "conv2d_filters": lambda: ops.conv2d_filters(*CASES["conv2d_filters"]().tensors, (3, 2), 1, (1, 0), groups=2),
    "conv_transpose2d": lambda: ops.conv_transpose2d(*CASES["conv_transpose2d"]().tensors),
    "grouped_matmul": lambda: ops.grouped_matmul(*CASES["grouped_matmul"]().tensors),
    "layer_norm": lambda: ops.layer_norm(*CASES["norm"]().tensors),
    "linear": lambda: ops.linear(*CASES["linear"]().tensors),
    "log_softmax": lambda: ops.log_softmax(draw(3, 7)),
    "low_rank_mlp": lambda: ops.low_rank_mlp(*CASES["low_rank_mlp"]().tensors),
    "matmul": lambda: ops.matmul(*CASES["matmul"]().tensors),
    "normalize": lambda: ops.normalize(draw(3, 7)),
    "rms_norm": lambda: ops.rms_norm(draw(3, 7), draw(7)),
    "scaled_grouped_matmul": lambda: ops.scaled_grouped_matmul(
        *(CASES["scaled_grouped_matmul"]().tensors[place] for place in (0, 1, 3, 4, 2))
    ),
    "scaled_matmul": lambda: ops.scaled_matmul(*CASES["scaled_matmul"]().tensors),
    "softmax": lambda: ops.softmax(draw(3, 7)),
}
"""One call of each public function that computes something."""
COPIES = {"aligned", "prepacked"}
"""Functions that only lay an array out anew."""
OPERATOR_OF = {"layer_norm": "norm", "rms_norm": "norm", "normalize": "norm", "log_softmax": "softmax"}

every = pytest.mark.parametrize("name", sorted(OPERATORS))


def operator(name: str) -> Any:
    return getattr(torch.ops.tracea, name).default


def close(got: Any, expected: Any) -> bool:
    assert got.dtype is expected.dtype and got.shape == expected.shape
    return bool(torch.allclose(got.double(), expected.double(), atol=1e-6, rtol=1e-6))


def apart(case: Case) -> list[Any]:
    """The tensors, with gradients asked for."""
    return [t.clone().requires_grad_(place in case.moving) for place, t in enumerate(case.tensors)]


def test_every_operator_and_function_stands_in_the_tables() -> None:
    known = {name.split("::")[1] for name in torch._C._dispatch_get_all_op_names() if name.startswith("tracea::")}
    expected = {twin for name, each in OPERATORS.items() for twin in (name, *([f"_{name}"] if each.twin else []))}
    assert known == expected | INSIDE, "an operator was registered beside tracea.torch.registration"
    assert set(CASES) == set(OPERATORS)
    assert set(FUNCTIONS) | COPIES == set(ops.__all__)


def test_an_operator_without_an_entry_would_be_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(OPERATORS, "forgotten", Operator("()", False, None, False))
    with pytest.raises(AssertionError):
        test_every_operator_and_function_stands_in_the_tables()


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_functions_reach_their_operator_where_something_listens(name: str) -> None:
    seen: list[str] = []

    class Listener(TorchDispatchMode):
        def __torch_dispatch__(self, called: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            seen.append(str(called))
            return called(*args, **(kwargs or {}))

    expected = FUNCTIONS[name]()
    with Listener():
        got = FUNCTIONS[name]()
    assert f"tracea.{OPERATOR_OF.get(name, name)}.default" in seen
    assert close(got, expected) and got.stride() == expected.stride()


@every
def test_pytorchs_own_checks(name: str) -> None:
    case = CASES[name]()
    given, before = apart(case), [t.clone() for t in case.tensors]
    checks = ["test_schema", "test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic"]
    if case.tensors[0].dtype is torch.float8_e4m3fn:
        checks.remove("test_schema")  # PyTorch compares with products of such elements, which it does not know
    torch.library.opcheck(operator(name), (*given, *case.rest), test_utils=checks)
    assert all(torch.equal(now.double(), then.double()) for now, then in zip(given, before, strict=True))


@every
def test_gradients_are_right_or_refused(name: str) -> None:
    case = CASES[name]()
    if OPERATORS[name].recorded:
        text = case.rest[1] if "epilogue" in OPERATORS[name].schema else ""
        given = [t.clone().requires_grad_() for t in case.rest[0]]
        assert torch.autograd.gradcheck(
            lambda *all: operator(name)(*all[: len(case.tensors)], list(all[len(case.tensors) :]), *case.rest[1:]),
            (*apart(case), *given),
        ), text
        return
    floating = [t.requires_grad_() if t.dtype is torch.float32 else t for t in case.tensors]
    with pytest.raises(tracea.OptionError, match="no gradients flow"):
        operator(name)(*floating, *case.rest)
    with torch.no_grad():
        assert not operator(name)(*floating, *case.rest).requires_grad


@every
def test_function_transforms(name: str) -> None:
    case = CASES[name]()
    if not OPERATORS[name].recorded:
        with pytest.raises(tracea.OptionError, match="no gradients flow"):
            place = next(place for place, t in enumerate(case.tensors) if t.dtype is torch.float32)
            others = list(case.tensors)

            def loss(moved: Any) -> Any:
                return operator(name)(*others[:place], moved, *others[place + 1 :], *case.rest).sum()

            torch.func.grad(loss)(case.tensors[place])
        return
    mine = torch.func.grad(lambda first: operator(name)(first, *case.tensors[1:], *case.rest).square().sum())
    first = case.tensors[0].clone().requires_grad_()
    (theirs,) = torch.autograd.grad(operator(name)(first, *case.tensors[1:], *case.rest).square().sum(), first)
    assert close(mine(case.tensors[0]), theirs)
    many = torch.stack([case.tensors[0], 2 * case.tensors[0]])
    assert close(torch.vmap(mine)(many)[1], mine(many[1]))


@every
def test_vmap(name: str) -> None:
    case = CASES[name]()
    many = torch.stack([case.tensors[0].double(), -case.tensors[0].double()]).to(case.tensors[0].dtype)
    call = lambda first: operator(name)(first, *case.tensors[1:], *case.rest)  # noqa: E731
    assert close(torch.vmap(call)(many), torch.stack([call(one) for one in many]))


@every
def test_autocast(name: str) -> None:
    case = CASES[name]()
    single = [t.float() if t.dtype is torch.float64 else t for t in case.tensors]
    operands, *rest = case.rest
    operands = [t.float() for t in operands]
    plain = operator(name)(*single, operands, *rest)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        got = operator(name)(*single, operands, *rest)
    cast = OPERATORS[name].cast
    expected = torch.bfloat16 if cast is not None and "CPU" in cast.devices else plain.dtype
    assert got.dtype is expected
    assert torch.allclose(got.float(), plain.float(), atol=0.15, rtol=0.05)


@every
def test_meta_tensors_have_the_same_layout(name: str) -> None:
    case = CASES[name]()
    real = operator(name)(*case.tensors, *case.rest)
    operands, *rest = case.rest
    got = operator(name)(*(t.to("meta") for t in case.tensors), [t.to("meta") for t in operands], *rest)
    assert got.is_meta and (got.shape, got.stride(), got.dtype) == (real.shape, real.stride(), real.dtype)


@every
def test_export_and_compiled_graphs_keep_the_operator(name: str) -> None:
    case = CASES[name]()

    class Layer(torch.nn.Module):
        def forward(self, *tensors: Any) -> Any:
            return operator(name)(*tensors, *case.rest)

    expected = operator(name)(*case.tensors, *case.rest)
    exported = torch.export.export(Layer(), case.tensors)
    assert f"tracea.{name}." in exported.graph_module.code
    assert close(exported.module()(*case.tensors), expected)
    compiled = torch.compile(Layer(), backend="aot_eager", fullgraph=True)
    assert close(compiled(*case.tensors), expected)


@every
def test_inference_mode(name: str) -> None:
    case = CASES[name]()
    expected = operator(name)(*case.tensors, *case.rest)
    with torch.inference_mode():
        got = operator(name)(*case.tensors, *case.rest)
    assert got.is_inference() and not got.requires_grad and close(got, expected)


@every
@pytest.mark.parametrize("kind", ["to_sparse", "to_mkldnn"])
def test_what_has_no_strides_is_refused(name: str, kind: str) -> None:
    case = CASES[name]()
    first, *others = case.tensors
    with pytest.raises(UnsupportedError, match="sparse, nested"):
        operator(name)(getattr(first.float(), kind)(), *others, *case.rest)


recorded = pytest.mark.parametrize("name", sorted(name for name, each in OPERATORS.items() if each.recorded))
refused = pytest.mark.parametrize("name", sorted(name for name, each in OPERATORS.items() if not each.recorded))


def moving(name: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
    """A call of an operator as a function of those tensors that have a derivative, and these tensors."""
    case = CASES[name]()

    def function(*moved: Any) -> Any:
        tensors = list(case.tensors)
        for place, tensor in zip(case.moving, moved, strict=True):
            tensors[place] = tensor
        return operator(name)(*tensors, *case.rest)

    return function, tuple(case.tensors[place] for place in case.moving)


def tangent_of(function: Callable[[Any], Any], x: Any, direction: Any) -> Any:
    """The tangent that a function's result carries, None if it carries none."""
    with forward_ad.dual_level():
        return forward_ad.unpack_dual(function(forward_ad.make_dual(x, direction))).tangent


def slope(function: Callable[[Any], Any], x: Any, direction: Any, step: float = 1e-6) -> Any:
    """The same by central differences."""
    return (function(x + step * direction) - function(x - step * direction)) / (2 * step)


@recorded
def test_tangents_are_those_of_differences(name: str) -> None:
    case = CASES[name]()
    assert torch.autograd.gradcheck(
        lambda *tensors: operator(name)(*tensors, *case.rest),
        apart(case),
        check_forward_ad=True,
        check_batched_forward_grad=True,
        check_backward_ad=False,
    )


@recorded
def test_what_rides_along_has_tangents_too(name: str) -> None:
    operands = CASES[name]().rest[0]
    if not operands:
        pytest.skip("its case has no operands")
    case = CASES[name]()

    def function(operand: Any) -> Any:
        return operator(name)(*case.tensors, [operand, *operands[1:]], *case.rest[1:])

    direction = draw(*operands[0].shape, seed=3)
    assert torch.allclose(
        tangent_of(function, operands[0], direction), slope(function, operands[0], direction), atol=1e-6
    )


@recorded
def test_both_modes_give_one_jacobian(name: str) -> None:
    function, given = moving(name)
    places = tuple(range(len(given)))
    forwards, backwards = (how(function, places)(*given) for how in (torch.func.jacfwd, torch.func.jacrev))
    for one, other in zip(forwards, backwards, strict=True):
        torch.testing.assert_close(one, other, atol=1e-7, rtol=1e-7)


@recorded
def test_levels_nest(name: str) -> None:
    function, (first, *others) = moving(name)

    def loss(x: Any) -> Any:
        return function(x, *others).square().sum()

    expected = torch.autograd.functional.hessian(loss, first)
    torch.testing.assert_close(torch.func.hessian(loss)(first), expected, atol=1e-7, rtol=1e-7)
    direction = draw(*first.shape, seed=5)

    def along(x: Any) -> Any:
        return torch.func.jvp(loss, (x,), (direction,))[1]

    twice = torch.func.jvp(along, (first,), (direction,))[1]
    inner = (expected.reshape(first.numel(), -1) @ direction.reshape(-1)) @ direction.reshape(-1)
    torch.testing.assert_close(twice, inner, atol=1e-7, rtol=1e-7)


@refused
def test_operators_without_derivatives_refuse_tangents(name: str) -> None:
    case = CASES[name]()
    place = next(place for place, tensor in enumerate(case.tensors) if tensor.dtype is torch.float32)

    def function(moved: Any) -> Any:
        return operator(name)(*case.tensors[:place], moved, *case.tensors[place + 1 :], *case.rest)

    scale = case.tensors[place]
    with pytest.raises(tracea.OptionError, match="no gradients flow"):
        tangent_of(function, scale, scale)
    with pytest.raises(tracea.OptionError, match="no gradients flow"):
        torch.func.jvp(function, (scale,), (scale,))
    with forward_ad.dual_level():
        assert torch.equal(function(scale), function(scale)), "without a tangent there is nothing to refuse"


@pytest.mark.parametrize("name", sorted(name for name in FUNCTIONS if "scaled" not in name))
def test_functions_agree_in_forward_mode(name: str) -> None:
    expected = FUNCTIONS[name]()
    with forward_ad.dual_level():
        assert close(FUNCTIONS[name](), expected)
