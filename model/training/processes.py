"""One training on several processes: ``torchrun --nproc-per-node N -m model.train …``.

In PyTorch's words: the *world size* is how many processes there are, the *rank* is the number of
each, from 0, and the *local rank* its number on its own machine. Every process has the whole model,
draws the same batches and computes its part of each; the gradients are added up before the step,
which all of them then take alike. Only rank 0 writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar

import torch
from torch import Tensor, distributed
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from model.corpora.batches import Batch

_PATIENCE = timedelta(hours=1)
_TOLD = (
    *("RANK", "WORLD_SIZE", "LOCAL_RANK", "GROUP_WORLD_SIZE"),
    *("TORCHELASTIC_RESTART_COUNT", "TORCHELASTIC_MAX_RESTARTS"),
)
T = TypeVar("T")


@dataclass(frozen=True)
class Processes:
    """The place of this process among those of a training."""

    rank: int = 0
    world_size: int = 1
    local_rank: int = 0  # also the number of its GPU
    machines: int = 1
    restarts: int = 0  # how often torchrun started those of this machine again, after one had died

    @classmethod
    def of_torchrun(cls) -> Processes:
        """As the environment says; one process alone where torchrun did not start it."""
        if "TORCHELASTIC_RUN_ID" not in os.environ:
            return cls()
        rank, n, local_rank, machines, restarts, most = (int(os.environ[name]) for name in _TOLD)
        one_store = os.environ["TORCHELASTIC_USE_AGENT_STORE"] == "True"
        if machines > 1 and most > 0 and one_store:
            raise ValueError(
                "on several machines --max-restarts needs TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in "
                "the environment of torchrun, see docs/training.md"
            )
        return cls(rank, n, local_rank, machines, restarts)

    @property
    def is_first(self) -> bool:
        """Whether this is rank 0, which alone writes and prints."""
        return self.rank == 0

    def __str__(self) -> str:
        """What is said behind the device of one of them; nothing where there is only one."""
        return f", in each of {self.world_size} processes" if self.world_size > 1 else ""

    def own(self, device: torch.device) -> torch.device:
        """The GPU of this process, where it is to be a GPU; ValueError if the machine lacks it."""
        if self.world_size == 1 or device.type != "cuda":
            return device
        if self.local_rank >= torch.cuda.device_count():
            raise ValueError(
                f"this machine has {torch.cuda.device_count()} GPUs for more processes: give "
                "torchrun that number as --nproc-per-node"
            )
        torch.cuda.set_device(self.local_rank)
        return torch.device("cuda", self.local_rank)

    def connect(self, device: torch.device) -> None:
        """Let the processes talk: through NCCL between GPUs, else through gloo.

        One that dies is an error in the others, at the latest when they have waited for an hour:
        so long may rank 0 take alone, for the vocabulary or the dev set.
        """
        if self.world_size == 1:
            return
        store, _, _ = next(distributed.rendezvous("env://", timeout=_PATIENCE))  # type: ignore[attr-defined]
        if self.machines == 1:
            # torchrun keeps its store, with the addresses of those that died: after a restart
            # others are looked for, under another name. Several machines may have counted
            # different numbers of restarts; there torchrun has to make a new store each time.
            store = distributed.PrefixStore(f"restart {self.restarts}", store)  # type: ignore[attr-defined]
        distributed.init_process_group(
            "nccl" if device.type == "cuda" else "gloo",
            store=store,
            rank=self.rank,
            world_size=self.world_size,
            timeout=_PATIENCE,
        )

    def disconnect(self) -> None:
        """The end of what they do together."""
        if self.world_size > 1:
            distributed.destroy_process_group()

    def part(self, batch: Batch, pad_id: int) -> Batch:
        """This process's rows of a batch: every row goes to one process.

        Rows lie next to those of like length, so that all get about as many tokens. Where there are
        fewer rows than processes, who has none gets one without labels, which teaches nothing.
        """
        if self.world_size == 1:
            return batch
        rows = slice(self.rank, None, self.world_size)
        if self.rank < len(batch.src):
            return Batch(batch.src[rows], batch.tgt[rows], batch.labels[rows])
        return Batch(batch.src[:1], batch.tgt[:1], torch.full_like(batch.labels[:1], pad_id))

    def add_up(self, gradients: Sequence[Tensor]) -> None:
        """Make of each the sum over all processes, in place."""
        if self.world_size > 1:
            vector = parameters_to_vector(gradients)
            distributed.all_reduce(vector)
            vector_to_parameters(vector, gradients)

    def total(self, part: Tensor) -> Tensor:
        """Sum over all processes."""
        if self.world_size > 1:
            distributed.all_reduce(part)
        return part

    def anywhere(self, here: bool, device: torch.device) -> bool:
        """Whether it is so in one of the processes at least."""
        return bool(self.total(torch.tensor(float(here), device=device)) > 0)

    def of_first(self, make: Callable[[], T]) -> T:
        """What rank 0 makes, for all."""
        made: list[Any] = [make() if self.is_first else None]
        if self.world_size > 1:
            distributed.broadcast_object_list(made)
        return made[0]

    def wait(self) -> None:
        """Go on when all processes have come here."""
        if self.world_size > 1:
            distributed.barrier()


ALONE = Processes()
