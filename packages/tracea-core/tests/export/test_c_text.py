# SPDX-License-Identifier: MIT
"""Pieces of C mean what they were made from; a compiler says so where there is one."""

from __future__ import annotations

import ctypes
import random
import subprocess
from pathlib import Path

import pytest
from tracea_core.errors import BackendUnavailableError, EmitError
from tracea_core.export.build import compiler_for, machine
from tracea_core.export.c_text import array, expression, is_name, literal, name_of, number, string, structure
from tracea_core.semantic.index import Index, IndexFn, IndexOp, Sym, ceil_div, evaluate, maximum, minimum


def drawn(rng: random.Random, depth: int) -> Index:
    """A random expression over sizes: nothing in it is negative, nothing divides by nothing."""
    if not depth:
        return rng.choice([Sym("m"), Sym("n"), Sym("workers")]) + rng.randrange(3)
    left, right = drawn(rng, depth - 1), drawn(rng, depth - 1)
    makers = (
        lambda: left + right, lambda: left * rng.randrange(1, 9), lambda: left // rng.randrange(1, 9), lambda: left % rng.randrange(2, 99),
        lambda: minimum(left, right), lambda: maximum(left, right), lambda: ceil_div(left, rng.randrange(1, 99)) * 64,
        lambda: maximum(left - right, 0),
    )  # fmt: skip
    return rng.choice(makers)()


def compiled(text: str, folder: Path) -> ctypes.CDLL:
    try:
        compiler = compiler_for(machine())
    except BackendUnavailableError as error:
        pytest.skip(error.message)
    (folder / "probe.c").write_text(text)
    flags = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-Wno-tautological-compare", "-shared", "-fPIC"]
    subprocess.run([*compiler, *flags, "-o", str(folder / "probe.so"), str(folder / "probe.c")], check=True)
    return ctypes.CDLL(str(folder / "probe.so"))


@pytest.mark.toolchain
def test_expressions_are_what_python_evaluates(tmp_path: Path) -> None:
    rng = random.Random(5)
    cases = [(drawn(rng, 3), {"m": rng.randrange(1, 10_000), "n": rng.randrange(1, 100)}) for _ in range(200)]
    lines = [
        f"int64_t f{place}(int64_t workers) {{ (void)workers; return {expression(expr, values, 'workers')}; }}"
        for place, (expr, values) in enumerate(cases)
    ]
    library = compiled("#include <stdint.h>\n" + "\n".join(lines), tmp_path)
    for place, (expr, values) in enumerate(cases):
        function = getattr(library, f"f{place}")
        function.argtypes, function.restype = [ctypes.c_int64], ctypes.c_int64
        for workers in (1, 2, 7, 4096):
            assert function(workers) == evaluate(expr, {**values, "workers": workers})


@pytest.mark.toolchain
def test_literals_survive_a_compiler(tmp_path: Path) -> None:
    numbers = [0, -1, 2**31, -(2**31), 2**62, -(2**63), 2**63 - 1]
    texts = ["plain", 'a "quoted" \\ one', "two\nlines", "tab\tand \x07", "Σ – π", "??=", "7 follows \x01" + "7"]
    text = "#include <stdbool.h>\n#include <stdint.h>\n" + "\n".join(
        (
            array("int64_t", "numbers", map(number, numbers)),
            array("char *const", "texts", map(string, texts)),
            array("int64_t", "none", []),
            structure("struct { int a; _Bool b; const char *c; }", "one", {"a": 5, "b": True, "c": string("x")}),
            "const int64_t *numbers_at(void) { return numbers; }",
            "const char *text_at(int place) { return texts[place]; }",
            "int one_is(void) { return one.a == 5 && one.b && one.c[0] == 'x' && none[0] == 0; }",
        )
    )
    library = compiled(text, tmp_path)
    library.numbers_at.restype, library.text_at.restype = ctypes.POINTER(ctypes.c_int64), ctypes.c_char_p
    assert library.numbers_at()[: len(numbers)] == numbers
    assert [library.text_at(place).decode() for place in range(len(texts))] == texts
    assert library.one_is() == 1


def test_what_c_cannot_say_is_refused() -> None:
    with pytest.raises(EmitError, match="no value was given for n"):
        expression(Sym("n") + 1, {}, "workers")
    with pytest.raises(EmitError, match="computes no quotient"):
        expression(IndexOp(IndexFn.QUOTIENT, Sym("workers"), Sym("workers")), {"r": 5}, "workers")


def test_names() -> None:
    assert [is_name(text) for text in ("a", "A_1", "", "1a", "int", "class", "a b", "ä", "a" * 64)] == [
        True,
        True,
        *[False] * 7,
    ]
    assert name_of("linear 512 3072 768 --epilogue bias,gelu") == "linear_512_3072_768_epilogue_bias_gelu"
    assert (literal(True), literal(7), literal("x")) == ("true", "7", "x")
