"""The command that converts a model of Hugging Face, and what it refuses."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from model import load
from model.convert_marian import main
from model.marian.folder import read_folder
from model.marian.languages import languages_of
from tests.marian_files import write_marian_tokenizer
from tests.marian_models import random_marian, save

README = "---\nlanguage:\n- en\n\nlicense: apache-2.0\n---\n\n* model: transformer-align\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]) -> Path:
    """A whole folder, as one gets it; no test changes it."""
    folder = tmp_path_factory.mktemp("downloads") / "opus-mt-en-fr"
    write_marian_tokenizer(folder, pairs)
    n = len(json.loads((folder / "vocab.json").read_text("utf-8")))
    model = random_marian(11, pad_id=n - 1, vocab_size=n, activation_function="swish")
    save(model, folder, dtype=torch.float16)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "opus-mt-en-fr"))


@pytest.fixture(scope="module")
def checkpoint(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("checkpoints") / "opus"
    assert main([str(made), "--out", str(out)]) == 0
    return out


def test_it_is_a_checkpoint_like_any_other(checkpoint):
    t = load(checkpoint)
    assert (t.name, t.languages) == ("opus", ("en", "fr"))
    trace = t.trace("I see a cat.")
    assert (trace.src_tokens[-1], trace.tgt_tokens[0]) == ("</s>", "<pad>")
    assert "<pad>" not in trace.next_tokens
    assert trace.cross.shape == (3, 5, len(trace.tgt_tokens), len(trace.src))
    tensors = load_file(checkpoint / "model.safetensors")
    assert {tensor.dtype for tensor in tensors.values()} == {torch.float16}


def test_the_card_says_where_it_comes_from(folder, checkpoint, tmp_path):
    text = (checkpoint / "README.md").read_text("utf-8")
    assert text.startswith("# opus\n\nopus-mt-en-fr")
    assert "Unknown: " in text
    assert "guided alignment" not in text
    (folder / "README.md").write_text(README, "utf-8")
    assert main([str(folder), "--out", str(tmp_path / "new")]) == 0
    text = (tmp_path / "new" / "README.md").read_text("utf-8")
    assert "names the licence `apache-2.0`" in text
    assert "here head 1 of layer 3" in text
    training = json.loads((tmp_path / "new" / "config.json").read_text("utf-8"))["training"]
    told = {"converted_from": "opus-mt-en-fr", "languages": ["en", "fr"]}
    assert training == told | {"licence": "apache-2.0", "guided_alignment": True}


def _set(file: str, **values: object):
    """A change of a JSON file; None takes a key away."""

    def change(folder: Path) -> None:
        path = folder / file
        found = json.loads(path.read_text("utf-8")) | values
        kept = {key: value for key, value in found.items() if value is not None}
        path.write_text(json.dumps(kept), "utf-8")

    return change


def _tensors(change):
    def apply(folder: Path) -> None:
        tensors = load_file(folder / WEIGHTS)
        change(tensors)
        save_file(tensors, folder / WEIGHTS)

    return apply


def _without(name: str):
    return lambda folder: (folder / name).unlink()


def _write(name: str, content: bytes):
    return lambda folder: (folder / name).write_bytes(content)


def _pickled(content: object):
    def write(folder: Path) -> None:
        (folder / WEIGHTS).unlink()
        torch.save(content, folder / "pytorch_model.bin")

    return write


FC = "model.encoder.layers.1.fc1.weight"
EMBEDDING = "model.encoder.layernorm_embedding.weight"
POSITIONS = "model.encoder.embed_positions.weight"
CONFIG, WEIGHTS = "config.json", "model.safetensors"
WRONG = [
    (_without(CONFIG), "has no config.json"),
    (_write(CONFIG, b'{"model_type": '), "config.json is damaged"),
    (_set(CONFIG, d_model="30"), "config.json is damaged"),
    (_set(CONFIG, model_type="bart"), "type 'bart'"),
    (_set(CONFIG, model_type=None), "type None"),
    (_set(CONFIG, decoder_layers=1), "encoder_layers 3 and decoder_layers 1"),
    (_set(CONFIG, decoder_attention_heads=3), "decoder_attention_heads 3"),
    (_set(CONFIG, decoder_ffn_dim=3), "decoder_ffn_dim 3"),
    (_set(CONFIG, activation_function="mish"), "activation 'mish'"),
    (_set(CONFIG, encoder_attention_heads=4, decoder_attention_heads=4), "n_heads=4"),
    (_set(CONFIG, eos_token_id=3), "ends a sentence with token 3"),
    (_set("generation_config.json", bad_words_ids=[[9999]]), "never_written holds 9999"),
    (_without(WEIGHTS), "neither model.safetensors nor pytorch_model"),
    (_write(WEIGHTS, b"12345678"), "cut off or damaged"),
    (_tensors(lambda t: t.pop(FC)), f"{FC} is missing"),
    (_tensors(lambda t: t.update({EMBEDDING: t[FC][0].clone()})), f"{EMBEDDING} is unknown"),
    (_tensors(lambda t: t.update({FC: t[FC][1:].clone()})), "has shape (36, 30)"),
    (_tensors(lambda t: t[FC].fill_(torch.nan)), "no finite number"),
    (_tensors(lambda t: t.update({POSITIONS: torch.rand(83, 30)})), "neither the sinusoids"),
    (_pickled({"x": Path("x")}), "pytorch_model.bin are damaged, or are none"),
    (_pickled({"x": 1}), "other things than tensors"),
    (_pickled([1]), "pytorch_model.bin are damaged, or are none"),
    (_without("vocab.json"), "vocab.json"),
    (_set("vocab.json", more=9000), "source vocabulary"),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_cannot_be_converted_is_refused(change, message, folder, tmp_path, capsys):
    change(folder)
    assert main([str(folder), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("python -m model.convert_marian: ")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_is_there_stays_as_it_is(made, checkpoint, tmp_path, capsys):
    before = (checkpoint / CONFIG).read_bytes()
    assert main([str(made), "--out", str(checkpoint)]) == 1
    assert "is there already" in capsys.readouterr().err
    assert (checkpoint / CONFIG).read_bytes() == before
    assert main([str(tmp_path / "none"), "--out", str(tmp_path / "out")]) == 1
    assert "There is no folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "said", "languages"),
    [
        ("opus-mt-en-fr", {"source_lang": "eng", "target_lang": "zho"}, ("en", "zh")),
        ("opus-mt-en-fr", {"source_lang": "en", "target_lang": "ROMANCE"}, ("en", None)),
        ("opus-mt-de-nl", {}, ("de", "nl")),
        ("opus-mt-tc-big-fi-xho", {}, ("fi", "xho")),
        ("opus-mt-en-ROMANCE", {}, (None, None)),
        ("mine", {}, (None, None)),
    ],
)
def test_languages(name, said, languages, tmp_path):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "marian"}')
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    assert languages_of(read_folder(folder)) == languages
