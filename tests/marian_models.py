"""Random MarianMT models of Hugging Face, because a test cannot download any."""

import json
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import MarianConfig, MarianMTModel
from transformers.utils import logging

from tests.marian_files import write_marian_tokenizer

logging.disable_progress_bar()
logging.set_verbosity_error()

PAD, EOS = 46, 0  # padding has the last id, as in published models
SIZES: dict[str, Any] = {
    "vocab_size": 47,
    "d_model": 30,
    "encoder_layers": 3,
    "decoder_layers": 3,
    "encoder_attention_heads": 5,
    "decoder_attention_heads": 5,
    "encoder_ffn_dim": 37,
    "decoder_ffn_dim": 37,
    "max_position_embeddings": 83,
    "eos_token_id": EOS,
    "forced_eos_token_id": EOS,
}


def random_marian(
    seed: int, *, pad_id: int = PAD, pad_bias: float = 6.0, eos_bias: float = 4.0, **settings: Any
) -> MarianMTModel:
    """Return a model with large random weights: uneven maps, and a different text for each source.

    Args:
        seed: of its weights.
        pad_id: also the token that the decoder reads first; its embedding is zero.
        pad_bias: added to the logit of padding, which the model would write if nothing forbade it.
        eos_bias: added to the logit of EOS, so that some sentences end, but not all at once.
        settings: of ``MarianConfig``, in place of ``SIZES``.
    """
    torch.manual_seed(seed)
    ends = {"pad_token_id": pad_id, "decoder_start_token_id": pad_id}
    config = MarianConfig(**SIZES | ends | settings, attn_implementation="eager")
    model = MarianMTModel(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if "embed_positions" not in name:
                _draw(name, p)
        for embedding in (model.model.encoder.embed_tokens, model.model.decoder.embed_tokens):
            embedding.weight[pad_id] = 0
        model.final_logits_bias.normal_(std=0.3)
        model.final_logits_bias[0, pad_id] += pad_bias
        model.final_logits_bias[0, EOS] += eos_bias
    model.generation_config.bad_words_ids = [[pad_id]]
    return model


_LAST_NORM = "model.decoder.layers.2.final_layer_norm.weight"
_STD = {"q_proj": 0.3, "k_proj": 0.3, "v_proj": 0.15, "out_proj": 0.15, "embed": 0.5, "fc": 0.2}


def _draw(name: str, p: Tensor) -> None:
    """Draw sharp attentions that do not outweigh the stream, and norms that are not trivial."""
    if name == _LAST_NORM:
        p.normal_()
    elif "layer_norm" in name:
        p.copy_(torch.randn_like(p) * 0.2 + ("weight" in name))
    elif p.dim() == 1:
        p.normal_(std=0.2)
    else:
        p.normal_(std=next((std for part, std in _STD.items() if part in name), 0.5))


def save(model: MarianMTModel, folder: Path, *, dtype: torch.dtype = torch.float32) -> Path:
    """Write a model as Hugging Face does, without changing it."""
    weights = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    model.to(dtype).save_pretrained(folder)
    model.float().load_state_dict(weights)
    return folder


def write_model(folder: Path, pairs: list[tuple[str, str]], *, codes: tuple[str, ...] = ()) -> Path:
    """Write a whole folder as on the Hub: a model in float16 with its tokenizer."""
    write_marian_tokenizer(folder, pairs, codes=codes)
    n = len(json.loads((folder / "vocab.json").read_text("utf-8")))
    model = random_marian(11, pad_id=n - 1, vocab_size=n, activation_function="swish")
    return save(model, folder, dtype=torch.float16)


def random_sources(seed: int, n: int, *, size: int = 47) -> list[list[int]]:
    """Return sources of 1 to 12 tokens with EOS at the end and no other special token."""
    generator = torch.Generator().manual_seed(seed)
    lengths = torch.randint(1, 13, (n,), generator=generator).tolist()
    return [
        [*torch.randint(1, size - 1, (length,), generator=generator).tolist(), EOS]
        for length in lengths
    ]
