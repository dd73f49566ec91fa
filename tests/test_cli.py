# SPDX-License-Identifier: MIT
"""The command line, in process: what each command prints, and how errors leave it."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from tracea_core.errors import OptionError, TraceaError
from tracea_core.pipeline import cluster
from typer.testing import CliRunner

from tracea.cli.app import app, main
from tracea.cli.words import Words, parse_words


def run(*words: str) -> str:
    result = CliRunner().invoke(app, list(words))
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.parametrize(
    "words",
    [
        ("matmul", "1024", "1024", "1024", "--epilogue", "bias,gelu"),
        ("linear", "7", "33", "65", "--dtype", "bf16"),
        ("conv2d", "1", "8", "9", "9", "16", "3", "3", "--padding", "1", "--layout", "nhwc", "--epilogue", "bias,relu"),
        ("conv2d", "8", "16", "9", "9", "16", "3", "3", "--padding", "1", "--allow-winograd"),
        ("conv2d_filters", "2", "8", "9", "9", "16", "3", "3", "--padding", "1"),
        ("conv_transpose2d", "1", "8", "5", "5", "16", "2", "2", "--stride", "2", "--output-padding", "1"),
        ("matmul", "64", "64", "64", "--epilogue", "swiglu"),
        ("softmax", "30", "100", "--epilogue", "column_scale"),
        ("log_softmax", "30", "100", "--dtype", "fp64"),
        ("layer_norm", "30", "100"),
        ("rms_norm", "30", "100", "--dtype", "bf16"),
        (
            "attention",
            "2",
            "4",
            "30",
            "33",
            "16",
            "--left",
            "8",
            "--right",
            "2",
            "--kv-heads",
            "2",
            "--epilogue",
            "relu",
        ),
        ("low_rank_mlp", "30", "40", "50", "6", "--epilogue", "bias"),
    ],
)
def test_explain_walks_every_layer(words: tuple[str, ...]) -> None:
    text = run("explain", *words)
    for layer in (
        "Problem",
        "Target",
        "Choice",
        "Arrangement",
        "Configuration",
        "Tile graph",
        "Semantic kernel",
        "Certificate",
        "Source",
    ):
        assert layer in text
    assert "rejected:" in text and "meaning" in text and "llvm-ir" in text


def test_words_that_mean_something_change_the_problem() -> None:
    inputs = json.loads(
        run("explain", "attention", "2", "4", "30", "33", "16", "--kv-heads", "2", "--causal", "--json")
    )
    assert inputs["problem"]["op"]["causal"] is True
    assert [spec["shape"] for spec in inputs["problem"]["inputs"]] == [[2, 4, 30, 16], [2, 2, 33, 16], [2, 2, 33, 16]]


def test_explain_for_a_device_that_is_not_there_ends_at_the_source() -> None:
    text = run("explain", "matmul", "512", "512", "512", "--dtype", "bf16", "--preset", "h200")
    assert "ring stage" in text and "role producer" in text and "start acc += a_tile" in text
    assert (
        "no overwrite, early read, wrong phase or deadlock" in text
        and "no access to shared memory has a bank conflict" in text
    )
    assert "wgmma_m64n" in text and "tracea emit" in text


def test_scaled_products_show_where_groups_of_k_are_scaled() -> None:
    text = run("explain", "scaled_matmul", "512", "512", "512", "--dtype", "fp8_e4m3", "--preset", "h200")
    assert "a_scales" in text and "b_scales" in text and "before anything scales them" in text
    with pytest.raises(TraceaError, match="scales along k are for fp8, not fp32"):
        run("explain", "scaled_matmul", "512", "512", "512", "--preset", "h200")


def test_explain_as_json_holds_the_stages() -> None:
    stages = json.loads(run("explain", "matmul", "16", "16", "16", "--json"))
    assert stages["choice"]["variant"]["backend"] == "cpu" and stages["source"]["text"].startswith("; tracea")


@pytest.mark.parametrize("preset", ["avx2", "avx512", "neon"])
def test_emit_prints_source_for_processors_that_are_not_here(preset: str) -> None:
    text = run("emit", "matmul", "64", "64", "64", "--preset", preset)
    assert text.startswith("; tracea: matmul fp32") and "define void @" in text
    assert json.loads(run("emit", "matmul", "64", "64", "64", "--preset", preset, "--json"))["text"] == text


def test_emit_writes_a_binary(tmp_path: Path) -> None:
    run("emit", "matmul", "64", "64", "64", "--backend", "cpu", "--binary", str(tmp_path / "kernel.o"))
    assert (tmp_path / "kernel.o").read_bytes()[:4] in (b"\x7fELF", b"\xcf\xfa\xed\xfe") or (
        tmp_path / "kernel.o"
    ).stat().st_size


def test_emit_compiles_the_configuration_that_a_call_would_take(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A compiler that does not keep the schedule of the first is given the next, whose text is printed."""
    from tracea_core.emit.source import KernelSource
    from tracea_core.errors import ScheduleError
    from tracea_core.plugin.manager import plugins

    texts = list[str]()

    def first_spills(source: KernelSource) -> bytes:
        texts.append(source.text)
        if source.text == texts[0]:
            raise ScheduleError("it spills")
        return b"code"

    manifest = dataclasses.replace(plugins().manifest("sycl"), compile_binary=first_spills)
    monkeypatch.setattr(type(plugins()), "manifest", lambda self, name: manifest)
    words = ("emit", "matmul", "64", "64", "64", "--preset", "pvc", "--dtype", "bf16", "--binary")
    printed = run(*words, str(tmp_path / "kernel.bin"))
    assert (tmp_path / "kernel.bin").read_bytes() == b"code" and len(texts) == 2
    assert printed == texts[1] != texts[0]


def test_verify_proves_again() -> None:
    assert "meaning" in run("verify", "conv2d", "1", "3", "8", "8", "4", "3", "3", "--padding", "1")
    assert "proofs" in json.loads(run("verify", "matmul", "8", "8", "8", "--json"))


@pytest.mark.parametrize("where", [("--preset", "h200", "--dtype", "bf16"), ()])
def test_verify_proves_what_a_file_states_and_nothing_else(where: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "kernel.json"
    file.write_text(run("explain", "matmul", "256", "256", "256", *where, "--json"))
    assert "meaning" in run("verify", str(file))
    stated = json.loads(file.read_text())
    mma = next(
        node
        for role in stated["kernel"]["roles"]
        for node in _nodes(role["body"])
        if node["type"] in ("Mma", "AsyncMma")
    )
    mma["a"], mma["b"] = mma["b"], mma["a"]
    file.write_text(json.dumps(stated))
    with pytest.raises(TraceaError):
        run("verify", str(file))
    file.write_text("{}")
    with pytest.raises(TraceaError, match="JSON of a Explanation"):
        run("verify", str(file))
    with pytest.raises(TraceaError, match="cannot be read"):
        run("verify", str(tmp_path / "missing.json"))


def _nodes(body: list[dict[str, Any]]) -> list[dict[str, Any]]:
    inner = [n for node in body for key in ("body", "then", "otherwise") for n in _nodes(node.get(key, []))]
    return [*body, *inner]


def test_tune_measures_real_kernels_and_pins_the_best(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = json.loads(
        run("tune", "matmul", "96", "96", "96", "--evaluations", "3", "--seconds", "600", "--force", "--lock", "--json")
    )
    assert result["origin"] == "search" and result["measurement"]["seconds"] > 0
    assert len(result["search"]["history"]) == 3
    pins = json.loads((tmp_path / "tracea.lock").read_text())["pins"]
    assert pins[0]["configuration"] == result["configuration"]
    from tracea.dispatch import forget_plans

    forget_plans()
    assert "pinned by the lock file" in run("explain", "matmul", "96", "96", "96")


def test_it_says_its_version_and_lists_its_commands() -> None:
    from tracea import __version__

    assert run("--version").strip() == f"tracea {__version__}"
    listed = run("--help")
    assert all(command in listed for command in ("doctor", "explain", "emit", "verify", "tune", "bench", "cache"))


def test_doctor_speaks_and_succeeds() -> None:
    assert "findings" in run("doctor")
    report = json.loads(run("doctor", "--json"))
    assert any(plugin["name"] == "cpu" for plugin in report["plugins"])


def test_the_doctor_measures_when_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    import tracea_core.pipeline.rates as module
    from tracea_core.errors import TuningError
    from tracea_core.plugin.rates import Rates
    from tracea_core.target import Target

    def measured(target: Target) -> Rates:
        if target.device != "cpu" or target.backend != "cpu":
            raise TuningError("planted", hint="way out")
        return Rates(memory_gbps=12.0, products={"fp32": 345.0})

    monkeypatch.setattr(module, "measure_rates", measured)
    assert "cpu: memory 12 GB/s; products, GFLOP/s: fp32 345" in run("doctor", "--measure")
    assert "GB/s; products" not in run("doctor")
    report = json.loads(run("doctor", "--measure", "--json"))
    assert report["rates"]["cpu"] == {"memory_gbps": 12.0, "products": {"fp32": 345.0}}

    def fails(target: Target) -> Rates:
        raise TuningError("planted", hint="way out")

    monkeypatch.setattr(module, "measure_rates", fails)
    assert "[warning] rates of cpu: planted" in run("doctor", "--measure")


def test_the_doctor_survives_its_own_failure(monkeypatch: pytest.MonkeyPatch) -> None:
    import tracea.cli.doctor as module

    def fail(*arguments: object) -> None:
        raise MemoryError("planted")

    monkeypatch.setattr(module, "report", fail)
    assert "planted" in run("doctor")
    assert "planted" in json.dumps(json.loads(run("doctor", "--json")))


def test_tune_without_effort_only_says_what_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = json.loads(run("tune", "matmul", "77", "1234", "99", "--effort", "none", "--json"))
    assert result["origin"] == "model, not measured" and result["measurement"] is None


def test_tune_prints_the_hero_beside_the_choice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = run("tune", "matmul", "40", "40", "40", "--evaluations", "3", "--seconds", "600", "--force")
    assert "against the hero" in text and "chosen" in text and "the model predicts" in text


def test_tune_takes_each_convolution_of_a_transposed_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    sizes, words = "1433822", ["--stride", "2", "--evaluations", "1", "--seconds", "2400"]
    words = ["conv_transpose2d", *sizes, *words]
    text = run("tune", *words, "--lock")
    assert text.count("hero, chosen") == text.count("of the 4") == 4
    assert json.loads((tmp_path / "tracea.lock").read_text())["pins"]
    each = [json.loads(line) for line in run("tune", *words, "--json").splitlines() if line]
    assert len(each) == 4 and all(one["measurement"]["seconds"] > 0 for one in each)


def test_cache_says_what_it_holds_and_where_and_forgets_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tracea_core.pipeline.configure import store

    monkeypatch.setenv("TRACEA_CACHE_DIR", str(tmp_path))
    store.cache_clear()
    assert run("cache", "path").strip() == json.loads(run("cache", "path", "--json"))["path"] == str(tmp_path)
    run("tune", "matmul", "24", "24", "24", "--evaluations", "1", "--seconds", "600")
    held = json.loads(run("cache", "stats", "--json"))
    assert held["binaries"]["entries"] > 0 and held["measurements"] > 0
    assert "binaries" in run("cache", "stats")
    cleared = json.loads(run("cache", "clear", "--measurements", "--json"))
    assert cleared == {"binaries_removed": held["binaries"]["entries"], "measurements_removed": held["measurements"]}
    left = json.loads(run("cache", "stats", "--json"))
    assert left["binaries"]["entries"] == 0 and left["measurements"] == 0
    store.cache_clear()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("explain", "matmul", "1", "2"), "matmul takes M N K"),
        (("explain", "frobnicate", "1"), "no op is called"),
        (("emit", "matmul", "8", "8", "8", "--preset", "nosuch"), "no device preset"),
        (("emit", "matmul", "8", "8", "8", "--causal"), "--causal means nothing to matmul"),
        (("verify", "attention", "1", "2", "8", "8", "16", "--stride", "2"), "--stride means nothing to attention"),
        (("emit", "matmul", "64", "64", "64", "--dtype", "fp64", "--preset", "m2"), "no variant"),
        (("explain", "matmul", "8", "8", "8", "--dtype", "fp7"), "unknown dtype"),
        (("tune", "matmul", "8", "8", "8", "--effort", "heroic"), "effort"),
        (("tune", "matmul", "8", "8", "8", "--evaluations", "0"), "at least one evaluation"),
        (("verify", "matmul"), "matmul takes M N K"),
        (("explain", "matmull", "8", "8", "8"), "Did you mean 'matmul'"),
        (("emit", "matmul", "8", "8", "8", "--backend", "cpuu"), "Did you mean 'cpu'"),
        (("explain", "matmul", "8", "8", "8", "--html", "/proc/none/x.html"), "x.html cannot be written: No such file"),
        (
            ("emit", "matmul", "8", "8", "8", "--backend", "cpu", "--binary", "/proc/none/x.o"),
            "x.o cannot be written: No such",
        ),
        (("bench", "graduation", "--results", "/proc/none"), "/proc/none cannot be made"),
        (("bench", "graduation", "--json", "/proc/none/g.json"), "/proc/none cannot be made"),
    ],
)
def test_errors_are_one_line_with_the_way_out(
    words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(TraceaError, match=message):
        run(*words)
    monkeypatch.setattr("sys.argv", ["tracea", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 1
    assert message in capsys.readouterr().err


def test_a_lock_file_that_cannot_be_written_is_an_error_of_ours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".tracea.lock.guard").mkdir()
    with pytest.raises(TraceaError, match=r"tracea.lock cannot be written here.*what was measured is kept"):
        run("tune", "matmul", "24", "24", "24", "--effort", "none", "--lock")


def test_refusals_are_of_the_family_that_was_asked_for_and_each_is_said_once() -> None:
    with pytest.raises(TraceaError) as refused:
        run("emit", "matmul", "64", "64", "64", "--dtype", "fp64", "--preset", "h200")
    said = str(refused.value)
    assert said.count("accumulates in fp32, not fp64") == 1 and "cuda.contraction.mma_bf16, " in said
    assert "rowwise" not in said and "chained" not in said


def test_quick_graduation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two small bouts through the whole machinery: validated, timed, written, drawn."""
    pytest.importorskip("matplotlib")
    from tracea.graduation import rounds
    from tracea.graduation import run as running

    def few(quick: bool, threads: int) -> list:
        return [
            lambda: rounds.gemm("weird shapes", 37, 41, 43, threads),
            lambda: rounds.gemm("pure GEMM", 64, 64, 64, threads),
        ]

    monkeypatch.setattr(running, "bouts", few)
    text = run("bench", "graduation", "--quick", "--json", str(tmp_path / "g.json"), "--png", str(tmp_path / "g.png"))
    assert "weird shapes" in text and "pure GEMM" in text and "noise" in text
    report = running.Report.from_json((tmp_path / "g.json").read_text())
    assert [row.name for row in report.rows] == ["37×41×43", "64×64×64"]
    assert all(off <= 1 for row in report.rows for _, off in row.errors)
    assert (tmp_path / "g.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


def test_a_wrong_contestant_is_never_timed() -> None:
    import numpy as np

    from tracea.graduation.rounds import gemm
    from tracea.graduation.run import WrongResultError, run_bout

    bout = gemm("planted", 16, 16, 16, 1)
    bout.contestants["numpy"] = lambda: np.zeros((16, 16), np.float32)
    with pytest.raises(WrongResultError, match="numpy is"):
        run_bout(bout, 1, 0.001)


def test_words_within_other_text_mean_what_options_mean() -> None:
    op, dims, words = parse_words(
        ["conv2d", "1", "8", "9", "9", "16", "3", "3", "--padding", "1", "--no-winograd", "--epilogue", "bias,relu"]
    )
    assert (op, dims) == ("conv2d", [1, 8, 9, 9, 16, 3, 3])
    assert words == Words(padding=1, allow_winograd=False, epilogue="bias,relu")
    assert parse_words(["attention", "1", "2", "3", "4", "5", "--causal", "--left", "7"])[2] == Words(
        causal=True, left=7
    )
    assert parse_words(["matmul"])[2] == Words()
    for wrong in (["matmul", "x"], ["matmul", "1", "--caus"], ["matmul", "1", "--padding", "one"], []):
        with pytest.raises(OptionError, match="that is no call"):
            parse_words(wrong)


def test_export_writes_a_library_and_says_what_is_in_it(tmp_path: Path) -> None:
    calls = ("up=linear 8 32 16 --epilogue bias,relu", "matmul 4 5 6")
    said = run("export", str(tmp_path / "made"), *calls, "--name", "layers", "--no-build")
    assert "layers_up: linear 8 32 16 --epilogue bias,relu" in said and "layers_matmul_4_5_6: matmul 4 5 6" in said
    assert "CMakeLists.txt does it" in said
    facts = json.loads(run("export", str(tmp_path / "made"), calls[1], "--name", "layers", "--no-build", "--json"))
    assert [one["function"] for one in facts["calls"]] == ["layers_matmul_4_5_6"]
    assert facts["calls"][0]["kernels"][0]["certificate"]["proofs"]
    with pytest.raises(OptionError, match="unrecognized arguments: --preset"):
        run("export", str(tmp_path / "other"), "matmul 4 5 6 --preset h200")


def test_a_local_scheduler_of_a_processor_is_a_process_here(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("tune", "matmul", "48", "40", "24", "--evaluations", "2", "--seconds", "60", "--force", "--json")
    found = json.loads(run(*words, "--scheduler", "local"))
    assert len(found["search"]["history"]) == 2 and found["measurement"]["seconds"] > 0
    monkeypatch.setattr(cluster, "_CONNECT_SECONDS", 0.5)
    with pytest.raises(OptionError, match=r"no Dask scheduler answers at tcp://127\.0\.0\.1:9"):
        run(*words, "--scheduler", "tcp://127.0.0.1:9")
