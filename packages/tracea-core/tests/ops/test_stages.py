# SPDX-License-Identifier: MIT
"""Chains: order, slots, what is shared, and what stands for a stage."""

from typing import Any

import numpy as np
import pytest
from tracea_core.errors import DTypeError, OptionError, ShapeError
from tracea_core.ops.activations import BiasAdd, Gelu, Quantize, ReLU, Residual, Scale, SwiGLU
from tracea_core.ops.epilogue import IDENTITY
from tracea_core.ops.stages import Chain, Lambda, Stage, as_chain, check_array, check_number

B = np.arange(4.0, dtype=np.float32)
R = np.ones((3, 4), np.float32)


def run(stage: Stage, x: np.ndarray) -> np.ndarray:
    epilogue, operands = stage.bind()
    return epilogue.reference(x, operands)


def test_a_chain_applies_its_stages_in_order() -> None:
    x = np.linspace(-2, 2, 12).reshape(3, 4)
    assert np.allclose(run(BiasAdd(B) | ReLU() | Residual(R) | Scale(2.0), x), (np.maximum(x + B, 0) + R) * 2)
    assert np.allclose(run(ReLU() | BiasAdd(B), x), np.maximum(x, 0) + B)


def test_operands_are_the_objects_that_were_given() -> None:
    epilogue, operands = (BiasAdd(B) | Residual(R) | BiasAdd(B)).bind()
    assert operands[0] is B
    assert operands[1] is R
    assert len(operands) == len(epilogue.operands) == 3
    assert epilogue.label == "bias, residual, bias"


def test_how_stages_are_grouped_does_not_matter() -> None:
    a, b, c = BiasAdd(B), Gelu(), Residual(R)
    left, right = (a | b) | c, a | (b | c)
    assert left.epilogue is right.epilogue
    assert left.stages == right.stages == (a, b, c)


def test_the_structure_is_made_once() -> None:
    first, second = BiasAdd(B) | Gelu() | Scale(0.5), BiasAdd(B + 1) | Gelu() | Scale(0.5)
    assert first.epilogue is second.epilogue
    assert first.bind() is first.bind()
    assert as_chain(first) is first


def test_functions_and_names_stand_for_stages() -> None:
    x = np.linspace(-2, 2, 12).reshape(3, 4)
    assert np.allclose(run(BiasAdd(B) | (lambda x: x * x), x), (x + B) ** 2)
    assert np.allclose(run((lambda x: x * x) | ReLU(), x), x * x)
    assert np.allclose(run(as_chain(np.tanh), x), np.tanh(x))
    assert np.allclose(run(as_chain("scale:2,relu"), x), np.maximum(2 * x, 0))
    assert np.allclose(run(Lambda(lambda x: x + B) | Residual(R), x), x + B + R)
    assert as_chain(None).bind() == (IDENTITY, ())


def test_a_gate_takes_views_of_what_comes_before() -> None:
    x, wide, full = np.linspace(-2, 2, 24).reshape(3, 8), np.arange(8.0), np.ones((3, 8))
    chain = BiasAdd(wide) | Residual(full) | Scale(np.float32([3.0])) | SwiGLU() | BiasAdd(B)
    assert all(np.shares_memory(view, wide) for view in (chain.operands[0], chain.operands[3]))
    y = (x + wide + full) * 3
    gate, up = y[:, :4], y[:, 4:]
    assert np.allclose(run(chain, x), gate / (1 + np.exp(-gate)) * up + B)


def test_a_gate_needs_even_arrays_and_stands_once() -> None:
    with pytest.raises(ShapeError, match="even"):
        BiasAdd(np.ones(5)) | SwiGLU()
    with pytest.raises(OptionError, match="gated once"):
        SwiGLU() | SwiGLU()


@pytest.mark.parametrize("thing", [3, [ReLU()], ReLU, "bias", object()])
def test_what_is_no_stage_is_refused(thing: Any) -> None:
    with pytest.raises(OptionError):
        as_chain(thing)


def test_opaque_operands_need_only_a_shape() -> None:
    class Foreign:
        shape = (4,)

        def __dlpack__(self) -> None:
            raise AssertionError("nothing may read the data")

    foreign = Foreign()
    assert (BiasAdd(foreign) | ReLU()).operands == (foreign,)
    assert Scale(foreign).epilogue.label == "column_scale"


def test_torch_tensors_are_operands() -> None:
    torch = pytest.importorskip("torch")
    chain = BiasAdd(torch.ones(8, dtype=torch.bfloat16)) | SwiGLU() | Quantize("int8", torch.ones(()))
    assert [tuple(operand.shape) for operand in chain.operands] == [(4,), (4,), ()]
    assert isinstance(as_chain(torch.relu), Lambda)


def test_arrays_and_numbers_are_checked() -> None:
    assert check_array("x", B, rank=1) == (4,)
    with pytest.raises(OptionError, match="must be an array"):
        check_array("x", [1.0])
    with pytest.raises(ShapeError, match="2 axes"):
        check_array("x", B, rank=2)
    for dtype in (np.complex64, np.bool_, object, ">f4", "M8[s]"):
        with pytest.raises(DTypeError):
            check_array("x", np.zeros(3, dtype))
    for value in (True, "3", None, 1j, float("nan"), float("inf"), [1.0], 10**400):
        with pytest.raises(OptionError):
            check_number("x", value)
    with pytest.raises(OptionError, match="positive"):
        check_number("x", 0, positive=True)


def test_an_empty_chain_changes_nothing() -> None:
    assert Chain().bind() == (IDENTITY, ())
    assert (Chain() | ReLU()).epilogue is ReLU().epilogue
    assert repr(BiasAdd(B) | ReLU()) == "Chain(bias, relu: (4,))"


def test_a_structural_epilogue_stands_for_itself() -> None:
    epilogue = ReLU().epilogue
    assert as_chain(epilogue).bind() == (epilogue, ())
    assert (BiasAdd(B) | epilogue).epilogue == (BiasAdd(B) | ReLU()).epilogue
    with pytest.raises(OptionError, match="takes 1 arrays"):
        as_chain(BiasAdd(B).epilogue)
