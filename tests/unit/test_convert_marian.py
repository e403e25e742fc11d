"""The command that converts a model of Hugging Face, and what it refuses."""

import json
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file

from model import load
from model.convert_marian import main
from model.marian.folder import languages_of, read_folder
from model.translate import main as translate
from tests.marian_models import write_model
from tests.unit.test_files import POINTER

README = "---\nlanguage:\n- en\n\nlicense: apache-2.0\n---\n\n* model: transformer-align\n"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]]) -> Path:
    """A whole folder, as one gets it; no test changes it."""
    return write_model(tmp_path_factory.mktemp("downloads") / "opus-mt-en-fr", pairs)


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "opus-mt-en-fr"))


@pytest.fixture(scope="module")
def checkpoint(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("checkpoints") / "opus"
    assert main([str(made), "--out", str(out)]) == 0
    return out


def test_the_card_says_where_it_comes_from(folder, checkpoint, tmp_path):
    text = (checkpoint / "README.md").read_text("utf-8")
    assert text.startswith("# opus\n\nopus-mt-en-fr")
    assert "Unknown: " in text
    assert "guided alignment" not in text
    (folder / "README.md").write_text(README, "utf-8")
    _set("generation_config.json", bad_words_ids=[[3, 4]])(folder)
    assert main([str(folder), "--out", str(tmp_path / "new")]) == 0
    text = (tmp_path / "new" / "README.md").read_text("utf-8")
    assert "(`bad_words_ids`) are not forbidden" in text
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


def _all(*changes):
    def change(folder: Path) -> None:
        for one in changes:
            one(folder)

    return change


def _pickled(content: object):
    def write(folder: Path) -> None:
        (folder / WEIGHTS).unlink()
        torch.save(content, folder / "pytorch_model.bin")

    return write


def _in_parts(folder: Path, *, named: Callable[[str], str] = str) -> None:
    """The weights in two files and an index, as of a large model."""
    path = folder / "model.safetensors"
    tensors = load_file(path)
    path.unlink()
    weight_map = {name: named(f"model-{n % 2}.safetensors") for n, name in enumerate(tensors)}
    for file in {*weight_map.values()}:
        part = {name: tensor for name, tensor in tensors.items() if weight_map[name] == file}
        save_file(part, folder / Path(file).name)
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index), "utf-8")


def _pickled_in_parts(folder: Path) -> None:
    tensors = load_file(folder / "model.safetensors")
    (folder / "model.safetensors").unlink()
    torch.save(tensors, folder / "part.bin")
    index = {"weight_map": dict.fromkeys(tensors, "part.bin")}
    (folder / "pytorch_model.bin.index.json").write_text(json.dumps(index), "utf-8")


def _renamed(rename: Callable[[str], str]):
    def change(tensors: dict[str, torch.Tensor]) -> None:
        for name in [*tensors]:
            tensors[rename(name)] = tensors.pop(name)

    return _tensors(change)


def _longer(vocabulary: int):
    """An embedding with rows that no token has."""

    def lengthen(tensors: dict[str, torch.Tensor]) -> None:
        for name in ("model.shared.weight", "final_logits_bias"):
            axis = name == "final_logits_bias"
            shape = [*tensors[name].shape]
            shape[axis] = vocabulary - shape[axis]
            more = torch.full(shape, 4.0).half()  # they would be written
            tensors[name] = torch.cat([tensors[name], more], dim=int(axis))

    def change(folder: Path) -> None:
        _tensors(lengthen)(folder)
        _set("config.json", vocab_size=vocabulary)(folder)

    return change


FC = "model.encoder.layers.1.fc1.weight"
EMBEDDING = "model.encoder.layernorm_embedding.weight"
POSITIONS = "model.encoder.embed_positions.weight"
CONFIG, WEIGHTS = "config.json", "model.safetensors"
WRONG = [
    (_without(CONFIG), "without their config.json: add config.json from"),
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
    (_without(WEIGHTS), "is a model without its weights: add the weights, model.safetensors"),
    (_write(WEIGHTS, b"12345678"), "cut off or damaged"),
    (_tensors(lambda t: t.pop(FC)), f"{FC} is missing"),
    (_tensors(lambda t: t.update({EMBEDDING: t[FC][0].clone()})), f"{EMBEDDING} is unknown"),
    (_tensors(lambda t: t.update({FC: t[FC][1:].clone()})), "has shape (36, 30)"),
    (_tensors(lambda t: t[FC].fill_(torch.nan)), "not finite"),
    (_tensors(lambda t: t.update({FC: t[FC].to(torch.int8)})), "int8 numbers instead of"),
    (_tensors(lambda t: t.update({POSITIONS: torch.rand(83, 30)})), "neither the sinusoids"),
    (_pickled({"x": Path("x")}), "pytorch_model.bin are damaged, or are none"),
    (_pickled({"x": 1}), "other things than tensors"),
    (_pickled([1]), "pytorch_model.bin are damaged, or are none"),
    (_without("vocab.json"), "is a model without its tokenizer (vocab.json): copy source.spm"),
    (_set("vocab.json", more=9000), "source vocabulary"),
    (_write(WEIGHTS, POINTER), "safetensors cannot be read: it is a pointer of git-lfs"),
    (_write(CONFIG, POINTER), "config.json cannot be read: it is a pointer of git-lfs"),
    (_write("vocab.json", POINTER), "vocab.json cannot be read: it is a pointer of git-lfs"),
    (_write("source.spm", POINTER), "source.spm cannot be read: it is a pointer of git-lfs"),
    (_all(_without(WEIGHTS), _write("pytorch_model.bin", POINTER)), "run git lfs pull there"),
    (_tensors(lambda t: t.update({f"base.{n}": t[n].clone() for n in t})), "hold two models"),
    (_renamed(lambda name: name.replace("q_proj", "q_proj.lora_A")), "merge_and_unload()"),
    (_all(_in_parts, _without("model-1.safetensors")), "names model-1.safetensors, and no such"),
    (partial(_in_parts, named="../{}".format), "names ../model-0.safetensors, and no such"),
    (_all(_without(WEIGHTS), _write(f"{WEIGHTS}.index.json", b"{")), "index.json is damaged"),
    (_all(_longer(300), _set(CONFIG, pad_token_id=5)), "its padding is "),
]


@pytest.mark.parametrize(("change", "message"), WRONG, ids=[message for _, message in WRONG])
def test_what_cannot_be_converted_is_refused(change, message, folder, tmp_path, capsys):
    change(folder)
    assert main([str(folder), "--out", str(tmp_path / "out")]) == 1
    said = capsys.readouterr().err
    assert message in said
    assert said.startswith("python -m model.convert_marian: ")
    assert "weights_only" not in said  # PyTorch's advice is to run what is in the file
    assert not (tmp_path / "out").exists()


def _ours(change, folder: Path, out: Path):
    change(folder)
    assert main([str(folder), "--out", str(out)]) == 0
    return load_file(out / "model.safetensors")


def _pickled_with_a_copy(folder: Path) -> None:
    tensors = load_file(folder / WEIGHTS)
    _pickled(tensors | {"lm_head.weight": tensors["model.shared.weight"]})(folder)


SAME = {
    "parts": _in_parts,
    "pickled, with the output's copy": _pickled_with_a_copy,
    "pickled parts": _pickled_in_parts,
    "inside another": _renamed("base_model.model.{}".format),
    "compiled": _renamed("_orig_mod.{}".format),
    "tied without a word": _set("config.json", tie_word_embeddings=None),
    "alone": _renamed(lambda name: name.removeprefix("model.")),
}


@pytest.mark.parametrize("change", SAME.values(), ids=SAME)
def test_weights_in_parts_and_under_other_names(change, folder, checkpoint, tmp_path):
    found = _ours(change, folder, tmp_path / "out")
    expected = load_file(checkpoint / "model.safetensors")
    assert {tensor.dtype for tensor in expected.values()} == {torch.float16}
    assert found.keys() == expected.keys()
    assert all(torch.equal(found[name], expected[name]) for name in expected)


def test_rows_that_no_token_has_are_kept_and_never_written(folder, checkpoint, tmp_path):
    before = load(checkpoint)
    known = before.config.vocab_size
    _ours(_longer(known + 5), folder, tmp_path / "out")
    t = load(tmp_path / "out")
    assert t.config.vocab_size == t.tokenizer.vocab_size == known + 5
    unused = range(known, known + 5)
    assert {*t.config.never_written} == {*before.config.never_written, *unused}
    assert t.tokenizer.subword(known) == f"<unused {known}>"
    for beam in (1, 3):
        trace = t.trace("I see a cat.", beam=beam)
        assert not {*trace.tgt_ids} & {*unused}
    assert "5 rows of its embedding belong to no token" in _card(t.folder)


def test_tokens_of_a_fine_tuning_come_along(folder, checkpoint, tmp_path):
    known = load(checkpoint).config.vocab_size
    (folder / "added_tokens.json").write_text(json.dumps({"<ent>": known}), "utf-8")
    _ours(_longer(known + 1), folder, tmp_path / "out")
    t = load(tmp_path / "out")
    trace = t.trace("I see <ent>!", target="un <ent> !")
    assert [token.id for token in trace.src if token.text == "<ent>"] == [known]
    assert trace.next_tokens.count("<ent>") == 1
    assert t.tokenizer.decode(trace.tgt_ids) == "un<ent> !"  # as Hugging Face joins them
    assert known not in t.config.never_written


def _card(folder: Path) -> str:
    return (folder / "README.md").read_text("utf-8")


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("Helsinki-NLP/opus-mt-de-en", "Its settings name `Helsinki-NLP/opus-mt-de-en`"),
        ("C:\\Users\\anna\\secret\\opus-mt-de-en", "Its settings name `opus-mt-de-en`"),
        ("/home/anna/secret/opus-mt-de-en", "Its settings name `opus-mt-de-en`"),
        ("/home/anna/secret", None),
        ("/home/anna/opus-mt-en-fr", None),
        ("Helsinki-NLP/opus-mt-en-fr", None),
        ("", None),
    ],
)
def test_it_has_the_name_of_its_folder_and_tells_its_base(said, told, folder, tmp_path, capsys):
    _set(CONFIG, _name_or_path=said)(folder)
    out = tmp_path / "out"
    assert main([str(folder), "--out", str(out)]) == 0
    card = _card(out)
    assert "\n\nopus-mt-en-fr, a MarianMT model" in card
    assert told in card if told else "Its settings name" not in card
    written = card + (out / "config.json").read_text("utf-8") + "".join(capsys.readouterr())
    assert not any(word in written.replace(str(tmp_path), "") for word in ("anna", "secret"))


def test_in_the_cache_of_hugging_face_a_folder_has_the_name_of_the_model(made, tmp_path):
    path = tmp_path / "models--Helsinki-NLP--opus-mt-en-fr" / "snapshots" / "dd7f6540a7a48a7f"
    shutil.copytree(made, path)
    assert read_folder(path).name == "opus-mt-en-fr"


def test_a_model_of_several_languages_tells_which(pairs, tmp_path, capsys):
    folder, out = tmp_path / "opus-mt-en-roa", tmp_path / "out"
    write_model(folder, pairs, codes=(">>fra<<", ">>spa<<"))
    assert main([str(folder), "--out", str(out)]) == 0
    assert "begin a text with one of >>fra<< >>spa<<" in capsys.readouterr().out
    assert "`>>fra<<` `>>spa<<`" in _card(out)
    for text, told in (
        ("I see.", "it says no language to write: begin it with one of >>fra<< >>spa<<"),
        (">>deu<< I see.", "the model does not know >>deu<<: begin it with one of >>fra<<"),
        (">>spa<< I see.", ""),
    ):
        assert translate(["--checkpoint", str(out), text]) == 0
        said = capsys.readouterr().err
        assert told in said if told else not said


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
        ("opus-mt-en-roa", {"source_lang": "en", "target_lang": "roa"}, ("en", None)),
        ("opus-mt-mul-en", {}, (None, "en")),
        ("mine", {}, (None, None)),
    ],
)
def test_languages(name, said, languages, tmp_path):
    folder = tmp_path / name
    folder.mkdir()
    (folder / "config.json").write_text('{"model_type": "marian"}')
    (folder / "tokenizer_config.json").write_text(json.dumps(said))
    assert languages_of(read_folder(folder)) == languages
