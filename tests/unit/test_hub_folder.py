"""Folders of the Hub that cannot be opened: one sentence each, with a remedy."""

import builtins
import json
import warnings
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForSeq2SeqLM, AutoTokenizer
from transformers.utils import logging

from model import CheckpointError, TranslationModel, list_checkpoints, load
from model.checkpoint.fingerprint import fingerprint, fingerprint_of
from model.hub import folder as hub_folder
from tests.hub_models import random_model, save_folder

SIDES = ("encoder", "decoder")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make an intact folder of the Hub."""
    return save_folder("t5", tmp_path_factory.mktemp("hub") / "t5")


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """Return a copy of the intact folder, which the test may damage."""
    copy = tmp_path / "t5"
    copy.mkdir()
    for path in made.iterdir():
        (copy / path.name).write_bytes(path.read_bytes())
    return copy


def change_config(folder: Path, **values: Any) -> None:
    path = folder / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | values))


def test_a_folder_is_listed_and_opened(folder: Path) -> None:
    assert list_checkpoints(folder.parent) == ["t5"]
    model = load(folder)
    assert isinstance(model, TranslationModel)
    assert model.name == "t5"
    assert fingerprint_of(folder) == fingerprint(model.model)


def test_weights_of_a_bin_file_and_of_shards_are_the_same(folder: Path) -> None:
    expected = fingerprint(load(folder).model)
    path = folder / "model.safetensors"
    weights = load_file(path)
    path.unlink()

    torch.save(weights, folder / "pytorch_model.bin")
    assert fingerprint(load(folder).model) == expected == fingerprint_of(folder)
    (folder / "pytorch_model.bin").unlink()

    names = sorted(weights)
    weight_map = {}
    for n, part in enumerate((names[:9], names[9:]), start=1):
        shard = f"model-0000{n}-of-00002.safetensors"
        save_file({name: weights[name] for name in part}, folder / shard, {"format": "pt"})
        weight_map |= dict.fromkeys(part, shard)
    index = {"metadata": {}, "weight_map": weight_map}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    assert fingerprint(load(folder).model) == expected == fingerprint_of(folder)

    (folder / "model-00002-of-00002.safetensors").unlink()
    with pytest.raises(CheckpointError, match=r"lacks model-00002-of-00002\.safetensors"):
        load(folder)


def test_several_threads_can_open_models_at_the_same_time(folder: Path) -> None:
    expected = fingerprint(load(folder).model)
    with ThreadPoolExecutor(4) as pool:
        models = [*pool.map(load, [folder] * 8)]
    assert {fingerprint(model.model) for model in models} == {expected}


def test_a_pickle_that_would_run_code_is_refused(folder: Path, tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[Any, ...]:
            return (Path.touch, (tmp_path / "ran",))

    (folder / "model.safetensors").unlink()
    torch.save({"shared.weight": Evil()}, folder / "pytorch_model.bin")
    with pytest.raises(CheckpointError, match="cannot open the weights of t5"):
        load(folder)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize("model_type", ["gpt2", "bert", "whisper"])
def test_a_model_of_another_type_is_refused(folder: Path, model_type: str) -> None:
    change_config(folder, model_type=model_type)
    with pytest.raises(CheckpointError, match=f"type '{model_type}'.* Choose one of these"):
        load(folder)


def test_a_pointer_of_git_lfs_is_explained(folder: Path) -> None:
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 300\n"
    (folder / "model.safetensors").write_text(pointer)
    with pytest.raises(CheckpointError, match="run git lfs pull in its repository"):
        load(folder)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("model.safetensors", "is a model without its weights"),
        ("tokenizer.json", r"not complete .* fine-tuned from: tokenizer\.json or spiece\.model\.$"),
    ],
)
def test_a_missing_file_is_named(folder: Path, name: str, message: str) -> None:
    (folder / name).unlink()
    with pytest.raises(CheckpointError, match=message):
        load(folder)


def test_a_marian_tokenizer_without_one_of_its_files_is_refused(tmp_path: Path) -> None:
    folder = save_folder("marian", tmp_path / "marian")
    assert load(folder).name == "marian"
    (folder / "vocab.json").unlink()
    (folder / "target.spm").unlink()
    with pytest.raises(CheckpointError, match=r"fine-tuned from: target\.spm, vocab\.json\.$"):
        load(folder)


def test_an_m2m_100_tokenizer_needs_both_files_and_nllb_one(tmp_path: Path) -> None:
    folder = save_folder("m2m_100", tmp_path / "m2m_100")
    assert load(folder).name == "m2m_100"
    (folder / "vocab.json").unlink()
    with pytest.raises(CheckpointError, match=r"fine-tuned from: vocab\.json\.$"):
        load(folder)
    (folder / "tokenizer_config.json").unlink()
    (folder / "sentencepiece.bpe.model").unlink()
    expected = r"tokenizer\.json or sentencepiece\.bpe\.model, and tokenizer_config\.json\.$"
    with pytest.raises(CheckpointError, match=expected):
        load(folder)


def test_lack_of_memory_is_not_reported_as_a_fault_of_the_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_memory(*_: Any, **__: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(AutoModelForSeq2SeqLM, "from_pretrained", without_memory)
    with pytest.raises(MemoryError):
        load(folder)
    monkeypatch.setattr(hub_folder, "safe_open", without_memory)
    with pytest.raises(MemoryError):
        hub_folder.read_first_query_matrix(folder)


def test_a_tokenizer_of_an_unknown_class_is_refused(tmp_path: Path) -> None:
    folder = save_folder("nllb", tmp_path / "nllb")
    path = folder / "tokenizer_config.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps(settings | {"tokenizer_class": "SomeTokenizer"}))
    with pytest.raises(
        CheckpointError,
        match=r"\(SomeTokenizer\) of nllb \(it has languages, and this class .* Copy the token",
    ):
        load(folder)
    path.unlink()
    with pytest.raises(CheckpointError, match=r"Its tokenizer_config\.json is missing.* copy it"):
        load(folder)


# one tokenizer of SentencePiece and one of the library tokenizers
@pytest.mark.parametrize("kind", ["marian", "t5"])
def test_tokens_without_a_row_in_the_model_become_unknown(kind: str, tmp_path: Path) -> None:
    folder = save_folder(kind, tmp_path / kind)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = AutoTokenizer.from_pretrained(folder)
        tokenizer.add_tokens(["<ent>"])
        tokenizer.save_pretrained(folder)
    n_tokens = json.loads((folder / "config.json").read_text())["vocab_size"]
    # the model has no row with this number
    assert tokenizer.convert_tokens_to_ids("<ent>") == n_tokens
    model = load(folder)
    assert isinstance(model, TranslationModel)
    trace = model.trace("I see <ent>.")
    assert [token.id for token in trace.src].count(model.tokenizer.unk_id) == 1
    assert max(token.id for token in trace.src) < n_tokens


def test_a_folder_larger_than_the_memory_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hub_folder, "available_memory", lambda: 1000)
    with pytest.raises(CheckpointError, match="of memory, and this machine has"):
        load(folder)


def test_weights_of_16_bits_need_twice_the_memory_of_their_file(folder: Path) -> None:
    """They are computed with 32 bits. Files of older versions name the format ``torch_dtype``."""
    of_32_bits = hub_folder.memory_of_folder(folder)
    assert of_32_bits >= (folder / "model.safetensors").stat().st_size
    for names in ({"dtype": "float16"}, {"dtype": None, "torch_dtype": "bfloat16"}):
        change_config(folder, **names)
        assert hub_folder.memory_of_folder(folder) == pytest.approx(2 * of_32_bits, abs=1)


def test_the_free_memory_is_the_smaller_of_that_of_the_machine_and_of_its_container(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {
        "/proc/meminfo": "MemTotal:       9 kB\nMemFree: 1 kB\nMemAvailable:    3 kB\n",
        "/sys/fs/cgroup/memory.max": "2500\n",
        "/sys/fs/cgroup/memory.current": "500\n",
    }

    def read(path: Path) -> str:
        if str(path) not in files:
            raise FileNotFoundError
        return files[str(path)]

    monkeypatch.setattr(Path, "read_text", read)
    assert hub_folder.available_memory() == 2000
    files["/sys/fs/cgroup/memory.max"] = "999999\n"
    assert hub_folder.available_memory() == 3 * 1024
    files["/sys/fs/cgroup/memory.max"] = "max\n"
    assert hub_folder.available_memory() == 3 * 1024

    files.clear()  # a system that has no such files
    monkeypatch.setattr("os.sysconf_names", {"SC_PHYS_PAGES": 0})
    monkeypatch.setattr("os.sysconf", {"SC_PHYS_PAGES": 7, "SC_PAGE_SIZE": 4096}.get)
    assert hub_folder.available_memory() == 7 * 4096
    monkeypatch.setattr("os.sysconf_names", {})
    assert hub_folder.available_memory() is None


def test_a_padding_token_that_the_target_vocabulary_lacks_is_refused(tmp_path: Path) -> None:
    folder = save_folder("marian", tmp_path / "marian")
    n_tokens = json.loads((folder / "config.json").read_text())["vocab_size"]
    assert load(folder).name == "marian"
    change_config(folder, decoder_vocab_size=n_tokens - 1, pad_token_id=n_tokens - 1)
    with pytest.raises(CheckpointError, match=f"with a padding below {n_tokens - 1}") as error:
        load(folder)
    assert f"pad_token_id {n_tokens - 1}" in str(error.value)


def test_weights_whose_shapes_differ_from_the_configuration_are_refused(tmp_path: Path) -> None:
    folder = save_folder("marian", tmp_path / "marian")
    settings = json.loads((folder / "config.json").read_text())
    change_config(folder, decoder_ffn_dim=38)
    message = r"layers\.0\.fc1\.bias has the shape \(37,\) in the file, and \(38,\) by the .* Take"
    with pytest.raises(CheckpointError, match=message):
        load(folder)

    change_config(folder, decoder_ffn_dim=settings["decoder_ffn_dim"])
    path = folder / "model.safetensors"
    weights = load_file(path)
    weights["final_logits_bias"] = weights["final_logits_bias"][:, 1:]
    save_file(weights, path, {"format": "pt"})
    with pytest.raises(CheckpointError, match=r"final_logits_bias .* resize it without padding"):
        load(folder)


def test_warnings_of_the_library_are_not_shown(folder: Path, capfd: Any) -> None:
    """The library warns programmers, here about a token that the vocabulary lacks."""
    before = logging.get_verbosity()
    logging.set_verbosity_warning()  # the default of the library
    try:
        change_config(folder, forced_eos_token_id=9999, bos_token_id=9999)
        assert load(folder).name == "t5"
        logging.get_logger("transformers.tests").warning("not shown")
        assert capfd.readouterr().err == ""
        logging.set_verbosity_info()  # a user of the library wants more messages
        load(folder)
        assert logging.get_verbosity() == logging.INFO
    finally:
        logging.set_verbosity(before)


@pytest.mark.parametrize("kind", ["t5", "bart"])
def test_weights_of_more_blocks_than_configured_are_refused(kind: str, tmp_path: Path) -> None:
    folder = save_folder(kind, tmp_path / kind)
    one = {"num_layers": 1, "num_decoder_layers": 1, "encoder_layers": 1, "decoder_layers": 1}
    settings = json.loads((folder / "config.json").read_text())
    change_config(folder, **{name: n for name, n in one.items() if name in settings})
    with pytest.raises(CheckpointError, match=r"1\..* has no such block\. Take both from"):
        load(folder)


def test_quantized_weights_are_refused(folder: Path) -> None:
    change_config(folder, quantization_config={"quant_method": "bitsandbytes"})
    with pytest.raises(CheckpointError, match=r"are quantized.* Choose the model from which"):
        load(folder)


@pytest.mark.parametrize(
    ("kind", "embedding", "names"),
    [
        # like Flan-T5 and MADLAD-400
        ("t5", "shared.weight", ["shared.weight"]),
        ("t5", "shared.weight", ["decoder.embed_tokens.weight"]),
        # as versions 4 and 5 of the library write such a model
        ("nllb", "model.shared.weight", ["model.shared.weight"]),
        ("mbart50", "model.shared.weight", ["model.shared.weight"]),
        ("bart", "model.shared.weight", ["model.shared.weight"]),
        (
            "bart",
            "model.shared.weight",
            ["model.shared.weight", *(f"model.{side}.embed_tokens.weight" for side in SIDES)],
        ),
    ],
)
def test_a_separate_output_matrix_is_used(
    kind: str, embedding: str, names: list[str], tmp_path: Path
) -> None:
    folder = save_folder(kind, tmp_path / kind)
    path = folder / "model.safetensors"
    weights = load_file(path)
    tokens = weights.pop(embedding)
    output = torch.randn_like(tokens)
    weights |= {name: tokens.clone() for name in names}
    save_file(weights | {"lm_head.weight": output}, path, {"format": "pt"})
    change_config(folder, tie_word_embeddings=False)

    model = load(folder)

    assert isinstance(model, TranslationModel)
    library_model = model.model.library_model
    assert torch.equal(library_model.get_encoder().embed_tokens.weight, tokens)
    assert torch.equal(library_model.get_decoder().embed_tokens.weight, tokens)
    assert torch.equal(library_model.lm_head.weight, output)
    assert not model.config.tie_embeddings


def test_half_of_a_model_is_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    weights = {name: w for name, w in load_file(path).items() if "encoder" in name or "sh" in name}
    save_file(weights, path, {"format": "pt"})
    with pytest.raises(
        CheckpointError, match=r"lack decoder\.block\.0.* perhaps a part of a model"
    ):
        load(folder)


def test_weights_that_are_not_finite_are_refused(folder: Path) -> None:
    path = folder / "model.safetensors"
    weights = load_file(path)
    weights["shared.weight"][3, 1] = float("nan")
    save_file(weights, path, {"format": "pt"})
    with pytest.raises(CheckpointError, match=r"shared\.weight has a value that is not finite"):
        load(folder)


def test_encoder_and_decoder_of_different_depth_are_refused(folder: Path) -> None:
    model = random_model("t5, two depths")
    (folder / "model.safetensors").unlink()
    model.save_pretrained(folder)
    with pytest.raises(CheckpointError, match="encoder has 2 blocks and its decoder 1"):
        load(folder)


def test_a_library_that_is_not_installed_is_named(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_import = builtins.__import__

    def without_transformers(name: str, *args: Any, **options: Any) -> Any:
        if name.split(".")[0] == "transformers":
            raise ImportError(name)
        return real_import(name, *args, **options)

    monkeypatch.setattr(builtins, "__import__", without_transformers)
    with pytest.raises(CheckpointError, match=r"pip install -r requirements-hub\.txt"):
        load(folder)
