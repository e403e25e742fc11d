"""Several processes learn what one does: from all of a batch, once, and in the same step."""

from __future__ import annotations

import os
import socket
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, multiprocessing

from model.checkpoint.architectures import AnyConfig
from model.data.batches import Batch, make_batch
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.data.corpus import Pair, split_corpus
from model.recurrent.config import RecurrentConfig
from model.train import main
from model.training.processes import ALONE, Processes
from model.training.trainer import _APART, Training, TrainingConfig
from model.transformer.config import ModelConfig

TRANSFORMER = ModelConfig(vocab_size=1, d_model=16, n_heads=2, n_layers=2, d_ff=32, max_length=61)
BAHDANAU = RecurrentConfig(arch="bahdanau", vocab_size=1, d_model=14, d_hidden=10, max_length=61)
CONFIG = TrainingConfig(steps=9, token_budget=300, warmup=2)
CASES: dict[str, tuple[AnyConfig, TrainingConfig, torch.dtype]] = {
    "float32": (TRANSFORMER, CONFIG, torch.float32),
    "float64": (TRANSFORMER, CONFIG, torch.float64),
    "recurrent": (BAHDANAU, CONFIG, torch.float64),
    "a batch of one row": (TRANSFORMER, CONFIG, torch.float64),
    "untied": (replace(TRANSFORMER, tie_embeddings=False), CONFIG, torch.float64),
}
Found = dict[str, Tensor]


def training(
    model: AnyConfig,
    config: TrainingConfig,
    dtype: torch.dtype,
    data: tuple[list[Pair], ByteLevelTokenizer],
    processes: Processes,
    *,
    dropout: float = 0.0,
) -> Training:
    pairs, tokenizer = data
    model = replace(model, vocab_size=tokenizer.vocab_size, dropout=dropout)
    how = {"device": torch.device("cpu"), "dtype": dtype, "processes": processes}
    return Training(model, config, split_corpus(pairs), tokenizer, Path("nowhere"), **how)


def batch(case: str, data: tuple[list[Pair], ByteLevelTokenizer]) -> Batch:
    """Seven rows, so that no two or three processes share them evenly; or one."""
    pairs, tokenizer = data
    chosen = pairs[20:21] if case == "a batch of one row" else pairs[7:14]
    sources, targets = (tokenizer.encode_ids(side) for side in zip(*chosen, strict=True))
    return make_batch(list(zip(sources, targets, strict=True)), tokenizer.pad_id)


def gradients(
    case: str, data: tuple[list[Pair], ByteLevelTokenizer], processes: Processes
) -> Found:
    """Of every parameter, and the loss."""
    run = training(*CASES[case], data, processes)
    loss = run._learn_from(batch(case, data))
    return {"loss": loss} | {n: p.grad for n, p in run.model.named_parameters()}  # type: ignore[dict-item]


def learned(
    dtype: torch.dtype, data: tuple[list[Pair], ByteLevelTokenizer], processes: Processes
) -> Tensor:
    """All weights after three steps with dropout and everything that an epoch changes."""
    run = training(TRANSFORMER, CONFIG, dtype, data, processes, dropout=0.2)
    ahead = run._batches_ahead()
    for _ in range(3):
        run.train_step(next(ahead))
        run.progress.step += 1
    return torch.cat([p.detach().flatten() for p in run.model.parameters()])


def work(
    rank: int, world_size: int, port: int, data: tuple[list[Pair], ByteLevelTokenizer], folder: Path
) -> None:
    """What one of the processes does."""
    torch.set_num_threads(1)
    os.environ |= {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port)}
    os.environ |= {"RANK": str(rank), "WORLD_SIZE": str(world_size)}
    processes = Processes(rank, world_size, rank)
    processes.connect(torch.device("cpu"))
    found = {case: gradients(case, data, processes) for case in CASES}
    weights = {dtype: learned(dtype, data, processes) for dtype in (torch.float32, torch.bfloat16)}
    drawn = torch.rand(())  # after a step with dropout, whose seed was set for it
    asked = [processes.anywhere(rank == world_size - 1, torch.device("cpu"))]
    asked.append(processes.anywhere(False, torch.device("cpu")))
    made = processes.of_first(lambda: f"made by {rank}")
    processes.disconnect()
    torch.save((found, weights, drawn, asked, made), folder / str(rank))


@pytest.fixture(
    scope="module",
    params=[2, pytest.param(3, marks=pytest.mark.slow)],
    ids=lambda n: f"{n}-of-them",
)
def results(
    request: pytest.FixtureRequest,
    pairs: list[Pair],
    tokenizer: ByteLevelTokenizer,
    tmp_path_factory: pytest.TempPathFactory,
) -> list[tuple[dict[str, Found], dict[torch.dtype, Tensor], Tensor, list[bool], str]]:
    """What each process found."""
    folder = tmp_path_factory.mktemp("found")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    n = request.param
    multiprocessing.spawn(work, (n, port, (pairs, tokenizer), folder), nprocs=n)
    return [torch.load(folder / str(rank), weights_only=True) for rank in range(n)]


Results = list[tuple[dict[str, Found], dict[torch.dtype, Tensor], Tensor, list[bool], str]]


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_one_process(
    case: str, results: Results, pairs: list[Pair], tokenizer: ByteLevelTokenizer
) -> None:
    expected = gradients(case, (pairs, tokenizer), ALONE)
    assert max(grad.abs().max() for grad in expected.values()) > 0.01
    for found, *_ in results:
        for name, grad in expected.items():
            torch.testing.assert_close(found[case][name], grad, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_all_have_the_same_weights_to_the_last_bit(dtype: torch.dtype, results: Results) -> None:
    first, *others = (weights[dtype] for _, weights, *_ in results)
    assert all(torch.equal(first, other) for other in others)


def test_each_draws_a_dropout_of_its_own(results: Results) -> None:
    drawn = [drawn.item() for _, _, drawn, *_ in results]
    assert len(set(drawn)) == len(results)


def test_what_one_is_asked_all_know_and_what_the_first_makes_all_have(results: Results) -> None:
    for *_, asked, made in results:
        assert asked == [True, False]
        assert made == "made by 0"


@pytest.mark.parametrize("n_rows", [1, 2, 7])
@pytest.mark.parametrize("world_size", [1, 2, 3, 5])
def test_every_row_goes_to_one_process(n_rows: int, world_size: int) -> None:
    rows = torch.arange(1, n_rows + 1)[:, None].expand(-1, 4)
    batch = Batch(rows, rows[:, 1:], rows[:, 1:])
    parts = [Processes(rank, world_size).part(batch, pad_id=0) for rank in range(world_size)]
    taught = [part.labels[part.labels != 0].tolist() for part in parts]
    labels = [label for part in taught for label in part]
    assert sorted(labels) == batch.labels.flatten().tolist()
    for part in parts:
        assert len(part.src) == len(part.tgt) == len(part.labels) >= 1
        assert part.src[:, 0].tolist() == part.tgt[:, 0].tolist()


def test_without_torchrun_there_is_one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TORCHELASTIC_RUN_ID", raising=False)
    monkeypatch.setenv("WORLD_SIZE", "8")  # of some other program
    assert Processes.of_torchrun() == ALONE


TOLD = {
    "RANK": "5",
    "LOCAL_RANK": "1",
    "WORLD_SIZE": "8",
    "GROUP_WORLD_SIZE": "1",
    "TORCHELASTIC_RUN_ID": "x",
    "TORCHELASTIC_RESTART_COUNT": "2",
    "TORCHELASTIC_MAX_RESTARTS": "3",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
}


def test_what_torchrun_tells(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "environ", TOLD)
    assert Processes.of_torchrun() == Processes(5, 8, 1, machines=1, restarts=2)


@pytest.mark.parametrize("name", ["TORCHELASTIC_MAX_RESTARTS", "TORCHELASTIC_USE_AGENT_STORE"])
def test_several_machines_that_would_look_for_the_dead_do_not_begin(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(os, "environ", os.environ | TOLD | {"GROUP_WORLD_SIZE": "2"})
    assert main(["--corpus", "a", "--out", "b", "--steps", "9"]) == 1
    assert "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1" in capsys.readouterr().err
    os.environ[name] = "0"
    assert Processes.of_torchrun().machines == 2


def test_each_process_has_the_gpu_of_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    cuda, chosen = torch.device("cuda"), []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    assert Processes(3, 4, local_rank=1).own(cuda) == torch.device("cuda", 1)
    assert chosen == [1]
    assert ALONE.own(cuda) == cuda
    assert Processes(3, 4, local_rank=3).own(torch.device("cpu")) == torch.device("cpu")
    with pytest.raises(ValueError, match="has 2 GPUs for more processes"):
        Processes(2, 4, local_rank=2).own(cuda)


def test_seeds_of_all_ranks_and_steps_differ_where_a_cpu_tells_them_apart() -> None:
    """PyTorch's generator for CPUs begins with the lowest 32 bits of a seed."""
    ranks, steps = torch.arange(256)[:, None], torch.arange(0, 10**6, 97)
    seeds = (ranks * _APART + 1_000_003 + steps) % 2**32
    assert seeds.unique().numel() == seeds.numel()
