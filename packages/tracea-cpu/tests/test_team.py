# SPDX-License-Identifier: MIT
"""Launches on PyTorch's threads: every worker runs its share once, and where those threads cannot be had, ours do."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the runtime is looked for in Linux's way")

_PROCESS = """
import ctypes, hashlib, os, struct, sys
sys.path.insert(0, sys.argv[1])
from conftest import mark_text
from tracea_cpu import compile as compiler
from tracea_llvm.barrier import BARRIER_BYTES
from tracea_cpu.shared import Shared, shared_pool
code = compiler.load(mark_text(), hashlib.sha256(mark_text().encode()).hexdigest())
kernel = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)(code.address("mark"))
def mark(pool, rounds, workers):
    out, slots = (ctypes.c_int64 * 66)(), (ctypes.c_int64 * 64)()
    barrier = ctypes.create_string_buffer(BARRIER_BYTES + 64)
    words = ctypes.addressof(out), rounds, -(-ctypes.addressof(barrier) // 64) * 64, ctypes.addressof(slots)
    arguments = ctypes.create_string_buffer(struct.pack("4q", *words))
    pool.run(kernel, code.address("mark"), ctypes.addressof(arguments), workers)
    count = out[0]
    assert out[1] == 0 and list(out)[2 : 2 + count] == [count] * count and not any(list(out)[2 + count :]), list(out)
    return count
kind = lambda: type(shared_pool()).__name__
own = ("Pool", "PortablePool")
"""


def _run(text: str, **settings: str) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith(("OMP_", "TRACEA_POOL"))}
    environment |= {"TRACEA_NUM_THREADS": "2", **settings}
    command = [sys.executable, "-W", "ignore", "-c", _PROCESS + text, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, env=environment)
    assert done.returncode == 0, done.stderr


def test_launches_run_on_pytorchs_threads() -> None:
    _run("""
import torch
torch.set_num_threads(2)
assert kind() == "Team"
big = torch.ones(1 << 20)
for round in range(200):
    assert mark(shared_pool(), 20, 2) == 2
    assert mark(shared_pool(), 20, 64) == 2, "there are no more"
    assert float(big.sum()) == 1 << 20
assert mark(shared_pool(), 20, 1) == 1
""")


def test_products_are_right_and_dealt_on_pytorchs_threads() -> None:
    _run("""
import numpy, torch, tracea
torch.set_num_threads(2)
a, b = torch.randn(700, 300), torch.randn(300, 500)
got = tracea.ops.matmul(a, b)
assert kind() == "Team"
torch.testing.assert_close(got, a @ b, rtol=1e-4, atol=1e-3)
numpy.testing.assert_allclose(tracea.ops.matmul(a.numpy(), b.numpy()), got.numpy())
""")


def test_plans_look_for_pytorch_and_launches_do_not() -> None:
    _run("""
import numpy, tracea
from tracea_cpu import runtime, team
a, b = numpy.ones((300, 300), numpy.float32), numpy.ones((300, 300), numpy.float32)
tracea.ops.matmul(a, b)
assert kind() in own
import torch
torch.set_num_threads(2)
tracea.ops.matmul(torch.from_numpy(a), torch.from_numpy(b))
assert type(Shared.pool).__name__ == "Team", "the first product of tensors was planned beside PyTorch"
plain, asked = torch.get_num_threads, []
torch.get_num_threads = lambda: asked.append(1) or plain()
for round in range(5):
    tracea.ops.matmul(a, b)
    tracea.ops.matmul(torch.from_numpy(a), torch.from_numpy(b))
assert not asked
tracea.ops.matmul(a[:299], b)
assert asked
""")


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        ("assert kind() in own, 'nobody has imported it'", {}),
        ("import torch; torch.set_num_threads(3); assert kind() in own", {}),
        ("import torch; torch.set_num_threads(2); assert kind() in own", {"TRACEA_POOL": "own"}),
        ("import torch; torch.set_num_threads(1); assert shared_pool().size == 1", {"TRACEA_NUM_THREADS": "1"}),
        ("import torch; torch.backends.openmp.is_available = lambda: False; assert kind() in own", {}),
        (
            "from tracea_cpu import team; team._RUNTIME = team.re.compile('none'); import torch; assert kind() in own",
            {},
        ),
    ],
)
def test_where_workers_are_our_own(text: str, settings: dict[str, str]) -> None:
    _run(f"{text}\nassert mark(shared_pool(), 5, 2) >= 1", **settings)


def test_the_pool_follows_pytorchs_number_of_threads() -> None:
    _run("""
first = shared_pool()
assert kind() in own and mark(first, 3, 2) == 2
import torch
torch.set_num_threads(2)
assert kind() == "Team" and mark(shared_pool(), 3, 2) == 2
assert mark(first, 3, 2) == 1, "the first has retired, and its callers run alone"
torch.set_num_threads(4)
assert kind() in own and mark(shared_pool(), 3, 2) == 2
""")


def test_a_region_may_get_fewer_threads() -> None:
    _run(
        """
import torch
torch.get_num_threads = lambda: 2
assert kind() == "Team" and mark(shared_pool(), 3, 2) == 1
""",
        OMP_THREAD_LIMIT="1",
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are forked here")
def test_the_child_of_a_fork_has_workers_of_its_own() -> None:
    _run("""
import torch
torch.set_num_threads(2)
pool = shared_pool()
assert kind() == "Team" and mark(pool, 3, 2) == 2
child = os.fork()
if child == 0:
    fine = mark(pool, 3, 2) == 1 and kind() in own and mark(shared_pool(), 3, 2) == 2
    os._exit(0 if fine else 1)
assert os.waitpid(child, 0)[1] == 0
assert kind() == "Team" and mark(shared_pool(), 3, 2) == 2
""")
