# SPDX-License-Identifier: MIT
"""The function being printed: SSA names, basic blocks, declarations. It knows LLVM's syntax and nothing of kernels."""

from __future__ import annotations

import re

from tracea_core.dtypes import DType
from tracea_core.emit.writer import SourceWriter

ELEMENT = {
    DType.FP64: "double",
    DType.FP32: "float",
    DType.TF32: "float",
    DType.FP16: "half",
    DType.BF16: "i16",  # its bits: LLVM would call a library to round to bfloat on processors without the instruction
    DType.INT8: "i8",
    DType.UINT8: "i8",
    DType.INT32: "i32",
}
"""LLVM's type for an element as stored."""
MANGLED = {
    "double": "f64",
    "float": "f32",
    "half": "f16",
    "i16": "i16",
    "i8": "i8",
    "i32": "i32",
    "i64": "i64",
    "i1": "i1",
}
"""How intrinsics' names spell element types."""


def vector(lanes: int, element: str) -> str:
    """Return the vector type."""
    return f"<{lanes} x {element}>"


def mangled(lanes: int, element: str) -> str:
    """Return how intrinsics' names spell a vector type."""
    return f"v{lanes}{MANGLED[element]}"


class FunctionText:
    """Lines of one function, with unique names and the label of the block being written."""

    def __init__(self) -> None:
        self.writer = SourceWriter(comment=";")
        self.block = "entry"
        self.declarations: set[str] = set()
        self._used: dict[str, int] = {}

    def name(self, wish: str) -> str:
        """Return ``%wish``, numbered if it is taken."""
        wish = re.sub(r"[^A-Za-z0-9_.]", "_", wish)
        count = self._used.get(wish, 0)
        self._used[wish] = count + 1
        return f"%{wish}" if count == 0 else f"%{wish}.{count}"

    def let(self, wish: str, text: str) -> str:
        """Write ``%name = text`` and return the name."""
        name = self.name(wish)
        self.writer.line(f"{name} = {text}")
        return name

    def line(self, text: str) -> None:
        """Write one instruction without a result."""
        self.writer.line(text)

    def comment(self, text: str) -> None:
        """Write a comment."""
        self.writer.comment(text)

    def label(self, wish: str) -> str:
        """Reserve a block label."""
        return self.name(wish)[1:]

    def start(self, label: str) -> None:
        """Begin the block `label`."""
        self.writer.margin(f"{label}:")
        self.block = label

    def jump(self, label: str) -> None:
        """End the block with a jump."""
        self.line(f"br label %{label}")

    def branch(self, condition: str, then: str, otherwise: str) -> None:
        """End the block with a branch on an i1."""
        self.line(f"br i1 {condition}, label %{then}, label %{otherwise}")

    def intrinsic(self, name: str, result: str, *arguments: tuple[str, str]) -> str:
        """Declare ``@llvm.name`` and return a call of it with (type, value) arguments."""
        types = ", ".join(kind.split(" align")[0] for kind, _ in arguments)
        self.declarations.add(f"declare {result} @llvm.{name}({types})")
        return f"call {result} @llvm.{name}({', '.join(f'{kind} {value}' for kind, value in arguments)})"
