# SPDX-License-Identifier: MIT
"""The rest of a graph goes to Inductor, as if it had been asked in the first place; where it cannot work, PyTorch runs it.

In what Inductor compiles, operators are replaced by their twins without autograd rules: the graph is past autograd then, and a call costs
half as much. The pass names tracea's versions and a digest of the sources that decide what operators are made of in a graph (arguments,
fakes, backward passes), since caches of compiled graphs do not see inside operators and would call them as they were. Products are then
called without the dispatcher (`tracea.torch.compiler.direct`).
"""

from __future__ import annotations

import functools
import hashlib
import logging
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch._inductor.custom_graph_pass import CustomGraphPass

import tracea.torch
from tracea.torch.compiler.direct import call_directly
from tracea.torch.compiler.pointwise import name_of

_log = logging.getLogger("tracea")
OPERATORS = (
    "matmul", "linear", "conv2d", "conv_transpose2d", "conv2d_filters", "attention", "masked_attention", "low_rank_mlp", "softmax", "norm",
)  # fmt: skip


class UseTwins(CustomGraphPass):
    """Replace each operator of tracea by the twin that has a kernel and nothing else."""

    def __call__(self, graph: torch.fx.Graph) -> None:
        """Change `graph` in place."""
        twins = {getattr(torch.ops.tracea, n).default: getattr(torch.ops.tracea, f"_{n}").default for n in OPERATORS}
        for node in graph.nodes:
            if node.op == "call_function" and node.target in twins:
                node.target = twins[node.target]

    def uuid(self) -> str:
        """Return what changes when the operators may compute something else."""
        import tracea_core

        schemas = "; ".join(str(getattr(torch.ops.tracea, f"_{name}").default._schema) for name in OPERATORS)
        how = "placed" if call_directly() else "dispatched"
        return f"tracea twins {how}, sources {sources()}, {tracea.__version__} {tracea_core.__version__} {schemas}"


@functools.cache
def sources() -> str:
    """Return a digest of the sources that compiled graphs depend on: this package's and those of the core's operators."""
    import tracea_core.ops

    return digest_of([Path(str(module.__file__)).parent for module in (tracea.torch, tracea_core.ops)])


def digest_of(packages: Sequence[Path]) -> str:
    """Return a digest of all Python sources below some directories, each with its place; where there are none, versions have to do."""
    found = hashlib.sha256()
    for package in packages:
        for path in sorted(package.rglob("*.py")):
            content = path.read_bytes()
            found.update(f"{path.relative_to(package)} {len(content)}\n".encode() + content)
    return found.hexdigest()[:16]


@functools.lru_cache(maxsize=1)
def cpp_compiler() -> str | None:
    """Return the C++ compiler that Inductor would use on the CPU, None if there is none."""
    from torch._inductor.cpp_builder import get_cpp_compiler

    try:
        return str(get_cpp_compiler())
    except Exception as error:  # Inductor raises a RuntimeError or an InvalidCxxCompiler, depending on the version
        _log.warning(
            "Inductor has no C++ compiler (%s): fused operators run, the rest of each graph runs in PyTorch", error
        )
        return None


def compile_rest(
    module: torch.fx.GraphModule, inputs: Sequence[Any], mode: str | None, options: Mapping[str, Any]
) -> tuple[Callable[..., Any], str]:
    """Return the compiled graph and who compiled it.

    Parameters
    ----------
    module : torch.fx.GraphModule
        The rewritten graph.
    inputs : sequence
        Example inputs, as Dynamo gives them.
    mode, options
        As `torch.compile` takes them for Inductor.
    """
    tensors = [value for value in inputs if isinstance(value, torch.Tensor)]
    if all(tensor.device.type == "cpu" for tensor in tensors) and cpp_compiler() is None:
        return module.forward, "eager"
    from torch._inductor import list_mode_options
    from torch._inductor.compile_fx import compile_fx

    call_directly()
    patches = {**(list_mode_options(mode) if mode else {}), **options}
    patches.setdefault("post_grad_custom_pre_pass", UseTwins())
    if _lays_out_images(module, tensors):
        patches.setdefault("force_layout_optimization", True)
    compiled: Any = compile_fx(module, list(inputs), config_patches=patches)
    return compiled, "inductor"


def _lays_out_images(module: torch.fx.GraphModule, tensors: Sequence[torch.Tensor]) -> bool:
    """Whether the backward pass of a graph is to lay images out channels-last, as Inductor does with whatever convolves on a processor.

    It asks whether a graph has convolutions, and a backward pass has their gradients alone: those of the filters of single channels then
    took two to three times as long, in planes, and images were copied for them. A training step of ConvNeXt-T took 1.12 of its time so.
    """
    library = torch.backends.mkldnn
    able = library.is_available() and bool(library.enabled)  # type: ignore[no-untyped-call]
    able = able and all(tensor.device.type == "cpu" for tensor in tensors)
    return able and any(name_of(node).startswith("conv") for node in module.graph.nodes)
