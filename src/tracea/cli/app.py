# SPDX-License-Identifier: MIT
"""The application: commands, their options, and how errors leave it (one line with the way out, exit code 1)."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from tracea_core.errors import OptionError, TraceaError

from tracea.cli.words import DIMENSIONS, Words, takes_words

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)
bench = typer.Typer(no_args_is_help=True, help="Measure against other libraries, in one run.")
cache = typer.Typer(no_args_is_help=True, help="Compiled kernels and measurements on this machine.")
app.add_typer(bench, name="bench")
app.add_typer(cache, name="cache")

Op = Annotated[str, typer.Argument(help="; ".join(f"{op} {names}" for op, names in DIMENSIONS.items()))]
Dims = Annotated[list[int], typer.Argument(help="The op's dimensions")]
Preset = Annotated[str | None, typer.Option(help="A published device, such as h200, instead of one at hand")]
Backend = Annotated[str | None, typer.Option(help="A backend's name")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON")]


def _print_version(wanted: bool) -> None:
    if wanted:
        from tracea import __version__

        typer.echo(f"tracea {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version")
    ] = False,
) -> None:
    """Matrix kernels with a certificate: explain, emit, prove, tune and measure them."""


def console() -> Console:
    """Return the console, wide enough for tables where the output is no terminal."""
    return Console(width=None if sys.stdout.isatty() else 150, highlight=False)


def _path(op: str, dims: list[int], words: Words, preset: str | None, backend: str | None) -> Any:
    from tracea_core.pipeline import trace

    from tracea.cli.problems import make_problem
    from tracea.ops.filtering import by_default

    place = None if preset or backend else "cpu", backend, preset
    return trace(by_default(make_problem(op, dims, words), *place), *place)


@app.command()
@takes_words
def explain(
    op: Op, dims: Dims, words: Words, preset: Preset = None, backend: Backend = None, as_json: Json = False,
    html: Annotated[Path | None, typer.Option(help="Write pictures of every stage here, a page that needs no network")] = None,
) -> None:  # fmt: skip
    """Walk one call through the layers, from problem to source."""
    from tracea.explanation import explanation

    path = _path(op, dims, words, preset, backend)
    explained = explanation(path)
    if html is not None:
        _write(html, explained.to_html())
    if as_json:
        typer.echo(explained.to_json())
        return
    if html is not None:
        typer.echo(f"pictures of {explained.kernel.name} are in {html}")
        return
    screen = console()
    for title, text in explained.layers():
        screen.rule(f"[bold]{title}", align="left")
        screen.print(text, markup=False, soft_wrap=True)


@app.command()
@takes_words
def emit(
    op: Op, dims: Dims, words: Words, preset: Preset = None, backend: Backend = None,
    binary: Annotated[Path | None, typer.Option(help="Also compile, and write the binary here")] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Print the source of the kernel that a call would use, or of all of them in the order in which they run."""
    from tracea_core.errors import BackendUnavailableError
    from tracea_core.pipeline.plan import keeping
    from tracea_core.plugin.manager import plugins

    path = _path(op, dims, words, preset, backend)
    if path.source is None:
        raise BackendUnavailableError(
            f"the backend {path.target.backend!r} prints no {path.choice.variant.family} kernels in this version",
            hint="`tracea explain` shows the certified schedule; --backend cpu and the presets avx2, avx512 and neon print source",
        )
    if binary is not None:
        compile_binary = plugins().manifest(path.target.backend).compile_binary
        if compile_binary is None:
            raise BackendUnavailableError(
                f"the backend {path.target.backend!r} compiles only on its device", hint="Leave out --binary"
            )
        path, made = keeping(path, lambda one: (one, [compile_binary(source) for source in one.sources]))
        for number, code in enumerate(made):
            place = binary if len(made) == 1 else binary.with_suffix(f".{number}{binary.suffix}")
            _write(place, code)
    if as_json:
        import msgspec

        found = msgspec.to_builtins(path.sources)
        typer.echo(json.dumps(found[0] if len(found) == 1 else found, indent=2))
    else:
        typer.echo("\n".join(source.text for source in path.sources), nl=False)


@app.command()
@takes_words
def verify(
    op: Annotated[str, typer.Argument(help="An op, or a file written by `tracea explain … --json`")],
    words: Words,
    dims: Annotated[list[int] | None, typer.Argument(help="The op's dimensions; none for a file")] = None,
    preset: Preset = None, backend: Backend = None, as_json: Json = False,
) -> None:  # fmt: skip
    """Prove the schedule of a call again, or one that a file states, and print what was proved."""
    from tracea.explanation import Explanation, explanation

    if op.endswith(".json") and not dims:
        explained = Explanation.from_json(_read(Path(op)))
    else:
        explained = explanation(_path(op, dims or [], words, preset, backend))
    certificate = explained.prove()
    typer.echo(certificate.to_json() if as_json else f"{explained.kernel.name}\n{certificate.describe()}")


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise OptionError(
            f"{path} cannot be read: {error.strerror}", hint="Write it with `tracea explain … --json`"
        ) from error


def _write(path: Path, content: str | bytes) -> None:
    try:
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    except OSError as error:
        raise OptionError(
            f"{path} cannot be written: {error.strerror}", hint="Name a file in an existing folder"
        ) from error


def _make_folder(path: Path) -> None:
    """Make a folder for what will take minutes to come, so that it is not lost for want of a place."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OptionError(
            f"{path} cannot be made: {error.strerror}", hint="Name a folder that you may write to"
        ) from error
    if not os.access(path, os.W_OK):
        raise OptionError(f"{path} cannot be written to", hint="Name a folder that you may write to")


@app.command()
def doctor(
    as_json: Json = False,
    measure: Annotated[
        bool, typer.Option("--measure", help="Measure how fast memory and products are on each device, and remember it")
    ] = False,
) -> None:
    """Say what works on this machine, what does not, and how to get it. Always succeeds."""
    try:
        from tracea.cli.doctor import report

        report(as_json, console(), measure)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        from tracea_core.diagnose.emergency import emergency, emergency_text

        typer.echo(json.dumps(emergency(error), indent=2) if as_json else emergency_text(error))


@app.command()
@takes_words
def tune(
    op: Op, dims: Dims, words: Words, backend: Backend = None,
    effort: Annotated[str, typer.Option(help="none (only say what is known), quick or full")] = "quick",
    seconds: Annotated[float | None, typer.Option(help="Wall-clock budget")] = None,
    evaluations: Annotated[int | None, typer.Option(help="Most candidates to measure")] = None,
    force: Annotated[bool, typer.Option(help="Measure again what was measured before")] = False,
    lock: Annotated[bool, typer.Option(help="Pin the result in tracea.lock")] = False,
    scheduler: Annotated[
        str | None, typer.Option(help="Measure on the devices of a Dask cluster (tcp://host:8786), or on all GPUs of this host (local)")
    ] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Measure configurations on real kernels and remember the best."""
    from tracea.cli.tuning import run_tuning

    run_tuning(op, dims, words, backend, effort, seconds, evaluations, force, lock, scheduler, as_json, console())


@app.command()
def export(
    folder: Annotated[Path, typer.Argument(help="Where the library is written; one that was exported there before is replaced")],
    calls: Annotated[list[str], typer.Argument(help='Calls, each in quotes: "NAME=linear 512 3072 768 --epilogue bias,gelu"')],
    name: Annotated[str, typer.Option(help="The library's name, with which its functions begin")] = "kernels",
    device: Annotated[str | None, typer.Option(help="cpu, or a device such as cuda:0; cpu by default")] = None,
    preset: Preset = None, backend: Backend = None,
    built: Annotated[bool | None, typer.Option("--build/--no-build", help="Compile it here; by default if there is a C compiler")] = None,
    as_json: Json = False,
) -> None:  # fmt: skip
    """Write a library of C with the kernels of these calls, which needs no Python."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
    from tracea_core.export.library import MARK

    from tracea.exporting import export as export_calls

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("preparing", total=None)
        made = export_calls(
            folder, calls, name, device, backend, preset, built=built,
            progress=lambda done, total, text: bar.update(task, completed=done, total=total, description=text),
        )  # fmt: skip
    if as_json:
        typer.echo((made.folder / MARK).read_text(), nl=False)
        return
    typer.echo(f"{made.folder}/include/{name}.h declares")
    for call in made.calls:
        typer.echo(f"  {name}_{call.name}: {call.line}")
    typer.echo(
        f"{made.library} has them" if made.library else f"not compiled, since {made.note}; CMakeLists.txt does it"
    )


@bench.command()
def graduation(
    quick: Annotated[bool, typer.Option(help="Fewer bouts, shorter bursts")] = False,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the report here")] = None,
    png: Annotated[Path | None, typer.Option(help="Draw the picture here")] = None,
    results: Annotated[Path | None, typer.Option(help="Write graduation-DEVICE.json and .png into this folder")] = None,
    device: Annotated[str, typer.Option(help="cpu, or a CUDA device: fp16 against cuDNN and cuBLAS")] = "cpu",
) -> None:
    """Three rounds against PyTorch and NumPy: fusion, weird shapes, pure GEMM; validated, in turns, nothing estimated."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from tracea.graduation.run import graduate
    from tracea.graduation.table import show

    for folder in (results, json_file and json_file.parent, png and png.parent):
        if folder is not None:
            _make_folder(folder)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("preparing", total=None)
        report = graduate(
            quick, lambda done, total, text: bar.update(task, completed=done, total=total, description=text), device
        )
    show(report, console())
    if results is not None:
        device = re.sub(r"[^a-z0-9]+", "-", report.device.lower()).strip("-")
        json_file = json_file or results / f"graduation-{device}.json"
        png = png or results / f"graduation-{device}.png"
    if json_file is not None:
        _write(json_file, report.to_json() + "\n")
    if png is not None:
        from tracea.graduation.picture import draw

        draw(report, png)


@cache.command("stats")
def cache_stats(as_json: Json = False) -> None:
    """Say what is stored, and where."""
    import msgspec
    from tracea_core.pipeline.configure import store
    from tracea_core.runtime.cache import BinaryCache

    binaries, measured = BinaryCache().stats(), store()
    if as_json:
        typer.echo(
            json.dumps(
                {"binaries": msgspec.to_builtins(binaries), "measurements": len(measured), "store": str(measured.path)}
            )
        )
        return
    typer.echo(
        f"binaries      {binaries.entries} in {binaries.bytes / 1e6:.1f} of {binaries.limit_bytes / 1e6:.0f} MB, {binaries.directory}"
    )
    typer.echo(f"measurements  {len(measured)}, {measured.path}")
    for problem in (binaries.problem, measured.problem):
        if problem:
            typer.echo(f"note          {problem}")


@cache.command("clear")
def cache_clear(
    measurements: Annotated[bool, typer.Option(help="Remove measurements too")] = False, as_json: Json = False
) -> None:
    """Remove compiled kernels and certificates; measurements only if asked, since they were paid for."""
    from tracea_core.pipeline.configure import store
    from tracea_core.runtime.cache import BinaryCache

    removed, forgotten = BinaryCache().clear(), 0
    if measurements:
        stored = store()
        forgotten = len(stored)
        store.cache_clear()
        stored.close()
        for suffix in ("", "-wal", "-shm", "-journal"):
            stored.path.with_name(stored.path.name + suffix).unlink(missing_ok=True)
    if as_json:
        typer.echo(json.dumps({"binaries_removed": removed, "measurements_removed": forgotten}))
    else:
        typer.echo(f"{removed} compiled kernels and certificates removed, {forgotten} measurements")


@cache.command("path")
def cache_path(as_json: Json = False) -> None:
    """Print where everything is kept (TRACEA_CACHE_DIR moves it)."""
    from tracea_core.storage import cache_root

    typer.echo(json.dumps({"path": str(cache_root())}) if as_json else str(cache_root()))


def main() -> None:
    """Run the command line."""
    try:
        app(standalone_mode=True)
    except TraceaError as error:
        if os.environ.get("TRACEA_VERBOSE"):
            raise
        Console(stderr=True, highlight=False).print(f"[red]{type(error).__name__}[/red]: ", end="")
        print(error, file=sys.stderr)
        sys.exit(1)
