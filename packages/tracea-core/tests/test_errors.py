# SPDX-License-Identifier: MIT
"""Errors name the cause and the way out, and are caught by the built-in that fits."""

import inspect

import pytest
from tracea_core import errors
from tracea_core.errors import DTypeError, OptionError, ShapeError, TraceaError


def test_text_holds_facts_and_hint():
    error = ShapeError("shapes differ", op="matmul", shapes=((2, 3), (4, 5)), device=None, hint="Transpose b")
    assert str(error) == "shapes differ [op=matmul, shapes=((2, 3), (4, 5))]. Transpose b"
    assert dict(error.facts) == {"op": "matmul", "shapes": ((2, 3), (4, 5))}
    assert error.hint == "Transpose b"
    assert str(TraceaError("only this")) == "only this"


@pytest.mark.parametrize(
    ("kind", "builtin"), [(ShapeError, ValueError), (DTypeError, TypeError), (OptionError, ValueError)]
)
def test_callers_errors_are_also_builtins(kind, builtin):
    with pytest.raises(builtin):
        raise kind("no")


def test_every_error_has_one_base_and_says_what_it_means():
    kinds = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, Exception)]
    assert len(kinds) > 10
    for kind in kinds:
        assert issubclass(kind, TraceaError)
        assert kind.__doc__
