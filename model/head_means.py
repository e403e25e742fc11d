"""What each head puts out on average over a corpus: what a head can be replaced by.

Source: Wang et al. 2022, "Interpretability in the Wild" (knockout by mean ablation).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from model.trace import KINDS, Trace, attention_path
from model.translation_model import TranslationModel

HEAD_MEANS = "head_means.safetensors"


@dataclass(frozen=True)
class HeadMeans:
    """Mean outputs of all heads of one model.

    Args:
        means: attention's name on the tape -> (H, d_head).
        n_sentences: that they were taken over.
    """

    means: Mapping[str, Tensor]
    n_sentences: int


def head_means(traces: Iterable[Trace]) -> HeadMeans:
    """Mean output of every head over all positions of some sentences, long ones counting more.

    Args:
        traces: at least one; none of them is kept.

    Returns:
        For each attention (H, d_head) float32.
    """
    sums: dict[str, Tensor] = {}
    n_positions: dict[str, int] = {}
    n_sentences = 0
    for trace in traces:
        n_sentences += 1
        for path in _paths(len(trace.cross)):
            output = torch.tensor(trace.records[f"{path}.head_out"])  # (H, T, d_head)
            sums[path] = sums.get(path, 0) + output.sum(dim=1, dtype=torch.float64)
            n_positions[path] = n_positions.get(path, 0) + output.shape[1]
    means = {path: (total / n_positions[path]).float() for path, total in sums.items()}
    return HeadMeans(means, n_sentences)


def save_head_means(t: TranslationModel, found: HeadMeans) -> Path:
    """Write them beside the checkpoint, in float16, with a mark of the model they belong to."""
    path = t.folder / HEAD_MEANS
    metadata = {"model": _mark(t), "n_sentences": str(found.n_sentences)}
    save_file({name: mean.half() for name, mean in found.means.items()}, path, metadata)
    return path


def read_head_means(t: TranslationModel) -> HeadMeans | None:
    """What was written, float32; None where nothing was, or where the model has changed since.

    Raises:
        ValueError: the file is damaged.
    """
    path = t.folder / HEAD_MEANS
    if not path.is_file():
        return None
    try:
        with safe_open(path, framework="pt") as file:
            metadata = file.metadata() or {}
            if metadata.get("model") != _mark(t):
                return None
            means = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
            return HeadMeans(means, int(metadata["n_sentences"]))
    except (SafetensorError, OSError, KeyError, ValueError) as error:
        raise ValueError(
            f"The file {path} is damaged ({error}). Make it again with python -m model.analyse."
        ) from error


def _paths(n_layers: int) -> list[str]:
    """Names of all attentions on the tape."""
    stacks = [attention_path(kind) for kind in KINDS]
    return [f"{stack}.{layer}.{name}" for stack, name in stacks for layer in range(n_layers)]


def _mark(t: TranslationModel) -> str:
    """Tells a model from the same one trained further: one matrix is enough, training moves all."""
    weights = t.model.get_parameter("encoder.blocks.0.self_attention.w_q.weight").detach()
    return hashlib.sha256(weights.numpy().tobytes()).hexdigest()
