# SPDX-License-Identifier: MIT
"""The search space: which values each field of a configuration may take, built up in one readable chain.

A space is immutable data, so a policy's space can be widened for one experiment without changing it for others, and a
report can print what was searched. Candidates are the combinations that are consistent and pass a validity check; what was
dropped is counted by reason, because a space that is empty for an unknown reason cannot be repaired.
"""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import get_type_hints

from tracea_core.data import Data
from tracea_core.errors import ConfigurationError
from tracea_core.policy.config import OPTIONAL, BarrierMode, PipelineConfig, SwizzleMode
from tracea_core.policy.decision import PrunedSpace
from tracea_core.policy.order import Order

Value = int | bool | str | enum.Enum
_KINDS: dict[str, type] = get_type_hints(PipelineConfig) | dict.fromkeys(OPTIONAL, int)
FIELDS = tuple(PipelineConfig.__struct_fields__)


class Axis(Data, frozen=True):
    """One dimension of a space: fields that vary together and the value tuples they take (enums by their value)."""

    fields: tuple[str, ...]
    values: tuple[tuple[int | bool | str, ...], ...]

    def __post_init__(self) -> None:
        for field in self.fields:
            if field not in _KINDS:
                raise ConfigurationError(f"a configuration has no field {field!r}", hint="Fields: " + ", ".join(FIELDS))
        if not self.fields or len(set(self.fields)) != len(self.fields):
            raise ConfigurationError("an axis needs fields, each once", fields=self.fields)
        if not self.values:
            raise ConfigurationError("an axis needs at least one value", fields=self.fields)
        for row in self.values:
            if len(row) != len(self.fields):
                raise ConfigurationError(f"{row} is not one value for each of {self.fields}")
            for field, value in zip(self.fields, row, strict=True):
                _typed(field, value)


class Dropped(Data, frozen=True):
    """How many combinations were no candidates for one reason, and one of them."""

    reason: str
    count: int
    example: str


class Enumeration(Data, frozen=True):
    """The candidates of a space and what was dropped, most frequent reason first."""

    candidates: tuple[PipelineConfig, ...]
    dropped: tuple[Dropped, ...]


class SearchSpace(Data, frozen=True):
    """A product of axes around a base configuration, which gives the fields that do not vary.

    Examples
    --------
    >>> space = SearchSpace().tile_m([64, 128]).tile_n([64, 128]).tile_k([32]).stages([2, 3])
    >>> space.count
    8
    >>> space.swizzles([SwizzleMode.None_, SwizzleMode.Xor4]).restrict("stages", [3]).count
    8
    """

    axes: tuple[Axis, ...] = ()
    base: PipelineConfig = PipelineConfig()

    @classmethod
    def of(cls, pruned: PrunedSpace, base: PipelineConfig | None = None) -> SearchSpace:
        """Return the space that a policy decision prescribes."""
        space = cls(base=base or PipelineConfig())
        for field in FIELDS:
            values = getattr(pruned, field)
            if values:
                space = space.axis(field, values)
        return space.axis(("tile_m", "tile_n"), pruned.tiles) if pruned.tiles else space

    def axis(self, fields: str | Sequence[str], values: Iterable[Value] | Iterable[Sequence[Value]]) -> SearchSpace:
        """Return this space with one axis set; fields given before are replaced.

        Parameters
        ----------
        fields : str or sequence of str
            A field of `PipelineConfig`, or several that vary together.
        values : iterable
            Its values; tuples of values for several fields. Duplicates are dropped.

        Raises
        ------
        ConfigurationError
            If a field does not exist, has no value, or one of another type.
        """
        names = (fields,) if isinstance(fields, str) else tuple(fields)
        rows = [(row,) if isinstance(fields, str) else tuple(row) for row in values]  # type: ignore[arg-type]
        plain = tuple(dict.fromkeys(tuple(_plain(value) for value in row) for row in rows))
        kept = tuple(axis for axis in self.axes if not set(axis.fields) & set(names))
        return self.replace(axes=(*kept, Axis(names, plain)))

    def tile_m(self, values: Iterable[int]) -> SearchSpace:
        """Set the tile heights to try."""
        return self.axis("tile_m", values)

    def tile_n(self, values: Iterable[int]) -> SearchSpace:
        """Set the tile widths to try."""
        return self.axis("tile_n", values)

    def tile_k(self, values: Iterable[int]) -> SearchSpace:
        """Set the steps along k to try."""
        return self.axis("tile_k", values)

    def tiles(self, values: Iterable[tuple[int, int, int]]) -> SearchSpace:
        """Set whole tiles (m, n, k) to try, instead of all combinations of their sides."""
        return self.axis(("tile_m", "tile_n", "tile_k"), values)

    def stages(self, values: Iterable[int]) -> SearchSpace:
        """Set the ring depths to try."""
        return self.axis("stages", values)

    def warps(self, values: Iterable[int]) -> SearchSpace:
        """Set the warps per block to try."""
        return self.axis("warps", values)

    def swizzles(self, values: Iterable[SwizzleMode]) -> SearchSpace:
        """Set the swizzle modes to try."""
        return self.axis("swizzle", values)

    def barrier_modes(self, values: Iterable[BarrierMode]) -> SearchSpace:
        """Set the divisions into roles to try."""
        return self.axis("barrier_mode", values)

    def clusters(self, values: Iterable[tuple[int, int]]) -> SearchSpace:
        """Set the clusters (m, n) to try."""
        return self.axis(("cluster_m", "cluster_n"), values)

    def split_k(self, values: Iterable[int]) -> SearchSpace:
        """Set the numbers of parts of the reduction to try."""
        return self.axis("split_k", values)

    def orders(self, values: Iterable[Order]) -> SearchSpace:
        """Set the tile orders to try."""
        return self.axis("order", values)

    def groups(self, values: Iterable[int]) -> SearchSpace:
        """Set the band heights of grouped orders to try."""
        return self.axis("group", values)

    def vectors(self, values: Iterable[tuple[int, int, int]]) -> SearchSpace:
        """Set the access widths (a, b, c) in elements to try."""
        return self.axis(("vector_a", "vector_b", "vector_c"), values)

    def restrict(self, field: str, values: Iterable[Value]) -> SearchSpace:
        """Return this space without the values of `field` that are not in `values`.

        Raises
        ------
        ConfigurationError
            If nothing would be left, or a field that does not vary has none of the values.
        """
        allowed = {_typed(field, _plain(value)) for value in values}
        axes = []
        for axis in self.axes:
            if field in axis.fields:
                at = axis.fields.index(field)
                rows = tuple(row for row in axis.values if _typed(field, row[at]) in allowed)
                if not rows:
                    raise ConfigurationError(f"no value of {field} is left", held=[row[at] for row in axis.values])
                axis = axis.replace(values=rows)
            axes.append(axis)
        if not any(field in axis.fields for axis in self.axes) and self.base.value(field) not in allowed:
            raise ConfigurationError(f"{field} does not vary, and {self.base.value(field)} is not allowed")
        return self.replace(axes=tuple(axes))

    @property
    def count(self) -> int:
        """Number of combinations, valid or not."""
        return math.prod(len(axis.values) for axis in self.axes)

    def candidates(self, valid: Callable[[PipelineConfig], str | None] | None = None) -> tuple[PipelineConfig, ...]:
        """Return the consistent combinations for which `valid` returns None; the last axis varies fastest."""
        return self.enumerate(valid).candidates

    def enumerate(self, valid: Callable[[PipelineConfig], str | None] | None = None) -> Enumeration:
        """Return the candidates together with what was dropped and why."""
        candidates: dict[PipelineConfig, None] = {}
        reasons: Counter[str] = Counter()
        examples: dict[str, str] = {}
        for fields in self._combinations():
            try:
                configuration = self.base.replace(**fields)
                reason = valid(configuration) if valid else None
            except ConfigurationError as error:
                reason = error.message
            if reason is None:
                candidates[configuration] = None
            else:
                kind = _without_figures(reason)
                reasons[kind] += 1
                text = ", ".join(f"{name}={_plain(value)}" for name, value in fields.items())
                examples.setdefault(kind, f"{reason} ({text})")
        dropped = tuple(Dropped(kind, count, examples[kind]) for kind, count in reasons.most_common())
        return Enumeration(tuple(candidates), dropped)

    def _combinations(self) -> Iterator[dict[str, Value]]:
        names = [field for axis in self.axes for field in axis.fields]
        rows = [
            [tuple(_typed(field, value) for field, value in zip(axis.fields, row, strict=True)) for row in axis.values]
            for axis in self.axes
        ]
        for combination in product(*rows):
            yield dict(zip(names, (value for part in combination for value in part), strict=True))


def _plain(value: object) -> int | bool | str:
    """Return what stands for a value in JSON."""
    found = value.value if isinstance(value, enum.Enum) else value
    if hasattr(found, "__index__") and not isinstance(found, bool):
        found = int(found)  # NumPy's integers are welcome
    if not isinstance(found, int | str):
        raise ConfigurationError(f"{value!r} is no value of a configuration", hint="Give integers, booleans or enums")
    return found


def _typed(field: str, value: int | bool | str) -> Value:
    """Return the value that the field of a configuration takes."""
    kind = _KINDS.get(field)
    if kind is None:
        raise ConfigurationError(f"a configuration has no field {field!r}", hint="Fields: " + ", ".join(FIELDS))
    if issubclass(kind, enum.Enum):
        try:
            return kind(value)
        except ValueError:
            known = ", ".join(str(member.value) for member in kind)
            raise ConfigurationError(f"{field} has no value {value!r}", hint=f"Known: {known}") from None
    if type(value) is not kind:
        raise ConfigurationError(f"{field} takes {kind.__name__}, not {value!r}")
    return value


def _without_figures(reason: str) -> str:
    """Return a reason with its figures replaced by #, so that equal reasons are counted together."""
    words = ["#" if any(c.isdigit() for c in word) else word for word in reason.split()]
    return " ".join(words)
