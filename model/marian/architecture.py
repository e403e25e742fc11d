"""The architecture of a MarianMT model in the words of ours.

What differs from the paper: another activation, all sines before all cosines, a bias on the logits,
and a decoder that begins with padding. Native Marian computes its norms with an epsilon of 1e-9;
Hugging Face, whose numbers are reproduced here, with 1e-5 as we do.

Source: Junczys-Dowmunt et al. 2018, "Marian: Fast Neural Machine Translation in C++"; read in the
sources of Marian and of Hugging Face transformers.
"""

from collections.abc import Mapping

import torch
from torch import Tensor

from model.files.checkpoint_error import CheckpointError
from model.marian.folder import MarianFolder, MarianSettings
from model.transformer.config import MAX_TOKENS, Activation, Frequencies, ModelConfig
from model.transformer.positional import positional_encoding

LOGITS_BIAS = "final_logits_bias"
POSITIONS = ("model.encoder.embed_positions.weight", "model.decoder.embed_positions.weight")
_ACTIVATIONS: dict[str, Activation] = {
    "relu": "relu",
    "silu": "silu",
    "swish": "silu",
    "gelu": "gelu",
}
_VARIANTS: tuple[Frequencies, ...] = ("paper", "tensor2tensor")
_ROUNDING = 5e-3  # of a number up to 1 in bfloat16, and a little more


def architecture_of(folder: MarianFolder, tensors: Mapping[str, Tensor]) -> ModelConfig:
    """The configuration that computes what the model of a folder computes, or CheckpointError."""
    settings = folder.settings
    _refuse_unlike_stacks(settings)
    if settings.activation_function not in _ACTIVATIONS:
        raise CheckpointError(
            f"The model has the activation {settings.activation_function!r}, and known are "
            f"{', '.join(_ACTIVATIONS)}: it cannot be converted."
        )
    joint, bad_words = settings.share_encoder_decoder_embeddings, folder.generation.bad_words_ids
    target_size = settings.decoder_vocab_size or settings.vocab_size
    try:
        return ModelConfig(
            vocab_size=settings.vocab_size if joint else target_size,
            src_vocab_size=None if joint else settings.vocab_size,
            d_model=settings.d_model,
            n_heads=settings.encoder_attention_heads,
            n_layers=settings.encoder_layers,
            d_ff=settings.encoder_ffn_dim,
            dropout=settings.dropout,
            norm="post",
            tie_embeddings=settings.tie_word_embeddings,
            max_length=min(settings.max_position_embeddings, MAX_TOKENS),
            activation=_ACTIVATIONS[settings.activation_function],
            positions="halves",
            frequencies=_frequencies(tensors),
            scale_embedding=settings.scale_embedding,
            output_bias=LOGITS_BIAS in tensors,
            never_written=tuple(sorted({word[0] for word in bad_words or [] if len(word) == 1})),
        )
    except ValueError as error:
        raise CheckpointError(f"The model cannot be converted: {error}.") from error


def _refuse_unlike_stacks(settings: MarianSettings) -> None:
    for what in ("layers", "attention_heads", "ffn_dim"):
        sizes = [getattr(settings, f"{stack}_{what}") for stack in ("encoder", "decoder")]
        if sizes[0] != sizes[1]:
            raise CheckpointError(
                f"The model has encoder_{what} {sizes[0]} and decoder_{what} {sizes[1]}. Only "
                "models whose encoder and decoder are alike can be converted."
            )


def _frequencies(tensors: Mapping[str, Tensor]) -> Frequencies:
    """Of the stored positions: the paper's, as Hugging Face's, or tensor2tensor's, as Marian's."""
    stored = [tensors[name].float() for name in POSITIONS if name in tensors]
    for variant in _VARIANTS:
        if all(_alike(positions, variant) for positions in stored):
            return variant
    raise CheckpointError(
        "The model's positions are neither the sinusoids of the paper nor those of tensor2tensor, "
        "so perhaps learned ones: it cannot be converted."
    )


def _alike(positions: Tensor, variant: Frequencies) -> bool:
    if positions.dim() != 2 or positions.shape[1] % 2:
        return False
    ours = positional_encoding(*positions.shape, layout="halves", variant=variant)
    return torch.allclose(positions, ours, rtol=0, atol=_ROUNDING)
