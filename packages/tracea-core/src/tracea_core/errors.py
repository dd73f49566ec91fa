# SPDX-License-Identifier: MIT
"""Every error tracea raises. One base class; each message names the cause and the way out.

Errors of the caller also derive from the built-in exception that fits (`ValueError`, `TypeError`), so that code written
for NumPy or PyTorch catches them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class TraceaError(Exception):
    """Base of all errors raised by tracea.

    Parameters
    ----------
    message : str
        What is wrong, in one sentence.
    hint : str, optional
        What the reader can do about it.
    **facts
        Named facts printed after the message, such as ``op="matmul"``, ``shapes=((2, 3), (4, 5))``, ``dtypes=…``,
        ``device=…``, ``stage=…``. Facts that are ``None`` are left out.
    """

    def __init__(self, message: str, *, hint: str | None = None, **facts: Any) -> None:
        self.message = message
        self.hint = hint
        self.facts: Mapping[str, Any] = {name: fact for name, fact in facts.items() if fact is not None}
        text = message
        if self.facts:
            text += " [" + ", ".join(f"{name}={fact}" for name, fact in self.facts.items()) + "]"
        if hint:
            text += f". {hint}"
        super().__init__(text)


class ShapeError(TraceaError, ValueError):
    """Shapes do not fit together, or a dimension is negative or too large to address."""


class DTypeError(TraceaError, TypeError):
    """A dtype is unknown, or the operands' dtypes do not go together."""


class DeviceError(TraceaError, ValueError):
    """Operands live on different devices, or on one that no backend serves."""


class OptionError(TraceaError, ValueError):
    """An option has a value outside its domain (a non-finite scale, a stride of 0, an unknown name)."""


class AliasError(TraceaError, ValueError):
    """``out`` shares memory with an input, or with itself (a broadcast or overlapping view)."""


class MalformedDataError(TraceaError, ValueError):
    """JSON that does not describe the value it should (see `tracea_core.data.Data.from_json`)."""


class UnsupportedError(TraceaError):
    """No variant of any usable backend qualifies; the message lists each one with its reason."""


class BackendUnavailableError(TraceaError):
    """A backend was asked for by name and cannot be used; the message says why and how to get it."""


class PluginError(TraceaError):
    """A plugin breaks the contract (bad manifest, wrong API version, two plugins with one name)."""


class ConfigurationError(TraceaError, ValueError):
    """A configuration is inconsistent or does not fit the target's budgets."""


class CertificationError(TraceaError):
    """The verifier refused a semantic kernel; `facts` name the property and the step."""


class EmitError(TraceaError):
    """A certified semantic kernel holds a step that this backend's language cannot express."""


class CompileError(TraceaError):
    """The target's compiler rejected emitted source, or its log shows what the gates forbid (spills, …)."""


class ScheduleError(CompileError):
    """The compiler took the text but did not keep its schedule (spills, serialized matrix instructions): it never will."""


class CacheMissError(TraceaError):
    """A plan is in no cache, and ``TRACEA_ASSERT_CACHE_HIT`` says that none may be made."""


class LaunchError(TraceaError):
    """A device or driver refused or failed a launch."""


class AlignmentError(LaunchError):
    """An address is not aligned as the kernel relies on; another kernel, planned for less, can serve it.

    Attributes
    ----------
    alignment : int
        Bytes that all addresses of the refused launch are multiples of.
    """

    def __init__(self, message: str, *, alignment: int, hint: str | None = None, **facts: Any) -> None:
        super().__init__(message, hint=hint, alignment=alignment, **facts)
        self.alignment = alignment


class TuningError(TraceaError):
    """No candidate could be measured, or a measurement store cannot be read."""
