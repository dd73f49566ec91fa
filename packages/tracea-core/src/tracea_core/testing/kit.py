# SPDX-License-Identifier: MIT
"""The conformance kit: every promise of the plugin contract as one test with a name.

Three lines in a backend's own tests run all of it::

    from tracea_core.testing import conformance
    from my_backend.plugin import tracea_register_backend

    test_conformance = conformance(tracea_register_backend())

A failure says which promise was broken and what was seen. Where the backend has a device, kernels run on it; where it has none, they
are emitted for published profiles of its devices.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tracea_core.errors import BackendUnavailableError, TraceaError
from tracea_core.plugin.manifest import BackendManifest
from tracea_core.policy.config import PipelineConfig
from tracea_core.target import SEPARATE_WORKERS
from tracea_core.testing import checks, execute
from tracea_core.testing.cases import Case
from tracea_core.testing.errors import ConformanceError
from tracea_core.testing.subject import Subject, Unserved, subjects, targets

__all__ = ["Check", "collect", "conformance"]

_MUTATED = (
    "13x29x17",
    "epilogue-chain",
    "epilogue-auxiliary",
    "conv-3x3-channels_last",
    "softmax-fp32-9x33",
    "rows-layer_norm-residual-relu",
    "chain-fp32-low_rank",
)
"""Cases whose kernels are changed node by node; between them they hold every kind of node that the family has."""
_DIVIDED = ("70x131x33", "batch")
"""Cases that are also run with the work divided otherwise."""


@dataclass(frozen=True)
class Check:
    """One test: its name, and what raises `ConformanceError` (or `Unserved`, where it does not apply)."""

    name: str
    run: Callable[[], None]

    def __call__(self) -> None:
        """Run it; an error of core's or of the backend's own counts as a broken promise too.

        Raises
        ------
        ConformanceError
            If the promise is broken.
        Unserved
            If it does not apply.
        """
        try:
            self.run()
        except (ConformanceError, Unserved):
            raise
        except TraceaError as error:
            raise ConformanceError(f"{self.name}: {type(error).__name__}: {error}") from error


def conformance(manifest: BackendManifest) -> Callable[[Check], None]:
    """Return a test for pytest, one for each promise and case.

    Parameters
    ----------
    manifest : BackendManifest
        What the backend registers.
    """
    import pytest

    found = collect(manifest)

    @pytest.mark.parametrize("check", found, ids=[check.name for check in found])
    def test_conformance(check: Check) -> None:
        try:
            check()
        except Unserved as reason:
            pytest.skip(str(reason))
        except ConformanceError as error:
            pytest.fail(str(error), pytrace=False)

    return test_conformance


def collect(manifest: BackendManifest) -> tuple[Check, ...]:
    """Return every check for a backend; nothing but its probe and its list of variants is called for this."""
    return tuple(_collect(manifest))


def _collect(manifest: BackendManifest) -> Iterator[Check]:
    yield Check("manifest", partial(checks.check_manifest, manifest))
    if not isinstance(manifest, BackendManifest):
        return
    yield Check("probe", partial(checks.check_probe, manifest))
    yield Check("variants/any-profile", partial(checks.check_foreign_profiles, manifest))
    for target in targets(manifest):
        yield Check(f"{target.device}/variants", partial(checks.check_variants, manifest, target.profile))
    for subject in subjects(manifest):
        if subject.variant.family in manifest.emitters:  # else the check of its variants says so
            yield from _of_subject(subject)


def _of_subject(subject: Subject) -> Iterator[Check]:
    runs = subject.target.executable
    yield Check(f"{subject.name}/serves", partial(checks.check_serves, subject))
    yield Check(f"{subject.name}/another-process", partial(checks.check_another_process, subject))
    for place, case in enumerate(subject.cases()):
        name = f"{subject.name}/{case.name}"
        yield Check(name, partial(_case, subject, case))
        if case.name.endswith(_MUTATED) or (place == 0 and not runs):
            yield Check(f"{name}/mutants", partial(_mutants, subject, case))
        if runs and case.name.endswith(_DIVIDED):
            yield Check(f"{name}/divided", partial(_divided, subject, case))
        if place == 0 and subject.manifest.compile_binary is not None:
            yield Check(f"{name}/binary", partial(_binary, subject, case))


def _case(subject: Subject, case: Case) -> None:
    """One case: its source, the refusal of a foreign certificate, and its results."""
    walked = subject.walk(case)
    checks.check_source(subject, walked)
    checks.check_foreign_certificate(subject, walked)
    if subject.target.executable:
        execute.check_run(subject, walked)


def _mutants(subject: Subject, case: Case) -> None:
    checks.check_mutants(subject, subject.walk(case))


def _binary(subject: Subject, case: Case) -> None:
    """A compiler that this machine lacks is no broken promise."""
    walked = subject.walk(case)
    try:
        checks.check_binary(subject, walked)
    except BackendUnavailableError as error:
        raise Unserved(str(error)) from error


def _divided(subject: Subject, case: Case) -> None:
    """The same result however the work is divided: among all workers, in more parts, and with the reduction cut."""
    walked = subject.walk(case)
    if subject.variant.schedule != "panel":
        raise Unserved(f"the {subject.variant.schedule} schedule leaves nothing to divide at launch")
    workers = subject.target.profile.processors
    execute.check_run(subject, walked, workers=workers, row_splits=3)
    if subject.target.profile.has(SEPARATE_WORKERS):
        return
    cut: PipelineConfig = walked.configuration.replace(split_k=3)
    execute.check_run(subject, subject.walk(case, cut), workers=workers)
