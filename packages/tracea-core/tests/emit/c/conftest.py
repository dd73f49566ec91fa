# SPDX-License-Identifier: MIT
"""Integer expressions of C, computed."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest


def value(text: str, names: dict[str, int]) -> int:
    """Evaluate C text with Python's arithmetic: division and remainder are only printed bare where both agree."""
    tokens = re.sub(r"\(i64\)", "", text)
    tokens = tokens.replace(" / ", " // ")
    functions = {
        "floor_divide": lambda a, b: a // b, "floor_modulo": lambda a, b: a % b, "min": min, "max": max,
    }  # fmt: skip
    allowed = re.fullmatch(r"[\w\s+\-*/%&|^<>(),]*", tokens)
    assert allowed, tokens
    return _Parser(tokens, {**names, **functions}).parse()


class _Parser:
    """A precedence climber for the operators that terms print, lowest first, as C ranks them."""

    LEVELS = (("^",), ("&",), (">>", "<<"), ("+", "-"), ("*", "//", "%"))

    def __init__(self, text: str, names: dict[str, object]) -> None:
        self.tokens = re.findall(r"0x[0-9a-f]+|\d+|\w+|//|>>|<<|[-+*%&^(),]", text)
        self.names, self.at = names, 0

    def parse(self) -> int:
        result = self.level(0)
        assert self.at == len(self.tokens), self.tokens[self.at :]
        return result

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        self.at += 1
        return self.tokens[self.at - 1]

    def level(self, rank: int) -> int:
        if rank == len(self.LEVELS):
            return self.atom()
        left = self.level(rank + 1)
        while self.peek() in self.LEVELS[rank]:
            operator, right = self.take(), self.level(rank + 1)
            left = {
                "^": left ^ right, "&": left & right, ">>": left >> right if right >= 0 else 0,
                "<<": left << right if right >= 0 else 0, "+": left + right, "-": left - right, "*": left * right,
                "//": left // right if right else 0, "%": left % right if right else 0,
            }[operator]  # fmt: skip
        return left

    def atom(self) -> int:
        token = self.take()
        if token == "-":
            return -self.atom()
        if token == "(":
            inner = self.level(0)
            assert self.take() == ")"
            return inner
        if token[0].isdigit():
            return int(token, 0)
        named = self.names[token]
        if not callable(named):
            return int(named)  # type: ignore[call-overload]
        assert self.take() == "("
        first = self.level(0)
        assert self.take() == ","
        second = self.level(0)
        assert self.take() == ")"
        return int(named(first, second))


@pytest.fixture(scope="session")
def compute() -> Callable[[str, dict[str, int]], int]:
    """Return `value`."""
    return value
