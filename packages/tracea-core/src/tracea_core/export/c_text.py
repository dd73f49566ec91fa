# SPDX-License-Identifier: MIT
"""Pieces of C: names, strings, constant arrays, and index expressions of which one symbol is left."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping

from tracea_core.errors import EmitError
from tracea_core.semantic.index import Const, Index, IndexFn, Ragged, Sym, substitute

_WIDTH = 130
_OPERATORS = {IndexFn.ADD: "+", IndexFn.SUB: "-", IndexFn.MUL: "*", IndexFn.FLOORDIV: "/", IndexFn.MOD: "%"}
_KEYWORDS = frozenset(
    [
        "auto",
        "break",
        "case",
        "char",
        "const",
        "continue",
        "default",
        "do",
        "double",
        "else",
        "enum",
        "extern",
        "float",
        "for",
        "goto",
        "if",
        "inline",
        "int",
        "long",
        "register",
        "restrict",
        "return",
        "short",
        "signed",
        "sizeof",
        "static",
        "struct",
        "switch",
        "typedef",
        "union",
        "unsigned",
        "void",
        "volatile",
        "while",
        "class",
        "new",
        "delete",
        "this",
        "template",
    ]
)
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,62}")


def is_name(text: str) -> bool:
    """Whether C and C++ take `text` as a name: letters, digits and underscores, at most 63."""
    return bool(NAME.fullmatch(text)) and text not in _KEYWORDS


def name_of(text: str) -> str:
    """Return a name that says the same.

    >>> name_of("scale:0.5, relu")
    'scale_0_5_relu'
    """
    return re.sub(r"[^A-Za-z0-9]+", "_", text).strip("_")


def string(text: str) -> str:
    r"""Return `text` as a literal of C.

    >>> print(string('a "b"\n'))
    "a \"b\"\n"
    """
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("??", "?\\?")  # no trigraphs
    return (
        '"' + "".join(c if " " <= c <= "~" else "".join(f"\\{byte:03o}" for byte in c.encode()) for c in escaped) + '"'
    )


def number(value: int) -> str:
    """Return a 64-bit integer as C writes it; its smallest has no literal of its own.

    >>> number(-2**63), number(5)
    ('(-INT64_C(9223372036854775807) - 1)', '5')
    """
    if value == -(1 << 63):
        return f"(-INT64_C({(1 << 63) - 1}) - 1)"
    if abs(value) < 1 << 31:
        return str(value)
    return f"INT64_C({value})" if value < 1 << 63 else f"UINT64_C({value})"


def array(kind: str, name: str, values: Iterable[str]) -> str:
    """Return the definition of a constant array; C has none without elements, so one of zeros that nobody reads stands for it.

    >>> print(array("int64_t", "x", []))
    static const int64_t x[1] = {0};
    """
    listed = list(values)
    if not listed:
        return f"static const {kind} {name}[1] = {{0}};"
    if listed[0].startswith("{"):  # structures, one on each line
        inner = ",\n    ".join(listed)
        return f"static const {kind} {name}[{len(listed)}] = {{\n    {inner}}};"
    joined = ", ".join(listed)
    if len(joined) + len(kind) + len(name) < _WIDTH - 30:
        return f"static const {kind} {name}[{len(listed)}] = {{{joined}}};"
    lines = textwrap.fill(joined, _WIDTH, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
    return f"static const {kind} {name}[{len(listed)}] = {{\n{lines}}};"


def structure(kind: str, name: str, fields: Mapping[str, object]) -> str:
    """Return the definition of a constant structure, a line for each field; truth is C's.

    >>> print(structure("Kernel", "k", {"threads": 128, "early": True}))
    static const Kernel k = {
        .threads = 128,
        .early = true,
    };
    """
    lines = "".join(f"    .{field} = {literal(value)},\n" for field, value in fields.items())
    return f"static const {kind} {name} = {{\n{lines}}};"


def literal(value: object) -> str:
    """Return a field's value as C: text as it is, integers by `number`, truth as C's."""
    return str(value).lower() if isinstance(value, bool) else number(value) if isinstance(value, int) else str(value)


def expression(expr: Index, values: Mapping[str, int], free: str) -> str:
    """Return `expr` in C's 64-bit integers, with every symbol but `free` as its value.

    Where C's division rounds towards zero and Python's down, they agree: what is divided is the size of something.

    >>> expression((Sym("n") * Sym("workers") + 63) // 64, {"n": 100}, "workers")
    '(((100 * workers) + 63) / 64)'
    """
    bound = substitute(expr, {name: Const(value) for name, value in values.items() if name != free})
    return _text(bound, free)


def _text(expr: Index, free: str) -> str:
    if isinstance(expr, Const):
        return number(expr.value)
    if isinstance(expr, Sym):
        if expr.name != free:
            raise EmitError(f"no value was given for {expr.name}")
        return free
    if isinstance(expr, Ragged):
        raise EmitError("a library looks up nothing about groups")
    left, right = _text(expr.left, free), _text(expr.right, free)
    if expr.fn in _OPERATORS:
        return f"({left} {_OPERATORS[expr.fn]} {right})"
    if expr.fn in (IndexFn.MIN, IndexFn.MAX):
        return f"({left} {'<' if expr.fn is IndexFn.MIN else '>'} {right} ? {left} : {right})"
    raise EmitError(f"a library computes no {expr.fn.value}")
