# SPDX-License-Identifier: MIT
"""Reading the assembler's log: figures, faults, and that silence is never taken for consent."""

import pytest
from tracea_core.errors import CompileError
from tracea_cuda.ptxas import SERIOUS, parse

CLEAN = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'other' for 'sm_90a'
ptxas info    : Function properties for other
ptxas         .     96 bytes stack frame, 40 bytes spill stores, 44 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers
ptxas info    : Compiling entry function 'gemm' for 'sm_90a'
ptxas info    : Function properties for gemm
ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 168 registers, used 3 barriers, 1024 bytes smem
ptxas info    : Compile time = 11.474 ms
"""
SPILL = CLEAN.replace("0 bytes spill stores, 0 bytes spill loads", "16 bytes spill stores, 24 bytes spill loads")
DROPPED = (
    "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at entry.\n"
    + CLEAN
)
SERIALIZED = (
    "ptxas info    : (C7511) Potential Performance Loss: wgmma.mma_async instructions are serialized due to insufficient "
    "register resources for the wgmma pipeline in the function 'gemm'\n" + CLEAN
)
HARMLESS = "ptxas info    : (C7517) warpgroup.wait is injected in around line 372 by compiler\n" + CLEAN


def test_figures_are_those_of_the_kernel_asked_for() -> None:
    report = parse(CLEAN, "gemm")
    assert (report.registers, report.barriers, report.shared_bytes) == (168, 3, 1024)
    assert (report.stack_bytes, report.spill_store_bytes, report.spill_load_bytes) == (0, 0, 0)
    assert report.faults == ()
    report.require()
    other = parse(CLEAN, "other")
    assert (other.registers, other.stack_bytes, other.spill_store_bytes, other.spill_load_bytes) == (255, 96, 40, 44)


@pytest.mark.parametrize(
    ("log", "words"),
    [
        (SPILL, "it spills: 16 bytes stored and 24 loaded"),
        (DROPPED, "setmaxnreg is dropped"),
        (SERIALIZED, "wgmma is serialized"),
    ],
)
def test_planted_logs_are_refused(log: str, words: str) -> None:
    with pytest.raises(CompileError, match=words):
        parse(log, "gemm").require()


@pytest.mark.parametrize("number", sorted(SERIOUS))
def test_every_serious_message_is_refused(number: str) -> None:
    with pytest.raises(CompileError, match=number):
        parse(f"ptxas info : ({number}) Potential Performance Loss: something\n{CLEAN}", "gemm").require()


def test_other_messages_are_kept_and_allowed() -> None:
    report = parse(HARMLESS, "gemm")
    assert report.messages == ("C7517 warpgroup.wait is injected in around line 372 by compiler",)
    assert report.faults == ()


@pytest.mark.parametrize(
    "log", ["", CLEAN.replace("'gemm'", "'gem'"), "ptxas info : Compiling entry function 'gemm' for 'sm_90a'"]
)
def test_a_log_that_says_nothing_of_the_kernel_is_an_error(log: str) -> None:
    with pytest.raises(CompileError, match="says nothing about"):
        parse(log, "gemm")
