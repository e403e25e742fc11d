"""Head ablation: switch heads off for one sentence, and measure the effect.

This module chooses what replaces a head's output; ``HeadAblation`` in ``nn/hooks`` replaces it.
"Mean" ablation gives a head its mean output over a corpus, measured and stored here, too.

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
from model.checkpoint.weights_file import open_weights, require_finite
from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Count, decode
from model.files.regular_file import exists
from model.files.replacing import replacing
from model.interventions.effect import Effect, effect_on, ids_of
from model.nn.attention_model import AttentionConfig
from model.nn.hooks import Ablations, HeadAblation, Hooks
from model.trace.transformer import Trace
from model.transformer.heads import Head, attention_name, attention_names
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel

AblationMode = Literal["zero", "uniform", "mean"]
ABLATION_MODES: tuple[AblationMode, ...] = get_args(AblationMode)
MeanOutputs = Mapping[str, Tensor]  # path of an attention -> (H, d_head) float32
HEAD_MEANS = "head_means.safetensors"


@dataclass(frozen=True)
class AblationEffect(Effect):
    """The effect of ablated heads on the given target, and the new translation."""

    text: str  # the source, translated greedily with the heads ablated


@torch.inference_mode()
def ablation_effect(t: TranslationModel, trace: Trace, ablations: Ablations) -> AblationEffect:
    """Score the target of a trace, and translate its source again, with some heads ablated.

    Args:
        t: the model that made the trace.
        trace: of one sentence.
        ablations: from ``ablations_of``.
    """
    src, tgt = ids_of(trace, t.model.device)
    mask = padding_mask(src, t.tokenizer.pad_id)
    logits = t.model(src, tgt, mask, hooks=Hooks(ablations=ablations))[0]  # (T, V)
    effect = effect_on(trace, logits)
    [hypothesis] = greedy(
        ModifiedTransformer(t.model, ablations=ablations), src, **t.tokenizer.special_ids
    )
    return AblationEffect(effect.log_probs, effect.distance, text=t.decode(hypothesis))


def ablations_of(
    config: AttentionConfig,
    heads: Iterable[Head],
    mode: AblationMode,
    means: MeanOutputs | None = None,
) -> Ablations:
    """Return the ablations of some heads, all with one mode.

    Args:
        config: of the model.
        heads: which heads.
        mode: ``"zero"`` sets the output of a head to 0, ``"uniform"`` gives all visible keys the
            same weight, ``"mean"`` sets the output to its mean over a corpus.
        means: the mean outputs, from ``head_means``; only "mean" needs them.

    Raises:
        ValueError: mode "mean" without means.
    """
    is_ablated: dict[str, Tensor] = {}  # path of an attention -> (H,) bool
    for kind, layer, head in heads:
        path = attention_name(kind, layer)
        if path not in is_ablated:
            is_ablated[path] = torch.zeros(config.n_heads, dtype=torch.bool, device="cpu")
        is_ablated[path][head] = True

    match mode:
        case "zero":
            return {path: HeadAblation((~ablated).float()) for path, ablated in is_ablated.items()}
        case "uniform":
            return {
                path: HeadAblation(torch.ones(config.n_heads, device="cpu"), uniform=ablated)
                for path, ablated in is_ablated.items()
            }
        case "mean":
            if means is None:
                raise ValueError("mode 'mean' needs the mean outputs: give those of head_means")
            return {
                path: HeadAblation((~ablated).float(), fill=means[path] * ablated[:, None])
                for path, ablated in is_ablated.items()
            }


@dataclass(frozen=True)
class HeadMeans:
    """The mean outputs of all heads of one model over some sentences."""

    means: MeanOutputs
    n_sentences: int


def head_means(traces: Iterable[Trace]) -> HeadMeans:
    """Return the mean output of every head over all positions of some sentences.

    Raises:
        ValueError: there is no sentence.
    """
    sums: dict[str, Tensor] = {}  # path of an attention -> (H, d_head) float64
    n_positions: dict[str, int] = {}
    n_sentences = 0
    for trace in traces:
        n_sentences += 1
        for path in attention_names(trace.n_layers):
            output = torch.tensor(trace.records[f"{path}.head_out"], device="cpu")  # (H, T, d_head)
            sums[path] = sums.get(path, 0) + output.sum(dim=1, dtype=torch.float64)
            n_positions[path] = n_positions.get(path, 0) + output.shape[1]
    if n_sentences == 0:
        raise ValueError("there is no sentence to take mean outputs of")
    means = {path: (total / n_positions[path]).float() for path, total in sums.items()}
    return HeadMeans(means, n_sentences)


def save_head_means(t: TranslationModel, head_means: HeadMeans) -> Path:
    """Write mean outputs into the checkpoint, in float16, with the fingerprint of the model."""
    path = t.folder / HEAD_MEANS
    metadata = {"model": fingerprint(t.model), "n_sentences": str(head_means.n_sentences)}
    float16 = {name: mean.half() for name, mean in head_means.means.items()}
    with replacing(path) as unfinished:
        save_file(float16, unfinished, metadata)
    return path


def read_head_means(t: TranslationModel) -> HeadMeans | None:
    """Read the mean outputs of a model, in float32.

    Returns:
        None if none are stored, or only those of different weights.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = t.folder / HEAD_MEANS
    if not exists(path):
        return None
    shape = (t.config.n_heads, t.config.d_head)
    means = {}
    try:
        with open_weights(path) as file:
            metadata = file.metadata() or {}
            if metadata.get("model") != fingerprint(t.model):
                return None
            for name in attention_names(t.config.n_layers):
                mean = require_finite(file.get_tensor(name), name, path).float()
                if mean.shape != shape:
                    raise ValueError(f"{name} is not of the shape {shape}")
                means[name] = mean
            return HeadMeans(means, decode(metadata["n_sentences"], Count))
    except CheckpointError:  # the message of this error already gives a remedy
        raise
    except (KeyError, ValueError) as error:
        raise CheckpointError(
            f"The file {path} is damaged ({error}). Make it again with python -m model.analyse."
        ) from error
