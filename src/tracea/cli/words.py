# SPDX-License-Identifier: MIT
"""What people may say about a problem, and the options of the same names that every command about a problem has."""

from __future__ import annotations

import argparse
import inspect
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, NoReturn, get_type_hints

import typer
from tracea_core.data import Data
from tracea_core.errors import OptionError

DIMENSIONS = {
    "matmul": "M N K",
    "linear": "M N K",
    "conv2d": "N C H W K R S",
    "conv2d_filters": "N C H W K R S",
    "conv_transpose2d": "N C H W K R S",
    "softmax": "ROWS COLUMNS",
    "log_softmax": "ROWS COLUMNS",
    "layer_norm": "ROWS COLUMNS",
    "rms_norm": "ROWS COLUMNS",
    "normalize": "ROWS COLUMNS",
    "attention": "BATCH HEADS QUERIES KEYS DEPTH",
    "low_rank_mlp": "M N K RANK",
    "grouped_matmul": "M N K GROUPS",
    "scaled_matmul": "M N K",
}
"""Ops as they are typed, and the dimensions that follow."""


class Words(Data, frozen=True, kw_only=True):
    """What may be said about a problem besides its op and dimensions."""

    dtype: Annotated[str, typer.Option(help="fp64, fp32, bf16, fp16, int8, …")] = "fp32"
    epilogue: Annotated[str, typer.Option(help="Stages by name, such as bias,gelu")] = ""
    stride: Annotated[int, typer.Option(help="convolutions: stride")] = 1
    padding: Annotated[int, typer.Option(help="convolutions: padding")] = 0
    output_padding: Annotated[int, typer.Option(help="conv_transpose2d: rows and columns added at one side")] = 0
    dilation: Annotated[int, typer.Option(help="convolutions: dilation")] = 1
    groups: Annotated[int, typer.Option(help="convolutions: groups")] = 1
    layout: Annotated[str, typer.Option(help="convolutions: nchw or nhwc")] = "nchw"
    allow_winograd: Annotated[
        bool | None,
        typer.Option(
            "--allow-winograd/--no-winograd", help="conv2d: minimal filtering on CPUs; calls choose by default"
        ),
    ] = None
    causal: Annotated[bool, typer.Option("--causal", help="attention: hide keys after the query")] = False
    left: Annotated[int | None, typer.Option(help="attention: keys before the query that are seen")] = None
    right: Annotated[int | None, typer.Option(help="attention: keys after the query that are seen")] = None
    kv_heads: Annotated[
        int | None, typer.Option(help="attention: heads of keys and values, as many as HEADS if not given")
    ] = None


def takes_words(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that has a parameter `words` an option for each of them in its place."""
    hints = get_type_hints(command, include_extras=True)
    said = get_type_hints(Words, include_extras=True)
    usual = Words()
    parameters: list[inspect.Parameter] = []
    for parameter in inspect.signature(command).parameters.values():
        if parameter.name != "words":
            parameters.append(parameter.replace(annotation=hints[parameter.name], kind=parameter.KEYWORD_ONLY))
            continue
        for name in Words.__struct_fields__:
            option = inspect.Parameter(
                name, parameter.KEYWORD_ONLY, default=getattr(usual, name), annotation=said[name]
            )
            parameters.append(option)

    @wraps(command)
    def with_options(**given: Any) -> None:
        words = Words(**{name: given.pop(name) for name in Words.__struct_fields__})
        command(words=words, **given)

    with_options.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


class _Parser(argparse.ArgumentParser):
    """One whose complaints are errors of tracea's."""

    def error(self, message: str) -> NoReturn:
        raise OptionError(
            f"that is no call: {message}", hint='Write it like "linear 512 3072 768 --epilogue bias,gelu"'
        )


def parse_words(given: list[str]) -> tuple[str, list[int], Words]:
    """Return the op, the dimensions and what is said of a call that stands within other text.

    Raises
    ------
    OptionError
        If an option is none of a call's, or a dimension no integer.
    """
    parser = _Parser(add_help=False, allow_abbrev=False)
    parser.add_argument("op")
    parser.add_argument("dims", type=int, nargs="*")
    usual = Words()
    for name, kind in get_type_hints(Words).items():
        option, default = f"--{name.replace('_', '-')}", getattr(usual, name)
        if kind is bool:
            parser.add_argument(option, dest=name, action="store_true")
        elif kind == bool | None:
            parser.add_argument(option, dest=name, action="store_true", default=None)
            parser.add_argument(option.replace("--allow", "--no"), dest=name, action="store_false", default=None)
        else:
            parser.add_argument(option, dest=name, type=str if kind is str else int, default=default)
    found = vars(parser.parse_intermixed_args(given))
    return found.pop("op"), found.pop("dims"), Words(**found)
