"""What each head puts out on average over a corpus: what a head can be replaced by.

Source: Wang et al. 2022, "Interpretability in the Wild" (knockout by mean ablation).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from safetensors.torch import save_file
from torch import Tensor

from model.checkpoint.mark import mark
from model.checkpoint.weights_file import finite, opened
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Count, decode
from model.files.regular_file import is_there
from model.files.replacing import replacing
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, attention_name
from model.translation_model import TranslationModel

HEAD_MEANS = "head_means.safetensors"


@dataclass(frozen=True)
class HeadMeans:
    """Mean outputs of all heads of one model.

    Args:
        means: path of an attention -> (H, d_head).
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

    Raises:
        ValueError: there is no trace.
    """
    sums: dict[str, Tensor] = {}
    n_positions: dict[str, int] = {}
    n_sentences = 0
    for trace in traces:
        n_sentences += 1
        for path in _paths(trace.n_layers):
            output = torch.tensor(trace.records[f"{path}.head_out"])  # (H, T, d_head)
            sums[path] = sums.get(path, 0) + output.sum(dim=1, dtype=torch.float64)
            n_positions[path] = n_positions.get(path, 0) + output.shape[1]
    if not n_sentences:
        raise ValueError("there is no sentence to take mean outputs of")
    means = {path: (total / n_positions[path]).float() for path, total in sums.items()}
    return HeadMeans(means, n_sentences)


def save_head_means(t: TranslationModel, found: HeadMeans) -> Path:
    """Write them beside the checkpoint, in float16, with a mark of the model they belong to."""
    path = t.folder / HEAD_MEANS
    metadata = {"model": mark(t.model), "n_sentences": str(found.n_sentences)}
    with replacing(path) as part:
        save_file({name: mean.half() for name, mean in found.means.items()}, part, metadata)
    return path


def read_head_means(t: TranslationModel) -> HeadMeans | None:
    """What was written, float32; None where nothing was, or where the model has changed since.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = t.folder / HEAD_MEANS
    if not is_there(path):
        return None
    try:
        with opened(path) as file:
            metadata = file.metadata() or {}
            if metadata.get("model") != mark(t.model):
                return None
            size = (t.config.n_heads, t.config.d_head)
            means = {name: file.get_tensor(name).float() for name in _paths(t.config.n_layers)}
            if wrong := [name for name, mean in means.items() if mean.shape != size]:
                raise ValueError(f"{wrong[0]} is not of the shape {size}")
            means = {name: finite(mean, name, path) for name, mean in means.items()}
            return HeadMeans(means, decode(metadata["n_sentences"], Count))
    except (CheckpointError, KeyError, ValueError) as error:
        raise CheckpointError(
            f"The file {path} is damaged ({error}). Make it again with python -m model.analyse."
        ) from error


def _paths(n_layers: int) -> list[str]:
    """Paths of all attentions."""
    return [attention_name(kind, layer) for kind in KINDS for layer in range(n_layers)]
