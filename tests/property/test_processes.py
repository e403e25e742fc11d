"""Several processes learn what one learns: each uses its rows of a batch, all make one step."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from model.checkpoint.architectures import AnyConfig
from model.corpora.batches import Batch, make_batch
from model.corpora.pairs import Pair
from model.corpora.split import split_corpus
from model.recurrent.config import RecurrentConfig
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.train import main
from model.training import processes
from model.training.config import TrainingConfig
from model.training.processes import ALONE, Processes
from model.training.trainer import _RANK_SEED_STRIDE, Setup, Training
from model.transformer.config import ModelConfig
from tests.tolerance import assert_same

TRANSFORMER = ModelConfig(vocab_size=1, d_model=16, n_heads=2, n_layers=2, d_ff=32, max_length=61)
BAHDANAU = RecurrentConfig(arch="bahdanau", vocab_size=1, d_model=14, d_hidden=10, max_length=61)
UNTIED = replace(TRANSFORMER, tie_embeddings=False)
MODELS = {"transformer": TRANSFORMER, "recurrent": BAHDANAU, "untied": UNTIED}
Data = tuple[list[Pair], ByteLevelTokenizer]


def training(model: AnyConfig, data: Data, processes: Processes) -> Training:
    """Return a training in float64 without dropout, as one of these processes sees it."""
    pairs, tokenizer = data
    return Training(
        Setup(
            architecture=replace(model, vocab_size=tokenizer.vocab_size, dropout=0.0),
            config=TrainingConfig(steps=9, token_budget=300, warmup=2),
            split=split_corpus(pairs),
            tokenizer=tokenizer,
            folder=Path("nowhere"),
            device=torch.device("cpu"),
            dtype=torch.float64,
            processes=processes,
        )
    )


def batch(data: Data, n_rows: int = 7) -> Batch:
    """Return a batch of pairs. Two or three processes cannot share its seven rows evenly."""
    pairs, tokenizer = data
    sides = zip(*pairs[7 : 7 + n_rows], strict=True)
    sources, targets = (tokenizer.encode_ids(side) for side in sides)
    return make_batch(list(zip(sources, targets, strict=True)), tokenizer.pad_id)


def gradients(model: AnyConfig, data: Data, processes: Processes, n_rows: int):
    """Return the gradients of all parameters, and the loss."""
    run = training(model, data, processes)
    loss = run._compute_gradients(batch(data, n_rows))
    return {"loss": loss} | {n: p.grad for n, p in run.model.named_parameters()}


@pytest.mark.parametrize("n_rows", [1, 7])
@pytest.mark.parametrize("name", MODELS)
def test_the_gradients_of_all_processes_sum_to_those_of_one_alone(
    name, n_rows, pairs, tokenizer, monkeypatch
):
    """Also the losses. Here one process computes the parts of all three ranks, and adds them up."""
    data, n = (pairs, tokenizer), 3
    expected = gradients(MODELS[name], data, ALONE, n_rows)
    largest = max(float(g.abs().max()) for key, g in expected.items() if key != "loss")
    monkeypatch.setattr(Processes, "all_reduce_gradients", lambda *_: None)
    monkeypatch.setattr(Processes, "sum", lambda _, part: part)
    parts = [gradients(MODELS[name], data, Processes(rank, n), n_rows) for rank in range(n)]
    for key, grad in expected.items():
        total = sum(part[key] for part in parts if part[key] is not None)
        assert_same(total, grad, largest=largest)  # the main copies of the weights are float32
    assert largest > 0.01


@pytest.mark.parametrize("n_rows", [1, 2, 7])
@pytest.mark.parametrize("world_size", [1, 2, 3, 5])
def test_every_row_belongs_to_exactly_one_process(n_rows, world_size):
    rows = torch.arange(1, n_rows + 1)[:, None].expand(-1, 4)
    batch = Batch(rows, rows[:, 1:], rows[:, 1:])
    parts = [Processes(rank, world_size).shard(batch, pad_id=0) for rank in range(world_size)]
    labels = [label for part in parts for label in part.labels[part.labels != 0].tolist()]
    assert sorted(labels) == batch.labels.flatten().tolist()
    for part in parts:
        assert len(part.src) == len(part.tgt) == len(part.labels) >= 1
        assert part.src[:, 0].tolist() == part.tgt[:, 0].tolist()


TORCHRUN_ENVIRONMENT = {
    "RANK": "5",
    "LOCAL_RANK": "1",
    "WORLD_SIZE": "8",
    "GROUP_WORLD_SIZE": "1",
    "TORCHELASTIC_RUN_ID": "x",
    "TORCHELASTIC_RESTART_COUNT": "2",
    "TORCHELASTIC_MAX_RESTARTS": "3",
    "TORCHELASTIC_USE_AGENT_STORE": "True",
}
ON_TWO_MACHINES = TORCHRUN_ENVIRONMENT | {"GROUP_WORLD_SIZE": "2"}


def test_the_environment_variables_of_torchrun_are_read(monkeypatch):
    monkeypatch.setattr(os, "environ", TORCHRUN_ENVIRONMENT)
    assert Processes.of_torchrun() == Processes(5, 8, 1, machines=1, restarts=2)


def test_environment_variables_of_another_program_mean_one_process(monkeypatch):
    monkeypatch.setattr(os, "environ", {"WORLD_SIZE": "8"})
    assert Processes.of_torchrun() == ALONE


def test_restarts_on_several_machines_need_a_new_store_each_time(monkeypatch, capsys):
    monkeypatch.setattr(os, "environ", os.environ | ON_TWO_MACHINES)
    assert main(["--corpus", "a", "--out", "b", "--steps", "9"]) == 1
    assert "TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["TORCHELASTIC_MAX_RESTARTS", "TORCHELASTIC_USE_AGENT_STORE"])
def test_several_machines_are_allowed_without_restarts_or_with_a_new_store_each_time(
    name, monkeypatch
):
    monkeypatch.setattr(os, "environ", ON_TWO_MACHINES | {name: "0"})
    assert Processes.of_torchrun().machines == 2


def test_each_process_uses_the_gpu_with_its_number(monkeypatch):
    cuda, chosen = torch.device("cuda"), []
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    assert Processes(3, 4, local_rank=1).local_device(cuda) == torch.device("cuda", 1)
    assert chosen == [1]
    assert ALONE.local_device(cuda) == cuda
    assert Processes(3, 4, local_rank=3).local_device(torch.device("cpu")) == torch.device("cpu")
    with pytest.raises(ValueError, match="2 GPUs"):
        Processes(2, 4, local_rank=2).local_device(cuda)


def test_every_rank_and_step_has_a_seed_of_its_own(pairs, tokenizer):
    """PyTorch's generator for CPUs uses only the lowest 32 bits of a seed."""
    ranks, steps = torch.arange(256)[:, None], torch.arange(0, 10**6, 97)
    seeds = (ranks * _RANK_SEED_STRIDE + 1_000_003 + steps) % 2**32
    assert seeds.unique().numel() == seeds.numel()
    run = training(TRANSFORMER, (pairs, tokenizer), ALONE)
    run.processes = Processes(2, 1)
    run.progress.step = 5
    run._compute_gradients(batch((pairs, tokenizer)))
    assert torch.initial_seed() == 1_000_003 + 5 + 2 * _RANK_SEED_STRIDE


def test_two_processes_exchange_their_results(monkeypatch):
    """Slow tests run ``torchrun`` itself. Here the other process has the same values."""

    def with_the_same_values(tensor: torch.Tensor) -> None:
        tensor.mul_(2)

    def from_the_first(results: list) -> None:
        results[0] = "made in rank 0"

    monkeypatch.setattr(processes.distributed, "all_reduce", with_the_same_values)
    monkeypatch.setattr(processes.distributed, "broadcast_object_list", from_the_first)
    second = Processes(1, 2)

    assert second.sum(torch.tensor(3.0)) == 6
    gradients = [torch.ones(2, 3), torch.full((5,), 0.5)]
    second.all_reduce_gradients(gradients)
    assert [gradient.sum().item() for gradient in gradients] == [12, 5]
    assert second.broadcast(lambda: "made in rank 1") == "made in rank 0"

    waits = []
    monkeypatch.setattr(processes.distributed, "barrier", lambda: waits.append("for the other"))
    second.barrier()
    ALONE.barrier()
    assert waits == ["for the other"]

    assert ALONE.sum(torch.tensor(3.0)) == 3
    assert ALONE.broadcast(lambda: "made here") == "made here"
