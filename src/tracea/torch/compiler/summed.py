# SPDX-License-Identifier: MIT
"""Trials of sums: the kernel that leaves them for a batch norm in training, against one that does not and a pass that reads its result."""

from __future__ import annotations

import functools

import torch
from tracea_core.data import Data
from tracea_core.errors import TraceaError

from tracea.torch import column_sums, kernels
from tracea.torch.compiler import trial
from tracea.torch.compiler.sketch import Sketch
from tracea.torch.compiler.trial import Times

_JOINING = 6e-6
"""Seconds that Inductor's kernels over the sums of all blocks take: 4 to 8 µs on an H200, behind a convolution of 20 µs or more."""
_SHARE = 0.3
"""What Inductor's pass for mean and variance takes of PyTorch's sums by channel: on an H200 17 of 56 µs for 26 MB, 30 of 105 for 103."""
_WORTH = 2e-6
"""Seconds that must be saved: less may be noise."""


class Summed(Data, frozen=True):
    """Seconds of a convolution: alone, together with sums that are joined, and with a pass of PyTorch that sums its result by channel."""

    alone: float
    together: float
    apart: float

    @property
    def reading(self) -> float:
        """Seconds of a pass for what a norm asks of the batch."""
        return _SHARE * max(0.0, self.apart - self.alone)

    @property
    def pays(self) -> bool:
        """Whether sums of the kernel save enough."""
        return self.alone + self.reading - self.together >= _WORTH

    def times(self, plain: Times) -> Times:
        """Return the times of a region with what its norm asks for, by those without."""
        if not self.pays:
            return plain
        return Times(self.together, self.together, plain.unfused + self.reading)


ALWAYS = Summed(0.0, 0.0, 1.0)
"""What stands for a trial where a policy wants none."""


def trial_of(sketch: Sketch, configuration: str, timed: bool = True) -> Summed | None:
    """Return what sums by the kernel cost and save, or None where no norm asks for them or no kernel has them."""
    if not sketch.normed:
        return None
    try:
        found = column_sums.entry(sketch.tensors, sketch.text, sketch.settings)
    except TraceaError:  # such an epilogue has no sums behind it; the convolution may still be taken
        return None
    if found.reason is not None or found.path is None:
        return None
    if not timed:
        return ALWAYS
    both = f"{configuration}, sums {found.path.configuration.describe()}"
    return trial.remembered(sketch, both, "sums 1", Summed, functools.partial(_measure, sketch))


def _measure(sketch: Sketch) -> Summed:
    with torch.no_grad(), torch.utils._python_dispatch._disable_current_modes():
        tensors = sketch.materialize()

        def together() -> object:
            return column_sums.run(tensors, sketch.text, sketch.settings, "")

        def alone() -> torch.Tensor:
            return kernels.run(sketch.op, tensors, sketch.text, sketch.settings, "")

        def apart() -> torch.Tensor:
            rows = alone().permute(0, 2, 3, 1)
            return rows.reshape(-1, rows.shape[-1]).sum(0)

        found = trial.in_turns({"alone": alone, "together": together, "apart": apart}, sketch.device)
        return Summed(found["alone"], found["together"] + _JOINING, found["apart"])
