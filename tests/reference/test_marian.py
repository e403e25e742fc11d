"""A converted model computes, attends and writes as Hugging Face's own program does."""

from itertools import product
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from transformers import MarianMTModel

from model.corpora.batches import pad
from model.decoding.beam import beam_search
from model.decoding.fused import FusedTransformer
from model.decoding.greedy import Hypothesis, greedy, length_limits
from model.marian.architecture import POSITIONS, architecture_of
from model.marian.folder import read_folder
from model.marian.weights import converted, kind_of, read_tensors
from model.nn.hooks import Hooks
from model.transformer.masks import padding_mask
from model.transformer.positional import positional_encoding
from model.transformer.transformer import Transformer
from tests.marian_models import EOS, PAD, random_marian, random_sources, save

IDS = {"pad_id": PAD, "bos_id": PAD, "eos_id": EOS}
QUICK = ("swish", True, "shared", torch.float32)
EMBEDDINGS = {
    "shared": {"eos_bias": 4.0},
    "two": {"eos_bias": 1.0, "share_encoder_decoder_embeddings": False},
    "two sizes": {"eos_bias": 1.0, "share_encoder_decoder_embeddings": False,
                  "decoder_vocab_size": 53},
    "three": {"eos_bias": 4.0, "share_encoder_decoder_embeddings": False,
              "tie_word_embeddings": False},
    "three of one vocabulary": {"eos_bias": 0.0, "tie_word_embeddings": False},
}  # fmt: skip
ALL = product(("swish", "gelu", "relu"), (True, False), EMBEDDINGS, (torch.float32, torch.float16))
SLOW = [pytest.param(*kind, marks=pytest.mark.slow) for kind in ALL if kind != QUICK]
KINDS = [QUICK, *SLOW]


def ours(folder: Path) -> Transformer:
    """The same model, converted; in float64, so that nothing but rounding of 1e-15 is forgiven."""
    tensors, file = read_tensors(folder)
    return converted(architecture_of(read_folder(folder), tensors), tensors, file).double()


def theirs(folder: Path) -> MarianMTModel:
    """The model as its own library reads it."""
    found = MarianMTModel.from_pretrained(folder, dtype=torch.float32, attn_implementation="eager")
    return found.double().eval()


@pytest.fixture
def folder(tmp_path, activation, scale, embeddings, dtype) -> Path:
    settings = {"activation_function": activation, "scale_embedding": scale}
    model = random_marian(7, **settings, **EMBEDDINGS[embeddings])
    return save(model, tmp_path / "model", dtype=dtype)


def _targets(seed: int, rows: int, length: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    ids = torch.randint(1, PAD, (rows, length), generator=generator)
    ids[:, 0] = PAD  # the start token
    return ids


@pytest.mark.parametrize(("activation", "scale", "embeddings", "dtype"), KINDS)
@torch.inference_mode()
def test_logits_and_all_attentions_are_theirs(folder):
    model, reference = ours(folder), theirs(folder)
    src, tgt = pad(random_sources(1, 9), PAD), _targets(2, 9, 11)
    records = {}
    logits = model(src, tgt, padding_mask(src, PAD), hooks=Hooks(records))
    expected = reference(
        input_ids=src, attention_mask=src != PAD, decoder_input_ids=tgt, output_attentions=True
    )
    assert (src == PAD).any()
    assert expected.logits.std() > 1  # otherwise anything would be close
    torch.testing.assert_close(logits, expected.logits, rtol=0, atol=1e-10)
    for path, maps in (
        ("encoder.{}.self", expected.encoder_attentions),
        ("decoder.{}.self", expected.decoder_attentions),
        ("decoder.{}.cross", expected.cross_attentions),
    ):
        assert len(maps) == 3
        for layer, weights in enumerate(maps):
            found = records[f"{path.format(layer)}.weights"]
            torch.testing.assert_close(found, weights, rtol=0, atol=1e-10)


def _written(reference: MarianMTModel, src: Tensor, *, most: int) -> list[list[int]]:
    found = reference.generate(
        input_ids=src, attention_mask=src != PAD, num_beams=1, do_sample=False, max_new_tokens=most
    )
    rows = [row[1:] for row in found.tolist()]
    return [row[: row.index(EOS) + 1] if EOS in row else row for row in rows]


@pytest.mark.parametrize(("activation", "scale", "embeddings", "dtype"), KINDS)
@torch.inference_mode()
def test_greedy_decoding_writes_what_generate_writes(folder):
    model, reference = ours(folder), theirs(folder)
    src = pad(random_sources(3, 50), PAD)
    limits = length_limits(model, src, PAD).tolist()
    expected = _written(reference, src, most=max(limits) + 1)  # there an EOS is put by force
    for writer in (model, FusedTransformer(model)):
        found = greedy(writer, src, **IDS)
        assert [list(h.ids) for h in found] == [
            ids[:limit] for ids, limit in zip(expected, limits, strict=True)
        ]
    assert len({h.ids[:50] for h in found}) > 8
    assert any(h.finished for h in found)


@pytest.fixture
def quick(tmp_path) -> Path:
    return save(random_marian(7, activation_function="swish"), tmp_path / "model")


@torch.inference_mode()
def test_at_the_limit_they_put_an_eos_by_force_and_we_say_that_it_is_cut(quick):
    model, reference = ours(quick), theirs(quick)
    unfinished = 0
    for ids in random_sources(3, 3):
        src = torch.tensor([ids])
        [found] = greedy(model, src, **IDS)
        [expected] = _written(reference, src, most=len(ids) + 50)
        if not found.finished:
            unfinished += 1
            assert expected[-1] == EOS
            assert [*found.ids[:-1], EOS] == expected
    assert unfinished


@torch.inference_mode()
def test_beams_that_never_end_are_those_of_generate(tmp_path):
    """Of equal length all rankings agree; they differ only in how they weigh length."""
    made = random_marian(5, activation_function="gelu", forced_eos_token_id=None)
    with torch.no_grad():
        made.final_logits_bias[0, EOS] -= 1000
    folder = save(made, tmp_path / "model")
    model, reference = ours(folder), theirs(folder)
    for ids in random_sources(4, 2):
        src = torch.tensor([ids])
        best: list[Hypothesis] = beam_search(model, src, beam=4, **IDS)[0]
        how = {"num_beams": 4, "num_return_sequences": 4, "do_sample": False}
        expected = reference.generate(
            input_ids=src, attention_mask=src > -1, max_new_tokens=len(ids) + 50, **how
        )
        assert [list(h.ids) for h in best] == expected[:, 1:].tolist()


@pytest.mark.parametrize("variant", ["paper", "tensor2tensor"])
@torch.inference_mode()
def test_positions_that_came_along_are_known_again(quick, variant):
    path = quick / "model.safetensors"
    tensors = load_file(path)
    waves = positional_encoding(83, 30, layout="halves", variant=variant)
    save_file(tensors | {name: waves.clone() for name in POSITIONS}, path, {"format": "pt"})
    model, reference = ours(quick), theirs(quick)
    assert model.config.frequencies == variant
    assert torch.equal(reference.model.encoder.embed_positions.weight, waves.double())
    src, tgt = pad(random_sources(1, 9), PAD), _targets(2, 9, 11)
    expected = reference(input_ids=src, attention_mask=src != PAD, decoder_input_ids=tgt).logits
    logits = model(src, tgt, padding_mask(src, PAD))
    torch.testing.assert_close(logits, expected, rtol=0, atol=1e-10)


def test_the_kind_of_numbers_is_kept(tmp_path):
    half, _ = read_tensors(save(random_marian(7), tmp_path / "half", dtype=torch.float16))
    assert kind_of(half) == torch.float16
    assert kind_of(half | {"x": torch.zeros(1)}) == torch.float32
