# SPDX-License-Identifier: MIT
"""Compare searches on recorded landscapes: how many evaluations until one is within 3 % of the best.

    python -m benchmarks.search_compare

replays every landscape of ``benchmarks/landscapes`` for each search and setting with 20 seeds, prints a table and
writes ``benchmarks/results/search-compare.json``, after each search on each landscape. ``--resume`` goes on where that file ends, and
replays again only what was given other candidates or seeds; ``--seconds`` ends a run early.

A replay is deterministic: times come from the file, with a noise of 1 % that depends on seed and configuration alone, and a
search draws from a generator with a fixed seed.

Settings: *whole space* (every recorded configuration), *pruned* (those that the policy would search), *pruned, seeded*
(those, with the policy's heroes first), and *pruned, transferred* (with the winners of the other landscapes of that
type first). Landscapes that 40 random draws already solve are left out. A hero that is good on one landscape only is taken
to have come from it, and is no seed there.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import NormalDist

from tracea_core.policy.config import PipelineConfig
from tracea_core.policy.engine import PolicyEngine
from tracea_core.tuner.bayes import GaussianProcessSearch
from tracea_core.tuner.evolution import EvolutionarySearch
from tracea_core.tuner.forest import ForestSearch
from tracea_core.tuner.search import Budget, RandomSearch, SequentialSearch, State

from benchmarks.landscapes import FOLDER, Landscape, expected, read

RESULTS = Path(__file__).parent / "results"
WITHIN = 1.03
NOISE = 0.01
SOLVED_BY = 40
LIMIT = 120
SEEDS = 20
SEARCHES: dict[str, Callable[[], SequentialSearch]] = {
    "random": RandomSearch,
    "evolutionary": EvolutionarySearch,
    "gaussian process": GaussianProcessSearch,
    "forest": ForestSearch,
}
SETTINGS = ("whole space", "pruned", "pruned, seeded", "pruned, transferred")


class UntilGood(SequentialSearch):
    """Another search that stops at the first good candidate: what comes after it is not counted."""

    def __init__(self, search: SequentialSearch, good: frozenset[PipelineConfig]) -> None:
        self.search, self.good, self.name = search, good, search.name
        self.thinking = 0.0

    def begin(self, state: State) -> None:
        """Prepare the other search."""
        start = time.perf_counter()
        self.search.begin(state)
        self.thinking = time.perf_counter() - start

    def seed(self, state: State) -> int | None:
        """Return the seed that the other search tries next, None once a good one was tried."""
        return None if self._ended(state) else self.search.seed(state)

    def propose(self, state: State) -> tuple[int, str] | None:
        """Return what the other search proposes, None once a good one was tried."""
        if self._ended(state):
            return None
        start = time.perf_counter()
        proposed = self.search.propose(state)
        self.thinking += time.perf_counter() - start
        return proposed

    def _ended(self, state: State) -> bool:
        return bool(state.tried) and state.candidates[state.tried[-1]] in self.good


@dataclass(frozen=True)
class Setting:
    """What a search is given on one landscape."""

    candidates: tuple[PipelineConfig, ...]
    seeds: tuple[PipelineConfig, ...] = ()

    def digest(self, landscape: Landscape) -> str:
        """Return what names this setting on this landscape: the same digest, the same replays."""
        text = "\n".join(c.to_json() for c in (*self.candidates, *self.seeds))
        return hashlib.sha256(f"{len(self.seeds)}\n{text}\n{landscape.to_json()}".encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Outcome:
    """Evaluations of each seed, from 0 on, until a good one; `LIMIT` + 1 stands for never.

    `thinking` is the search's own seconds each; `given` names the setting's candidates and seeds.
    """

    landscape: str
    search: str
    setting: str
    evaluations: tuple[int, ...]
    thinking: float
    given: str = ""

    def names(self, landscape: Landscape, search: str, setting: str, given: str) -> bool:
        """Whether this is the outcome of that search there, under the same candidates."""
        return (self.landscape, self.search, self.setting, self.given) == (landscape.name, search, setting, given)

    @property
    def median(self) -> float:
        """Median over the seeds."""
        return statistics.median(self.evaluations)

    @property
    def worst(self) -> int:
        """The worst seed."""
        return max(self.evaluations)


def good(landscape: Landscape) -> frozenset[PipelineConfig]:
    """Return the configurations within 3 % of the best."""
    times = {c: t for c, t in landscape.times().items() if t is not None}
    best = min(times.values())
    return frozenset(c for c, t in times.items() if t <= WITHIN * best)


def solved_by_chance(landscape: Landscape, draws: int = SOLVED_BY) -> float:
    """Return the probability that `draws` different configurations drawn at random contain a good one."""
    count, hits = len(landscape.rows), len(good(landscape))
    if draws >= count:
        return 1.0
    return 1.0 - math.comb(count - hits, draws) / math.comb(count, draws)


def recorded(landscape: Landscape, configurations: Iterable[PipelineConfig]) -> tuple[PipelineConfig, ...]:
    """Return those configurations that were recorded; fields that the landscape does not vary have the values of its base."""
    known = landscape.times()
    plain = (landscape.base.replace(**{field: getattr(c, field) for field in landscape.fields}) for c in configurations)
    return tuple(dict.fromkeys(c for c in plain if c in known))


def settings(landscape: Landscape, others: Sequence[Landscape]) -> dict[str, Setting]:
    """Return what each setting gives a search on `landscape`."""
    decision = PolicyEngine(landscape.profile).decide(landscape.problem, landscape.variant)
    pruned = recorded(landscape, decision.space.configurations())
    heroes = recorded(landscape, decision.heroes)
    mine = good(landscape)
    elsewhere = frozenset().union(*(good(other) for other in others))
    heroes = tuple(hero for hero in heroes if hero not in mine or hero in elsewhere)
    winners: list[PipelineConfig] = []
    for other in others:
        if other.problem.inputs[0].dtype is landscape.problem.inputs[0].dtype:
            times = {c: t for c, t in other.times().items() if t is not None}
            winners.append(min(times, key=lambda c: times[c]))
    transferred = tuple(dict.fromkeys((*heroes[:1], *recorded(landscape, winners))))
    return {
        "whole space": Setting(tuple(landscape.times())),
        "pruned": Setting(pruned),
        "pruned, seeded": Setting(pruned, heroes),
        "pruned, transferred": Setting(pruned, transferred),
    }


def replay(landscape: Landscape, make: Callable[[], SequentialSearch], given: Setting, seed: int) -> tuple[int, float]:
    """Return after how many evaluations a good configuration was tried, and the seconds the search itself took for each."""
    times = landscape.times()
    wanted = good(landscape)
    search = UntilGood(make(), wanted)

    def measure(configuration: PipelineConfig) -> float:
        found = times[configuration]
        if found is None:
            raise RuntimeError("this configuration failed when the landscape was recorded")
        digest = hashlib.sha256(f"{seed} {configuration.to_json()}".encode()).digest()
        return found * (1 + NOISE * abs(NormalDist().inv_cdf((int.from_bytes(digest[:6], "little") + 1) / (2**48 + 2))))

    result = search.run(
        given.candidates,
        measure,
        Budget(LIMIT, 1e6),
        seeds=given.seeds,
        prior=expected(landscape).__getitem__,
        rng_seed=seed,
    )
    numbers = (n for n, e in enumerate(result.history, 1) if e.configuration in wanted)
    return next(numbers, LIMIT + 1), search.thinking / max(len(result.history), 1)


@dataclass(frozen=True)
class Task:
    """One search under one setting on one landscape: what is replayed, and what is known of it."""

    landscape: Landscape
    search: str
    make: Callable[[], SequentialSearch]
    setting: str
    given: Setting
    known: tuple[tuple[int, float], ...]

    def outcome(self, runs: Sequence[tuple[int, float]]) -> Outcome:
        """Return the outcome of all seeds, those that were known first."""
        every = (*self.known, *runs)
        return Outcome(
            self.landscape.name,
            self.search,
            self.setting,
            tuple(n for n, _ in every),
            statistics.mean(t for _, t in every),
            self.given.digest(self.landscape),
        )


def compare(
    landscapes: Sequence[Landscape],
    searches: dict[str, Callable[[], SequentialSearch]] | None = None,
    seeds: int = SEEDS,
    progress: Callable[[str], None] = lambda line: None,
    known: Sequence[Outcome] = (),
    jobs: int = 1,
) -> Iterator[Outcome]:
    """Yield the outcome of every search and setting on every landscape that chance does not solve, as each is known.

    Parameters
    ----------
    known : sequence of Outcome
        Outcomes of earlier runs: seeds that they hold under the same candidates are not replayed.
    jobs : int
        Processes that seeds are dealt to. Evaluations do not depend on it; the searches' own seconds do where processes
        share a processor.
    """
    tasks = [
        Task(landscape, name, make, setting, what, _before(known, landscape, name, setting, what)[:seeds])
        for landscape in landscapes
        if _is_hard(landscape, progress)
        for what_is_given in [settings(landscape, [other for other in landscapes if other is not landscape])]
        for name, make in (searches or SEARCHES).items()
        for setting, what in what_is_given.items()
    ]
    for task, runs in _runs(tasks, seeds, jobs):
        outcome = task.outcome(runs)
        progress(f"{task.landscape.name}: {task.search}, {task.setting}: {_words(outcome.evaluations)}")
        yield outcome


def _is_hard(landscape: Landscape, progress: Callable[[str], None]) -> bool:
    chance = solved_by_chance(landscape)
    if chance >= 0.5:
        progress(f"{landscape.name}: left out, {SOLVED_BY} random draws solve it with probability {chance:.0%}")
    return chance < 0.5


def _before(
    known: Sequence[Outcome], landscape: Landscape, search: str, setting: str, given: Setting
) -> tuple[tuple[int, float], ...]:
    """What is known of the seeds of this search under the same candidates."""
    digest = given.digest(landscape)
    found = next((o for o in known if o.names(landscape, search, setting, digest)), None)
    return tuple((n, found.thinking) for n in found.evaluations) if found else ()


def _runs(tasks: Sequence[Task], seeds: int, jobs: int) -> Iterator[tuple[Task, list[tuple[int, float]]]]:
    """Yield each task with what the seeds that it does not know gave, in their order, as soon as all of them ended."""
    if jobs == 1:
        for task in tasks:
            yield (
                task,
                [replay(task.landscape, task.make, task.given, seed) for seed in range(len(task.known), seeds)],
            )
        return
    found: dict[int, dict[int, tuple[int, float]]] = {number: {} for number in range(len(tasks))}
    with ProcessPoolExecutor(jobs) as pool:
        try:
            futures = {
                pool.submit(replay, task.landscape, task.make, task.given, seed): (number, seed)
                for number, task in enumerate(tasks)
                for seed in range(len(task.known), seeds)
            }
            yield from ((task, []) for task in tasks if len(task.known) >= seeds)
            for future in as_completed(futures):
                number, seed = futures[future]
                found[number][seed] = future.result()
                if len(found[number]) == seeds - len(tasks[number].known):
                    yield tasks[number], [run for _, run in sorted(found[number].items())]
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def summary(outcomes: Sequence[Outcome]) -> list[dict[str, object]]:
    """Return one row per search and setting: over all landscapes and seeds.

    "own seconds" are those that a search itself takes until it is within 3 % of the best, measuring left out: the mean over landscapes.
    """
    rows: list[dict[str, object]] = []
    for search in dict.fromkeys(o.search for o in outcomes):
        for setting in SETTINGS:
            mine = [o for o in outcomes if (o.search, o.setting) == (search, setting)]
            every = [n for o in mine for n in o.evaluations]
            if every:
                rows.append(
                    {
                        "search": search,
                        "setting": setting,
                        "median": statistics.median(every),
                        "mean of medians": round(statistics.mean(o.median for o in mine), 1),
                        "worst": max(every),
                        "within 40": round(sum(n <= SOLVED_BY for n in every) / len(every), 3),
                        "seeds": min(len(o.evaluations) for o in mine),
                        "milliseconds each": round(1e3 * statistics.mean(o.thinking for o in mine), 2),
                        "own seconds": round(statistics.mean(o.median * o.thinking for o in mine), 3),
                    }
                )
    return rows


def best_search(rows: Sequence[dict[str, object]]) -> str:
    """Return the search that should be the default: most often within 40 evaluations in the setting it runs in, then fewest."""
    seeded = [row for row in rows if row["setting"] == "pruned, seeded"]
    return str(
        min(seeded, key=lambda row: (-float(str(row["within 40"])), float(str(row["mean of medians"]))))["search"]
    )


def _words(evaluations: Sequence[int]) -> str:
    median, worst = statistics.median(evaluations), max(evaluations)
    return f"median {_count(median)}, worst {_count(worst)}"


def _count(value: float) -> str:
    return f"over {LIMIT}" if value > LIMIT else f"{value:g}"


def show(rows: Sequence[dict[str, object]]) -> str:
    """Return the table as text."""
    heads = list(rows[0])
    texts = [[f"over {LIMIT}" if value == LIMIT + 1 else str(value) for value in row.values()] for row in rows]
    widths = [max(len(head), *(len(line[i]) for line in texts)) for i, head in enumerate(heads)]
    lines = ["  ".join(head.ljust(width) for head, width in zip(heads, widths, strict=True))]
    lines += ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)) for line in texts]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--landscapes", type=Path, default=FOLDER)
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--search", action="append", choices=sorted(SEARCHES), help="only these searches")
    parser.add_argument("--resume", action="store_true", help="keep what the results file holds of the same settings")
    parser.add_argument("--seconds", type=float, default=0, help="stop after so long (0: when all are done)")
    parser.add_argument("--jobs", type=int, default=1, help="processes (default: %(default)s)")
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the JSON goes")
    given = parser.parse_args(arguments)
    searches = {name: make for name, make in SEARCHES.items() if not given.search or name in given.search}
    given.results.mkdir(parents=True, exist_ok=True)
    path = given.results / "search-compare.json"
    known = _stored(path) if given.resume else []
    begin = time.perf_counter()
    outcomes: dict[tuple[str, str, str], Outcome] = {(o.landscape, o.search, o.setting): o for o in known}
    for outcome in compare(read(given.landscapes), searches, given.seeds, print, known, given.jobs):
        outcomes[outcome.landscape, outcome.search, outcome.setting] = outcome
        _store(path, list(outcomes.values()))
        if given.seconds and time.perf_counter() - begin > given.seconds:
            break
    rows = summary(list(outcomes.values()))
    print(show(rows))
    print(f"best where the policy prunes and seeds: {best_search(rows)}")
    print(f"written to {path}")
    return 0


def _stored(path: Path) -> list[Outcome]:
    """The outcomes of an earlier run."""
    if not path.exists():
        return []
    return [
        Outcome(**{**entry, "evaluations": tuple(entry["evaluations"])})
        for entry in json.loads(path.read_text())["outcomes"]
    ]


def _store(path: Path, outcomes: Sequence[Outcome]) -> None:
    entries = [asdict(o) for o in outcomes]
    stored = {"within": WITHIN, "limit": LIMIT, "summary": summary(outcomes), "outcomes": entries}
    path.write_text(json.dumps(stored, indent=1) + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
