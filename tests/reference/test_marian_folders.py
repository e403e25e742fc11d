"""MarianMT folders in many variants: each opens, and writes what ``generate`` writes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from model import CheckpointError, load
from model.translation_model import load_transformer
from tests.conftest import change_json
from tests.marian_files import write_marian_tokenizer
from tests.marian_models import random_marian, save

WEIGHTS = "model.safetensors"
SHARED = "model.shared.weight"
OF_ENCODER = "model.encoder.embed_tokens.weight"
OF_DECODER = "model.decoder.embed_tokens.weight"


def write(folder: Path, pairs: list[tuple[str, str]], *, n_more: int = 0, **files: Any) -> Path:
    """Write a folder.

    Args:
        folder: is made.
        pairs: the tokenizer learns from them.
        n_more: rows of the embedding that no token of ``vocab.json`` has.
        files: options of ``write_marian_tokenizer``.
    """
    write_marian_tokenizer(folder, pairs, **files)
    n = len(json.loads((folder / "vocab.json").read_text("utf-8")))
    model = random_marian(11, pad_id=n - 1, vocab_size=n + n_more, activation_function="swish")
    return save(model, folder)


def _add_token(folder: Path) -> None:
    """Add a token in a fine-tuning: the tokenizer has it, the vocabulary does not."""
    n = len(json.loads((folder / "vocab.json").read_text("utf-8")))
    token = {"content": "<ent>", "special": False}
    change_json(
        folder / "tokenizer_config.json",
        lambda values: values.update(added_tokens_decoder={str(n): token}),
    )


def _old_configuration(folder: Path) -> None:
    """Give the folder the configuration of an early version of the library."""
    (folder / "generation_config.json").unlink()

    def change(values: dict[str, Any]) -> None:
        for name in ("decoder_start_token_id", "tie_word_embeddings"):
            values.pop(name, None)
        values.update(static_position_embeddings=True, normalize_before=False, num_beams=6)
        values.update(bad_words_ids=[[values["pad_token_id"]]])

    change_json(folder / "config.json", change)


def _shared_weight(weights: dict[str, torch.Tensor]) -> torch.Tensor:
    names = [name for name in (SHARED, OF_ENCODER, OF_DECODER) if name in weights]
    tensors = [weights.pop(name) for name in names]
    return tensors[0]


def _bin_with_a_different_output(folder: Path) -> None:
    """Write a file whose output matrix is not used, as some files on the Hub have it."""
    weights = load_file(folder / WEIGHTS)
    (folder / WEIGHTS).unlink()
    shared = _shared_weight(weights)
    weights |= {name: shared.clone() for name in (SHARED, OF_ENCODER, OF_DECODER)}
    weights["lm_head.weight"] = torch.randn_like(shared)
    torch.save(weights, folder / "pytorch_model.bin")


def _only_the_decoders_name(folder: Path) -> None:
    weights = load_file(folder / WEIGHTS)
    weights[OF_DECODER] = _shared_weight(weights)
    save_file(weights, folder / WEIGHTS, {"format": "pt"})


def _nothing(folder: Path) -> None:
    del folder


FOLDERS: dict[str, tuple[dict[str, Any], Callable[[Path], None]]] = {
    "as it is": ({}, _nothing),
    "one more token": ({"n_more": 1}, _add_token),
    "rows without a token": ({"n_more": 13}, _nothing),
    "configuration of 2020": ({}, _old_configuration),
    "bin": ({}, _bin_with_a_different_output),
    "the decoder's name": ({}, _only_the_decoders_name),
    "codes": ({"codes": (">>fra<<", ">>spa<<")}, _nothing),
    "BPE by bytes": ({"model_type": "bpe", "byte_fallback": True, "vocab_size": 420}, _nothing),
}


@pytest.mark.parametrize("name", FOLDERS)
def test_a_folder_translates_like_the_library(name: str, tmp_path: Path, pairs) -> None:
    options, change = FOLDERS[name]
    folder = write(tmp_path / "opus-mt-en-fr", pairs, **options)
    change(folder)
    t = load_transformer(folder)
    assert t.languages == ("en", "fr")

    trace = t.trace("I see a cat.")
    src = torch.tensor([[token.id for token in trace.src]])
    options = {
        "do_sample": False,
        "max_new_tokens": src.shape[1] + 50,
        "decoder_start_token_id": t.tokenizer.bos_id,
        "forced_eos_token_id": None,
    }
    for beam in (1, 4):
        [written] = t.translate(["I see a cat."], beam=beam)
        expected = t.model.library_model.generate(src, num_beams=beam, **options)[0, 1:].tolist()
        assert list(written.ids) == expected[: len(written.ids)]
        assert t.tokenizer.pad_id not in written.ids


def test_a_head_trained_with_guided_alignment_is_found_from_the_card(tmp_path: Path, pairs) -> None:
    folder = write(tmp_path / "opus-mt-en-fr", pairs)
    assert load_transformer(folder).training["guided_alignment"] is False
    (folder / "README.md").write_text("* model: transformer-align\n", encoding="utf-8")
    assert load_transformer(folder).training["guided_alignment"] is True


def test_a_folder_of_our_former_conversion_gets_a_clear_message(
    tiny_checkpoint: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "opus"
    folder.mkdir()
    for path in tiny_checkpoint.iterdir():
        (folder / path.name).write_bytes(path.read_bytes())

    def change(values: dict[str, Any]) -> None:
        values["architecture"] |= {"activation": "silu", "positions": "halves"}
        values["training"]["converted_from"] = "opus-mt-en-fr"

    change_json(folder / "config.json", change)
    with pytest.raises(
        CheckpointError, match="open the original Hugging Face folder as it is"
    ) as e:
        load(folder)
    assert str(e.value).startswith(
        f"The folder {folder} was made by model.convert_marian, which is"
    )


def test_a_character_without_a_piece_is_labelled_with_its_bytes(tmp_path: Path, pairs) -> None:
    options, _ = FOLDERS["BPE by bytes"]
    folder = write(tmp_path / "opus-mt-en-fr", pairs, **options)
    t = load_transformer(folder)
    labels = [token.text for token in t.trace("日").src]
    assert "日".encode() == b"\xe6\x97\xa5"
    assert labels[-4:] == ["<E6>", "<97>", "<A5>", "</s>"]
