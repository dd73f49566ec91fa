# SPDX-License-Identifier: MIT
"""Measure a named table, print both sides of each row, store it, and fail below a bar.

    python -m benchmarks.rows spine

writes ``benchmarks/results/spine-DEVICE.json`` and exits with 1 if a row misses its bar.

    python -m benchmarks.rows cpu --only 'rows|conv'

measures the processor against NumPy and PyTorch; rows that are not asked for stay in the table, with the commit that they were measured
at. Behind a colon stands a pattern of shapes, as in ``--only 'ResNet-50, NCHW: .*56²'``. On a GPU,

    python -m benchmarks.rows cuda-gemm --quick --only 'bf16|layouts' --seconds 120

measures matrix products against the libraries that people would use instead, ``cuda-conv`` convolutions, ``cuda-attention`` attention and
``cuda-row-wise`` softmaxes and norms in the same way; a group of
which every shape was measured is stored with its date and commit, and the others stay as they are. ``--merge FILE`` puts a table that was
measured elsewhere into the stored one. And

    python -m benchmarks.rows torch --only 'BERT|overhead'

networks compiled by tracea against eager PyTorch and Inductor, on the GPU if there is one. That table is filled by several runs, of

    python -m benchmarks.rows torch --seconds 90 --jobs 6

each: those not measured yet come first, and every figure is stored with its date and commit; ``torch-library`` does the same for networks
of torchvision, timm and transformers, as far as these are installed. Without any GPU,

    python -m benchmarks.rows dialects --quick --jobs 2

measures what the printed kernels of all GPU backends show in the emulator and to compilers; what hardware alone can show is pending.

    python -m benchmarks.rows certification --only '^(h200|avx2)' --seconds 60

measures what it costs to prove the heroes of each device, cold, for a table that several runs fill, and ``tile-graphs`` what it costs to
build graphs of a million tiles.
"""

from __future__ import annotations

import argparse
import datetime
import importlib
import importlib.metadata
import json
import os
import platform
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks import spine
from benchmarks.row import Row

RESULTS = Path(__file__).parent / "results"


TABLES: dict[str, tuple[Callable[[], Row], ...]] = {"spine": spine.ROWS}
"""Tables of figures measured one by one on the CPU."""

_PLANNING = {"tile-graphs": "benchmarks.tile_graphs"}
"""Tables of what planning costs, and what measures each."""
_OF_GPUS = ("cuda-attention", "cuda-conv", "cuda-gemm", "cuda-row-wise")
"""Tables of kernels beside those of the vendor's libraries."""
_TORCH = ("torch", "torch-library")
"""Tables of compiled networks: those that bars are about, and those of libraries."""
_SPINE_PACKAGES = ("tracea", "tracea-core", "tracea-cpu", "numpy", "llvmlite")
_CUDA_PACKAGES = (
    "tracea",
    "tracea-core",
    "tracea-cuda",
    "torch",
    "triton",
    "cuda-core",
    "cuda-bindings",
    "nvidia-cuda-nvrtc",
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return its exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "table",
        choices=[*sorted(TABLES), *_PLANNING, "certification", "cpu", *_OF_GPUS, "dialects", *_TORCH],
    )
    parser.add_argument("--results", type=Path, default=RESULTS, help="where the JSON goes")
    device = parser.add_argument_group("tables of a device")
    device.add_argument("--device", default="cuda:0")
    device.add_argument("--quick", action="store_true", help="a few shapes of each group")
    device.add_argument("--only", default="", help="a pattern that names of groups and shapes contain")
    device.add_argument("--seconds", type=float, default=3600.0, help="skip what is left after this long")
    device.add_argument("--compile", action="store_true", help="measure torch.compile too, which takes long to tune")
    device.add_argument("--seed", type=int, help="of the shapes drawn at random; by default another one each time")
    networks = parser.add_argument_group("tables that are filled by several runs")
    networks.add_argument(
        "--jobs",
        type=int,
        help="networks that are compiled at once, which are timed alone, by default 1; for dialects, processes, by default as many "
        "as processors",
    )
    networks.add_argument(
        "--settled", action="store_true", help="as from the second process on only, which compiles one time less"
    )
    networks.add_argument("--commit", default="", help="of the sources, where there is no repository to ask")
    networks.add_argument(
        "--merge", type=Path, help="put the figures of this table into the stored one and measure nothing"
    )
    networks.add_argument(
        "--record", type=Path, help="for dialects: write what came of each check there, and go on from it after a cut"
    )
    given = parser.parse_args(arguments)
    given.jobs = given.jobs or ((os.cpu_count() or 1) if given.table == "dialects" else 1)
    if given.merge is not None:
        return _merge(given)
    if given.table in _OF_GPUS:
        return _on_device(given)
    if given.table in _TORCH:
        return _torch(given)
    if given.table == "cpu":
        return _cpu(given)
    if given.table == "certification":
        return _certification(given)
    if given.table == "dialects":
        return _dialects(given)
    if given.table in _PLANNING:
        return _planning(given)
    from tracea_core.plugin.select import resolve

    profile = resolve("cpu").target.profile
    head = {"table": given.table, "device": profile.name, "cores": profile.processors, "clock_mhz": profile.clock_mhz}
    print(
        f"{given.table} on {profile.name}, {profile.processors} cores, {profile.clock_mhz:.0f} MHz, "
        f"Python {platform.python_version()}"
    )
    versions = _versions(_SPINE_PACKAGES)
    rows = []
    for measure in TABLES[given.table]:
        rows.append(measure())
        print(f"  {rows[-1]}")
    return _store(given, head, versions, rows, {})


def _cpu(given: argparse.Namespace) -> int:
    """Measure the processor against NumPy and PyTorch, and put each row into the table, which several runs may fill."""
    from tracea_core.plugin.select import resolve

    from benchmarks import cpu_rows, table

    profile = resolve("cpu").target.profile
    print(f"cpu on {profile.name}, {profile.processors} cores, Python {platform.python_version()}")
    head = {"table": given.table, "device": profile.name, "cores": profile.processors, "clock_mhz": profile.clock_mhz}
    head |= {
        "arch": profile.arch,
        "python": platform.python_version(),
        "versions": _versions((*_SPINE_PACKAGES, "torch")),
    }
    path, commit = _path(given, _called(head)), given.commit or table.commit_here()

    def tell(row: Row, line: dict[str, Any]) -> None:
        mark = table.stamped(commit)
        table.merge(path, head, [table.as_stored(row, mark)], [{**line, **mark}] if line else [])

    rows = cpu_rows.rows(given, tell)
    groups = {row.name.split(": ")[0] for row in rows}
    for mean in cpu_rows.means(table.read(path)["rows"]):
        if mean.name.split(": ")[0] in groups:
            print(f"  {mean}")
            tell(mean, {})
            rows.append(mean)
    print(f"{path} holds {len(table.read(path)['rows'])} rows")
    return 0 if all(row.met for row in rows) else 1


def _dialects(given: argparse.Namespace) -> int:
    """Measure what needs none of the backends' devices."""
    from tracea_core.plugin.select import resolve

    from benchmarks import dialects, table
    from benchmarks.dialects_sycl import ON_NVIDIA

    profile = resolve("cpu").target.profile
    print(f"dialects on {profile.name}, Python {platform.python_version()}")
    names = ("tracea-core", "tracea-cuda", "tracea-hip", "tracea-sycl", "tracea-metal", "numpy", "ziglang", "pyopencl")
    versions = _versions(names)
    head = {"table": given.table, "device": profile.name, "python": platform.python_version(), "versions": versions}
    path, commit = _path(given, profile.name), given.commit or table.commit_here()

    def tell(row: Row) -> None:
        if not given.quick and not row.name.startswith(ON_NVIDIA):
            dialects.store(path, head, row, table.stamped(commit))

    rows = dialects.rows(given, tell)
    _keep(given, [row for row in rows if row.name.startswith(ON_NVIDIA) and not row.pending], versions)
    dialects.elsewhere(RESULTS, given.only, profile.name)
    print("nothing is stored of a quick run" if given.quick else f"{path} holds {len(table.read(path)['rows'])} rows")
    return 0 if all(row.met for row in rows) else 1


def _keep(given: argparse.Namespace, rows: list[Row], versions: dict[str, str]) -> None:
    """Put what an NVIDIA GPU showed into a table of its own, with day and commit, which other machines print."""
    if not rows:
        return
    import torch

    from benchmarks import table

    device = torch.cuda.get_device_name()
    head = {"table": given.table, "device": device, "python": platform.python_version(), "versions": versions}
    mark = table.stamped(given.commit or table.commit_here())
    table.merge(_path(given, device), head, [table.as_stored(row, mark) for row in rows], [])


def _planning(given: argparse.Namespace) -> int:
    """Measure what graphs of tiles cost on this processor."""
    from tracea_core.plugin.select import resolve

    profile = resolve("cpu").target.profile
    print(f"{given.table} on {profile.name}, Python {platform.python_version()}")
    versions = _versions(("tracea-core", "numpy"))
    rows = importlib.import_module(_PLANNING[given.table]).rows(given)
    return _store(given, {"table": given.table, "device": profile.name}, versions, rows, {})


def _certification(given: argparse.Namespace) -> int:
    """Measure what certificates cost on this processor, and put each row into the table, which several runs may fill."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    from tracea_core.plugin.select import resolve

    from benchmarks import certification, table

    profile = resolve("cpu").target.profile
    print(f"{given.table} on {profile.name}, Python {platform.python_version()}")
    head = {"table": given.table, "device": profile.name, "arch": profile.arch, "python": platform.python_version()}
    head |= {"versions": _versions(("tracea-core", "numpy"))}
    path, commit = _path(given, _called(head)), given.commit or table.commit_here()

    def tell(row: Row, line: dict[str, Any]) -> None:
        mark = table.stamped(commit)
        table.merge(path, head, [table.as_stored(row, mark)], [{**line, **mark}] if line else [])

    return 0 if all(row.met for row in certification.rows(given, tell)) else 1


def _on_device(given: argparse.Namespace) -> int:
    """Measure a table of the GPU's."""
    import random

    from tracea_core.plugin.select import resolve

    from benchmarks import cuda_attention, cuda_conv, cuda_conv_training, cuda_gemm, cuda_row_wise, device_table, table

    given.seed = random.randrange(1 << 32) if given.seed is None else given.seed
    profile = resolve(given.device).target.profile
    print(
        f"{given.table} on {profile.name}, {profile.processors} multiprocessors, Python {platform.python_version()}, seed {given.seed}"
    )
    versions = _versions(_CUDA_PACKAGES)
    head = {"table": given.table, "device": profile.name, "clock_mhz": profile.clock_mhz}
    head |= {"python": platform.python_version(), "versions": versions}
    path, commit = _path(given, profile.name), given.commit or table.commit_here()
    rows: list[Row] = []

    def tell(group: cuda_gemm.Measured) -> None:
        for row in group.rows:
            print(f"  {row}")
        rows.extend(group.rows)
        if given.quick or not group.whole:
            print(f"  not stored: {group.group} was not measured whole")
            return
        # whether torch.compile was a peer, even where it won nowhere
        mark = {"group": group.group, **table.stamped(commit), "seed": given.seed, "torch_compile": given.compile}
        lines = [{**line, **mark} for line in group.lines]
        device_table.put(path, head, [table.as_stored(row, mark) for row in group.rows], lines)

    own = {"cuda-conv": cuda_conv, "cuda-attention": cuda_attention, "cuda-row-wise": cuda_row_wise}
    groups = own[given.table].groups if given.table in own else None
    for group in cuda_gemm.measured(given, groups):
        tell(group)
    if given.table == "cuda-conv" and re.search(given.only, "memory"):
        layers = (*cuda_conv.resnet50(64), *cuda_conv.RAGGED, *cuda_conv.DEPTHWISE)
        tell(cuda_gemm.Measured("memory", cuda_conv_training.memory_rows(given, layers), [], whole=True))
    print(f"{path} holds {len(table.read(path)['rows'])} rows")
    return 0 if all(row.met for row in rows) else 1


def _torch(given: argparse.Namespace) -> int:
    """Measure compiled networks, on the GPU if there is one, and put them into the table."""
    import torch
    from tracea_core.plugin.select import resolve

    from benchmarks import table, torch_rows

    where = given.device if torch.cuda.is_available() else "cpu"
    profile = resolve(where).target.profile
    print(f"{given.table} on {profile.name}, {profile.processors} processors, Python {platform.python_version()}")
    head = {"table": given.table, "device": profile.name, "clock_mhz": profile.clock_mhz}
    head |= {"arch": profile.arch} if profile.backend == "cpu" else {}
    head |= {"python": platform.python_version(), "versions": _versions(_CUDA_PACKAGES)}
    path, commit = _path(given, _called(head)), given.commit or table.commit_here()

    def tell(title: str, rows: list[Row], line: dict[str, Any]) -> None:
        mark = table.stamped(commit)
        table.merge(path, head, [table.as_stored(row, mark) for row in rows], [{"name": title, **line, **mark}])
        for row in rows:
            print(f"  {row}")
        said = {key: value for key, value in line.items() if key != "regions"}
        print("       " + ", ".join(f"{key} {value}" for key, value in said.items()), flush=True)
        for region, count in line.get("regions", {}).items():
            print(f"       {count} × {region}", flush=True)

    rows = torch_rows.measure(given, where, table.read(path)["lines"], tell)
    for row in torch_rows.means(table.read(path)["rows"], where):
        print(f"  {row}")
    return 0 if all(row.met for row in rows) else 1


def _merge(given: argparse.Namespace) -> int:
    """Put the figures of another table of the same kind and device into the stored one."""
    from benchmarks import device_table, table

    other = table.read(given.merge)
    for line in (*other["rows"], *other["lines"]):
        if given.commit and line["commit"] == table.UNKNOWN:
            line["commit"] = given.commit
    head = {key: value for key, value in other.items() if key not in ("rows", "lines", "measured")}
    path = _path(given, _called(head))
    put = device_table.put if given.table in _OF_GPUS else table.merge
    stored = put(path, head, other["rows"], other["lines"])
    print(f"{len(other['rows'])} rows merged; {path} holds {len(stored['rows'])}")
    return 0


def _versions(names: tuple[str, ...]) -> dict[str, str]:
    found = {}
    for name in names:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue
    print("  " + ", ".join(f"{name} {version}" for name, version in found.items()))
    return found


def _called(head: Mapping[str, Any]) -> str:
    """What a table's device is called: processors by their generation as well.

    Hypervisors call those of every generation "AMD EPYC", and figures of one say nothing about another.
    """
    return f"{head['device']} {head['arch']}" if "arch" in head else str(head["device"])


def _path(given: argparse.Namespace, device: str) -> Path:
    """Return where the table of a device lies."""
    short = re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")
    return Path(given.results) / f"{given.table}-{short}.json"


def _store(
    given: argparse.Namespace, head: dict[str, Any], versions: dict[str, str], rows: list[Row], more: dict[str, Any]
) -> int:
    given.results.mkdir(parents=True, exist_ok=True)
    path = _path(given, str(head["device"]))
    stored = {
        **head,
        "measured": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "versions": versions,
        "rows": [{**asdict(row), "met": row.met} for row in rows],
        **more,
    }
    path.write_text(json.dumps(stored, indent=2, ensure_ascii=False) + "\n")
    print(f"written to {path}")
    return 0 if all(row.met for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
