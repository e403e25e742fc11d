"""One training on several processes: ``torchrun --nproc-per-node N -m model.train …``.

In PyTorch's words: the *world size* is how many processes there are, the *rank* is the number of
each, from 0, and the *local rank* its number on its own machine. Every process has the whole model,
draws the same batches and computes its part of each; the gradients are added up before the step,
which all of them then take alike. Only rank 0 writes.

torchrun tells each process its place in environment variables. Without them there is one process,
which knows nothing of others.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, TypeVar, cast

import torch
from torch import Tensor, distributed, nn
from torch.nn.parallel import DistributedDataParallel

from model.data.batches import Batch

_PATIENCE = timedelta(hours=1)
T = TypeVar("T")
M = TypeVar("M", bound=nn.Module)


@dataclass(frozen=True)
class Processes:
    """The place of this process among those of a training.

    Args:
        rank: number of this process, from 0.
        world_size: number of all.
        local_rank: number of this process on its machine, which is also that of its GPU.
        machines: over which they are spread.
        restarts: how often torchrun started those of this machine again, after one had died.
    """

    rank: int = 0
    world_size: int = 1
    local_rank: int = 0
    machines: int = 1
    restarts: int = 0

    @classmethod
    def of_torchrun(cls) -> Processes:
        """As the environment says; one process alone where torchrun did not start it.

        Raises:
            ValueError: several machines shall restart with one store, see ``_store``.
        """
        told = os.environ
        if "TORCHELASTIC_RUN_ID" not in told:
            return cls()
        one_store = told["TORCHELASTIC_USE_AGENT_STORE"] == "True"
        restarts = int(told["TORCHELASTIC_MAX_RESTARTS"]) > 0
        if int(told["GROUP_WORLD_SIZE"]) > 1 and restarts and one_store:
            raise ValueError(
                "on several machines --max-restarts needs TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in "
                "the environment of torchrun, see docs/training.md"
            )
        return cls(
            rank=int(told["RANK"]),
            world_size=int(told["WORLD_SIZE"]),
            local_rank=int(told["LOCAL_RANK"]),
            machines=int(told["GROUP_WORLD_SIZE"]),
            restarts=int(told["TORCHELASTIC_RESTART_COUNT"]),
        )

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
        distributed.init_process_group(
            "nccl" if device.type == "cuda" else "gloo",
            store=self._store(),
            rank=self.rank,
            world_size=self.world_size,
            timeout=_PATIENCE,
        )

    def _store(self) -> Any:
        """Where the processes find each other's addresses.

        torchrun keeps one store as long as it lives, with the addresses of those that died: after a
        restart others are looked for, under another name. Several machines may have counted
        different numbers of restarts, so there torchrun has to make a new store each time.
        """
        place = distributed.rendezvous("env://", timeout=_PATIENCE)  # type: ignore[attr-defined]
        store, _, _ = next(place)
        if self.machines > 1:
            return store
        name = f"restart {self.restarts}"
        return distributed.PrefixStore(name, store)  # type: ignore[attr-defined]

    def restarted(self, device: torch.device) -> bool:
        """Whether torchrun started this training again, after a process had died on any machine."""
        return self.anywhere(self.restarts > 0, device)

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

    def adding_gradients(self, module: M) -> M:
        """The module, whose parameters' gradients are the sums over all processes.

        DistributedDataParallel gives means: differentiate ``world_size`` times what is wanted. The
        buffers hold constants and need not be sent.
        """
        if self.world_size == 1:
            return module
        return cast(M, DistributedDataParallel(module, forward_sync_buffers=False))

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
        return cast(T, made[0])

    def wait(self) -> None:
        """Go on when all processes have come here."""
        if self.world_size > 1:
            distributed.barrier()


ALONE = Processes()
