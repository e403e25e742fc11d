"""A training under torchrun is stopped or killed, and resumed by more or fewer processes."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from model.checkpoint.checkpoint import HISTORY, WEIGHTS
from model.train import main
from model.training.saved_state import STATE, read_state
from tests.conftest import options

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
COURSE = "--steps 24 --eval-every 6 --save-every 5 --snapshots 3"
# A training in which one rank sends a signal, to itself or to torchrun, once and at a given step.
ACCIDENT = """
import os, signal, sys
from model.train import main
from model.training.trainer import Training

train_step = Training.train_step

def with_accident(training, batch):
    loss = train_step(training, batch)
    whom, rank, step, name = os.environ["ACCIDENT"].split()
    first = os.environ["TORCHELASTIC_RESTART_COUNT"] == "0"
    if first and training.processes.rank == int(rank) and training.progress.step == int(step):
        os.kill(os.getppid() if whom == "torchrun" else os.getpid(), signal.Signals[name])
    return loss

Training.train_step = with_accident
sys.exit(main())
"""


def start(
    folder: Path, rendezvous: list[str], *words: str, **environment: str
) -> subprocess.Popen[str]:
    """Start torchrun. Its environment variable ``ACCIDENT`` decides which process is killed."""
    script = folder.with_name("training_with_accident.py")
    script.write_text(ACCIDENT)
    command = [sys.executable, "-m", "torch.distributed.run", *rendezvous, str(script)]
    own = os.environ | {"PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"} | environment
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(
        [*command, *options(folder, COURSE, *words)], env=own, cwd=ROOT, **pipes
    )


def end(process: subprocess.Popen[str]) -> subprocess.CompletedProcess[str]:
    """Wait up to some minutes for the process, because all cores may be busy; always end it."""
    try:
        out, error = process.communicate(timeout=600)
    except BaseException:
        process.terminate()
        process.communicate()
        raise
    return subprocess.CompletedProcess(process.args, process.returncode, out, error)


def torchrun(
    n: int, folder: Path, *words: str, accident: str = "nobody -1 -1 SIGTERM", restarts: int = 0
) -> subprocess.CompletedProcess[str]:
    """Run a training on ``n`` processes."""
    rendezvous = ["--standalone", "--nproc-per-node", str(n), "--max-restarts", str(restarts)]
    return end(start(folder, rendezvous, *words, ACCIDENT=accident))


def history(folder: Path) -> list[dict[str, float]]:
    lines = map(json.loads, (folder / HISTORY).read_text().splitlines())
    return [{key: line[key] for key in ("step", "epochs", "loss")} for line in lines]


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("uninterrupted") / "run"
    done = torchrun(2, folder)
    assert done.returncode == 0, done.stderr
    return folder


def assert_nothing_is_lost(folder: Path, uninterrupted: Path) -> None:
    assert history(folder) == history(uninterrupted)
    assert (folder / WEIGHTS).read_bytes() == (uninterrupted / WEIGHTS).read_bytes()


def test_two_processes_write_one_history_and_log_each_message_once(uninterrupted):
    assert [line["step"] for line in history(uninterrupted)] == [2, 6, 12, 18, 24]
    hardware = json.loads((uninterrupted / "config.json").read_text())["training"]["hardware"]
    assert hardware == "1 CPU core, in each of 2 processes"
    done = torchrun(2, uninterrupted)
    assert done.returncode != 0
    assert "rank 0: " in done.stderr
    assert "holds a finished model" in done.stderr


@pytest.mark.parametrize("accident", ["itself 0 13 SIGKILL", "itself 1 2 SIGKILL"])
def test_a_killed_worker_is_started_again(accident, uninterrupted, tmp_path):
    """The worker is killed after a saved state, or before the first one."""
    folder = tmp_path / "run"
    done = torchrun(2, folder, accident=accident, restarts=1)
    assert done.returncode == 0, done.stderr
    assert ("Going on after step 10." in done.stdout) == ("13" in accident)
    assert_nothing_is_lost(folder, uninterrupted)


def test_a_worker_that_is_killed_on_one_of_two_machines_is_started_again(uninterrupted, tmp_path):
    """The test gives both commands of docs/training.md on this machine, not on two machines."""
    folder = tmp_path / "run"
    with socket.create_server(("127.0.0.1", 0)) as free:
        endpoint = f"127.0.0.1:{free.getsockname()[1]}"
    meeting = ["--rdzv-backend", "c10d", "--rdzv-endpoint", endpoint, "--rdzv-id", "a"]
    rendezvous = ["--nnodes", "2", "--nproc-per-node", "1", "--max-restarts", "2", *meeting]
    environment = {"TORCH_DISABLE_SHARE_RDZV_TCP_STORE": "1", "ACCIDENT": "itself 1 13 SIGKILL"}
    machines = [start(folder, rendezvous, **environment) for _ in range(2)]
    try:
        done = [end(machine) for machine in machines]
    finally:
        for machine in machines:
            machine.terminate()  # after a failure, the other machine would wait for this one
    assert [machine.returncode for machine in done] == [0, 0], done[0].stderr + done[1].stderr
    assert "Going on after step 10." in done[0].stdout + done[1].stdout
    assert_nothing_is_lost(folder, uninterrupted)


def test_a_signal_stops_all_processes_after_the_same_step(uninterrupted, tmp_path):
    folder = tmp_path / "run"
    assert torchrun(2, folder, accident="itself 1 8 SIGINT").returncode != 0
    assert read_state(folder / STATE).progress.step == 9
    again = torchrun(2, folder, "--resume")
    assert "Going on after step 9." in again.stdout, again.stderr
    assert_nothing_is_lost(folder, uninterrupted)


def test_a_training_can_be_resumed_by_fewer_and_by_more_processes(tmp_path):
    """Dropout is off, because each rank draws its own; so the losses are those of one process."""
    alone, folder = tmp_path / "alone", tmp_path / "run"
    assert main(options(alone, COURSE, "--dropout", "0")) == 0
    torchrun(2, folder, "--dropout", "0", accident="itself 0 7 SIGTERM")
    torchrun(1, folder, "--dropout", "0", "--resume", accident="itself 0 15 SIGTERM")
    done = torchrun(2, folder, "--dropout", "0", "--resume")
    assert "Going on after step 16." in done.stdout, done.stderr
    for row, expected in zip(history(folder), history(alone), strict=True):
        assert (row["step"], row["epochs"]) == (expected["step"], expected["epochs"])
        assert row["loss"] == pytest.approx(expected["loss"], abs=2e-3)
