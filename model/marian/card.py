"""The README of a converted model: where it comes from, what came along and what did not."""

from model.marian.folder import ALIGNED, MarianFolder
from model.tokenizers.sentencepiece.tokenizer import PieceTokenizer
from model.transformer.transformer import Transformer


def card(
    name: str, folder: MarianFolder, model: Transformer, tokenizer: PieceTokenizer, kind: str
) -> str:
    """Return the text of the checkpoint's ``README.md``.

    Args:
        name: of the checkpoint.
        folder: the downloaded model.
        model: converted from it.
        tokenizer: its tokenizer.
        kind: the type of the numbers in the file of weights, for instance "float16".
    """
    licence, config, layers = folder.licence, model.config, model.config.n_layers
    n_parameters = sum(p.numel() for p in model.parameters())
    text = f"""# {name}

{folder.name}, a MarianMT model of Hugging Face, converted by `python -m model.convert_marian`. It
was not trained here, and nothing about its quality was measured here.
"""
    if folder.base:
        text += f"""
Its settings name `{folder.base}`: it is a copy of that model, or was trained further from it.
"""
    if tokenizer.codes:
        codes = " ".join(f"`{code}`" for code in tokenizer.codes)
        text += f"""
A text begins with the language that is asked for: {codes}.
"""
    text += f"""
An encoder-decoder Transformer with {layers} + {layers} layers, {config.n_heads} heads,
d_model {config.d_model}, d_ff {config.d_ff}, post-norm, {config.activation}.
{n_parameters:,} parameters; {kind} weights, as they came.
"""
    if tokenizer.unused:
        text += f"""
{len(tokenizer.unused)} rows of its embedding belong to no token, as in a matrix made longer for a
GPU. They are never written; their probability is part of the distribution that is shown.
"""
    if folder.is_aligned:
        text += f"""
Its README calls it `{ALIGNED}`: OPUS-MT trains such models with guided alignment (Chen et al.
2016). In Marian one head, the first of the cross-attention of the last layer unless that was set
otherwise, then learns to look where a word aligner points: here head 1 of layer {layers}.
No other head was told where to look.
"""
    terms = (
        f"The README of {folder.name} names the licence `{licence}`; it holds for these weights."
        if licence
        else "Unknown: the folder does not name one. Look it up before you share these weights."
    )
    left_out = "\n".join(f"- {line}" for line in _left_out(folder))
    return f"{text}\n## What did not come along\n\n{left_out}\n\n## Licence\n\n{terms}\n"


def _left_out(folder: MarianFolder) -> list[str]:
    generation = folder.generation
    lines = [
        "A translation ends after the source's length plus 50 tokens without an EOS that is put "
        "there by force.",
        f"It was meant to write with {generation.num_beams} beams and the length penalty "
        f"{generation.length_penalty:g}; here one chooses, and a beam is ranked by "
        "log-probability / ((5 + length) / 6)^alpha.",
    ]
    if any(len(words) > 1 for words in generation.bad_words_ids or []):
        lines.append("Forbidden sequences of several tokens (`bad_words_ids`) are not forbidden.")
    if generation.forced_bos_token_id is not None:
        lines.append("The first token is not forced (`forced_bos_token_id`).")
    return lines
