"""Head ablation in one sentence, what follows from it, and the mean outputs that it needs.

Source: Wang et al. 2022, "Interpretability in the Wild" (knockout by mean ablation).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import torch
from safetensors.torch import save_file
from torch import Tensor

from model.checkpoint.fingerprint import fingerprint
from model.checkpoint.weights_file import finite, opened
from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Count, decode
from model.files.regular_file import is_there
from model.files.replacing import replacing
from model.interventions.effect import Effect, effect_on, ids_of
from model.nn.hooks import Ablations, HeadAblation, Hooks
from model.trace.transformer import Trace
from model.transformer.config import ModelConfig
from model.transformer.heads import Head, attention_name, attention_names
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel

Mode = Literal["zero", "uniform", "mean"]
MODES: tuple[Mode, ...] = get_args(Mode)
Means = Mapping[str, Tensor]  # path of an attention -> (H, d_head)


@dataclass(frozen=True)
class AblationEffect(Effect):
    """What changes when heads are ablated; ``text`` is decoded again greedily."""

    text: str


@torch.inference_mode()
def ablation_effect(t: TranslationModel, trace: Trace, ablations: Ablations) -> AblationEffect:
    """Read the target of a trace and translate again, with some heads ablated."""
    src, tgt = ids_of(trace)
    mask = padding_mask(src, t.tokenizer.pad_id)
    found = effect_on(trace, t.model(src, tgt, mask, hooks=Hooks(ablations=ablations))[0])
    ablated = ModifiedTransformer(t.model, ablations=ablations)
    [free] = greedy(ablated, src, **t.tokenizer.special_ids)
    return AblationEffect(found.log_probs, found.distance, t.decode(free))


def ablations_of(
    config: ModelConfig, heads: Iterable[Head], mode: Mode, means: Means | None = None
) -> Ablations:
    """The same ablation of each of these heads.

    ``mode`` is output 0, uniform weights over all visible keys, or the mean output over a corpus,
    which needs the ``means`` of ``head_means``, or ValueError.
    """
    if mode == "mean" and means is None:
        raise ValueError("to give a head its mean output, say what that is")
    chosen: dict[str, Tensor] = {}  # path of an attention -> (H,) bool
    for kind, layer, head in heads:
        none = torch.zeros(config.n_heads, dtype=torch.bool)
        chosen.setdefault(attention_name(kind, layer), none)[head] = True
    ablations = {}
    for path, changed in chosen.items():
        if mode == "uniform":
            ablations[path] = HeadAblation(torch.ones(config.n_heads), uniform=changed)
        else:
            fill = means[path] * changed[:, None] if mode == "mean" and means else None
            ablations[path] = HeadAblation((~changed).float(), fill)
    return ablations


HEAD_MEANS = "head_means.safetensors"


@dataclass(frozen=True)
class HeadMeans:
    """Mean outputs of all heads of one model over some sentences."""

    means: Mapping[str, Tensor]  # path of an attention -> (H, d_head) float32
    n_sentences: int


def head_means(traces: Iterable[Trace]) -> HeadMeans:
    """Mean output of every head over all positions of some sentences; ValueError if of none."""
    sums: dict[str, Tensor] = {}
    n_positions: dict[str, int] = {}
    n_sentences = 0
    for trace in traces:
        n_sentences += 1
        for path in attention_names(trace.n_layers):
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
    metadata = {"model": fingerprint(t.model), "n_sentences": str(found.n_sentences)}
    with replacing(path) as part:
        save_file({name: mean.half() for name, mean in found.means.items()}, part, metadata)
    return path


def read_head_means(t: TranslationModel) -> HeadMeans | None:
    """What was written, float32, or CheckpointError; None if nothing, or of other weights."""
    path = t.folder / HEAD_MEANS
    if not is_there(path):
        return None
    try:
        with opened(path) as file:
            metadata = file.metadata() or {}
            if metadata.get("model") != fingerprint(t.model):
                return None
            size = (t.config.n_heads, t.config.d_head)
            names = attention_names(t.config.n_layers)
            means = {name: finite(file.get_tensor(name), name, path).float() for name in names}
            if wrong := [name for name, mean in means.items() if mean.shape != size]:
                raise ValueError(f"{wrong[0]} is not of the shape {size}")
            return HeadMeans(means, decode(metadata["n_sentences"], Count))
    except (CheckpointError, KeyError, ValueError) as error:
        raise CheckpointError(
            f"The file {path} is damaged ({error}). "
            "Make it again with python -m model.analyse means."
        ) from error
