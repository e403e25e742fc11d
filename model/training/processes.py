"""Train one model with several processes: ``torchrun --nproc-per-node N -m model.train ...``.

The words are PyTorch's:

- *world size*: the number of processes;
- *rank*: the number of a process, from 0;
- *local rank*: its number on its own machine, from 0.

Every process has the whole model and draws the same batches. It computes its own rows of each
batch. The gradients of all processes are summed, and then all processes make the same step. Only
rank 0 writes files.
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

# How long a process waits for the others. Rank 0 may take minutes to learn the vocabulary or to
# translate the dev set.
_TIMEOUT = timedelta(hours=1)
T = TypeVar("T")


@dataclass(frozen=True)
class Processes:
    """The rank of this process among all processes of a training run.

    With one process only, every method does nothing or returns its argument.
    """

    rank: int = 0
    world_size: int = 1
    local_rank: int = 0  # the number of the process on its machine, and of its GPU
    machines: int = 1
    restarts: int = 0  # how often torchrun has restarted the processes of this machine

    @classmethod
    def of_torchrun(cls) -> Processes:
        """Read torchrun's environment variables. Without torchrun there is only one process.

        Raises:
            ValueError: torchrun could not restart processes on several machines.
        """
        if "TORCHELASTIC_RUN_ID" not in os.environ:
            return cls()
        machines = int(os.environ["GROUP_WORLD_SIZE"])
        max_restarts = int(os.environ["TORCHELASTIC_MAX_RESTARTS"])
        one_store = os.environ["TORCHELASTIC_USE_AGENT_STORE"] == "True"
        if machines > 1 and max_restarts > 0 and one_store:
            raise ValueError(
                "on several machines --max-restarts needs TORCH_DISABLE_SHARE_RDZV_TCP_STORE=1 in "
                "the environment of torchrun, see docs/training.md"
            )
        return cls(
            rank=int(os.environ["RANK"]),
            world_size=int(os.environ["WORLD_SIZE"]),
            local_rank=int(os.environ["LOCAL_RANK"]),
            machines=machines,
            restarts=int(os.environ["TORCHELASTIC_RESTART_COUNT"]),
        )

    @property
    def is_first(self) -> bool:
        """Whether this process has rank 0. Only rank 0 writes files and prints."""
        return self.rank == 0

    def __str__(self) -> str:
        """Return a suffix for the device name, with the number of processes; "" for one process."""
        return f", in each of {self.world_size} processes" if self.world_size > 1 else ""

    def local_device(self, device: torch.device) -> torch.device:
        """Return the device of this process.

        Args:
            device: the device that the user asked for.

        Returns:
            ``device``, or for several processes on GPUs the GPU with the local rank as its number.

        Raises:
            ValueError: the machine has fewer GPUs than processes.
        """
        if self.world_size == 1 or device.type != "cuda":
            return device
        n_gpus = torch.cuda.device_count()
        if self.local_rank >= n_gpus:
            raise ValueError(
                f"this machine has {n_gpus} GPUs for more processes: give torchrun that number "
                "as --nproc-per-node"
            )
        torch.cuda.set_device(self.local_rank)
        return torch.device("cuda", self.local_rank)

    def connect(self, device: torch.device) -> None:
        """Connect the processes, with NCCL between GPUs and gloo otherwise.

        When a process dies, the others raise an error, at the latest after ``_TIMEOUT``.
        """
        if self.world_size == 1:
            return
        store, _, _ = next(distributed.rendezvous("env://", timeout=_TIMEOUT))  # type: ignore[attr-defined]
        if self.machines == 1:
            # After a restart, torchrun still has its old store with the addresses of dead
            # processes. A new prefix separates the new addresses. On several machines, the numbers
            # of restarts can differ, so torchrun must create a new store there for each restart.
            store = distributed.PrefixStore(f"restart {self.restarts}", store)  # type: ignore[attr-defined]
        distributed.init_process_group(
            "nccl" if device.type == "cuda" else "gloo",
            store=store,
            rank=self.rank,
            world_size=self.world_size,
            timeout=_TIMEOUT,
        )

    def disconnect(self) -> None:
        """Disconnect the processes."""
        if self.world_size > 1:
            distributed.destroy_process_group()

    def shard(self, batch: Batch, pad_id: int) -> Batch:
        """Return this process's rows of a batch: rank, rank + world size, ...

        Every row goes to exactly one process. Rows of similar length are next to each other, so all
        processes get about as many tokens. A process without a row gets the first row without
        labels, which gives no gradient.

        Args:
            batch: the same for all processes.
            pad_id: marks a position without a label.
        """
        if self.world_size == 1:
            return batch
        rows = slice(self.rank, None, self.world_size)
        if self.rank < len(batch.src):
            return Batch(batch.src[rows], batch.tgt[rows], batch.labels[rows])
        no_labels = torch.full_like(batch.labels[:1], pad_id)
        return Batch(batch.src[:1], batch.tgt[:1], no_labels)

    def all_reduce_gradients(self, gradients: Sequence[Tensor]) -> None:
        """Replace each gradient by its sum over all processes, in place."""
        if self.world_size > 1:
            vector = parameters_to_vector(gradients)
            distributed.all_reduce(vector)
            vector_to_parameters(vector, gradients)

    def sum(self, value: Tensor) -> Tensor:
        """Replace ``value`` by its sum over all processes, and return it."""
        if self.world_size > 1:
            distributed.all_reduce(value)
        return value

    def any_rank(self, condition: bool, device: torch.device) -> bool:
        """Return whether ``condition`` is true in at least one process."""
        n_true = self.sum(torch.tensor(float(condition), device=device))
        return bool(n_true > 0)

    def broadcast(self, make: Callable[[], T]) -> T:
        """Call ``make`` in rank 0 only, and return its result in all processes."""
        results: list[Any] = [make() if self.is_first else None]
        if self.world_size > 1:
            distributed.broadcast_object_list(results)
        return results[0]

    def barrier(self) -> None:
        """Wait until all processes have reached this call."""
        if self.world_size > 1:
            distributed.barrier()


ALONE = Processes()
