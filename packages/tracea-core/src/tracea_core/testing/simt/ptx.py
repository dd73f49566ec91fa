# SPDX-License-Identifier: MIT
"""Turns inline PTX into calls of twins, so that what runs is the text a GPU would get, operand by operand.

Only the shape of a statement is understood here: constraints, labels, guards, registers, vectors and addresses. Each instruction
becomes a call that carries its full name; the headers below ``include/simt/ptx`` say what it does, and refuse a name they do not
know when the kernel is compiled.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from tracea_core.errors import CompileError

_STATEMENT = re.compile(r"\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\(")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_OPERAND = re.compile(r'\s*"([^"]*)"\s*\((.*)\)\s*', re.DOTALL)
_LABEL = re.compile(r"([A-Za-z_$][\w$]*)\s*:(?!:)")
_GUARD = re.compile(r"@(!?)\s*([\w$%]+)\s+")
_NUMBER = re.compile(r"-?(0[xX][0-9a-fA-F]+|\d+)U?")
_ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"'}
_TYPES = {
    "pred": "bool",
    "f32": "float",
    "f64": "double",
    "b16": "uint16_t",
    "u16": "uint16_t",
    "b64": "uint64_t",
    "u64": "uint64_t",
}


class _Operand(NamedTuple):
    expression: str
    output: bool


def translate(text: str) -> str:
    """Return the text with every inline assembly statement replaced, each line where it was.

    Raises
    ------
    CompileError
        If a statement's form is not understood.
    """
    parts, done, number = [], 0, 0
    while match := _STATEMENT.search(text, done):
        end = _closing(text, match.end())
        parts.append(text[done : match.start()])
        body = text[match.end() : end]
        number += 1
        parts.append(_statement(body, number) + "\n" * text.count("\n", match.start(), end + 1))
        done = end + 1
    return "".join((*parts, text[done:]))


def _closing(text: str, at: int) -> int:
    """Return the position of the parenthesis that closes the one before `at`."""
    depth = 1
    while at < len(text):
        if text[at] == '"':
            literal = _LITERAL.match(text, at)
            if literal is None:
                break
            at = literal.end()
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if not depth:
            return at
        at += 1
    raise CompileError("an inline assembly statement is not closed", text=text[max(at - 60, 0) : at])


def _split(text: str, separator: str) -> list[str]:
    """Split at a separator outside parentheses, brackets, braces and literals."""
    parts, depth, begin, at = [], 0, 0, 0
    while at < len(text):
        if text[at] == '"' and (literal := _LITERAL.match(text, at)):
            at = literal.end()
            continue
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[at], 0)
        if not depth and text[at] == separator:
            parts.append(text[begin:at])
            begin = at + 1
        at += 1
    return [*parts, text[begin:]]


def _statement(body: str, number: int) -> str:
    sections = [*_split(body, ":"), "", ""]
    template = "".join(_LITERAL.findall(sections[0]))
    template = re.sub(r"\\(.)", lambda match: _ESCAPES.get(match[1], match[1]), template)
    operands = [_operand(part, True) for part in _split(sections[1], ",") if part.strip()]
    operands += [_operand(part, False) for part in _split(sections[2], ",") if part.strip()]
    return f"do {{ {_Block(template, operands, number).code()} }} while (0)"


def _operand(text: str, output: bool) -> _Operand:
    match = _OPERAND.fullmatch(text)
    if match is None:
        raise CompileError("an operand of an inline assembly statement is not understood", operand=text.strip())
    return _Operand(" ".join(match[2].split()), output)


class _Block:
    """One template: its instructions as C++ statements."""

    def __init__(self, template: str, operands: Sequence[_Operand], number: int) -> None:
        self._text = re.sub(r"//[^\n]*", "", template)
        self._operands = operands
        self._number = number
        self._registers: set[str] = set()

    def code(self) -> str:
        """Return the statements."""
        out, at = [], 0
        while at < len(self._text):
            if self._text[at].isspace() or self._text[at] in "{};":
                at += 1
            elif label := _LABEL.match(self._text, at):
                out.append(f"{self._label(label[1])}:;")
                at = label.end()
            else:
                end = self._text.find(";", at)
                end = len(self._text) if end < 0 else end
                out.append(self._instruction(self._text[at:end].strip()))
                at = end
        return " ".join(out)

    def _label(self, name: str) -> str:
        return f"simt_label_{name.replace('$', '_')}_{self._number}"

    def _register(self, name: str) -> str:
        return f"simt_register_{name.lstrip('%').replace('$', '_')}"

    def _instruction(self, text: str) -> str:
        guard = _GUARD.match(text)
        condition = ""
        if guard:
            text = text[guard.end() :].strip()
            condition = f"if ({guard[1]}{self._value(guard[2])}) "
        opcode, _, rest = text.partition(" ")
        operands = [part.strip() for part in _split(rest.strip(), ",")] if rest.strip() else []
        if opcode.startswith("."):
            return self._declare(opcode, rest)
        if opcode.split(".")[0] == "bra":
            return f"{condition}goto {self._label(operands[-1])};"
        values = [self._argument(operand, first=position == 0) for position, operand in enumerate(operands)]
        return f'{condition}simt::ptx::run<"{opcode}">({", ".join(values)});'

    def _declare(self, directive: str, rest: str) -> str:
        kind, _, names = rest.strip().partition(" ")
        if directive != ".reg" or "<" in names:
            raise CompileError("a PTX directive is not understood", directive=f"{directive} {rest}")
        found = [name.strip() for name in names.split(",")]
        self._registers |= set(found)
        c_type = _TYPES.get(kind.lstrip("."), "uint32_t")
        return " ".join(f"{c_type} {self._register(name)};" for name in found)

    def _argument(self, text: str, *, first: bool) -> str:
        if text.startswith("["):
            inner = [part.strip() for part in _split(text[1:-1], ",")]
            coordinates = [self._value(part) for part in _split(inner[1].strip("{} "), ",")] if len(inner) > 1 else []
            base, _, shift = inner[0].partition("+")
            return f"simt::ptx::at({', '.join([self._value(base.strip()), shift.strip() or '0', *coordinates])})"
        if text.startswith("{"):
            values = ", ".join(self._value(part.strip()) for part in _split(text.strip("{} "), ","))
            return f"simt::ptx::{'out' if first else 'in'}({values})"
        return self._value(text)

    def _value(self, text: str) -> str:
        text = text.strip()
        if re.fullmatch(r"%\d+", text):
            number = int(text[1:])
            if number >= len(self._operands):
                raise CompileError("an assembly template names an operand that is not there", operand=text)
            return f"({self._operands[number].expression})"
        if text in self._registers:
            return self._register(text)
        if text == "_":
            return "simt::ptx::sink()"
        if _NUMBER.fullmatch(text):
            return text.rstrip("U")
        if re.fullmatch(r"%%[\w.]+", text):
            return f'simt::ptx::special<"{text[2:]}">()'
        raise CompileError("an operand of a PTX instruction is not understood", operand=text)
