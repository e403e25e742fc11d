"""The format of a folder is recognised before anything in it is opened."""

import json
import os
import re
from pathlib import Path

import pytest
import torch
from safetensors.torch import save

from model import CheckpointError, load
from model.corpora.stored_corpus import open_stored
from model.files.folder_format import newest_snapshot, recognise_folder
from tests.unit.test_file_format import FILES

WEIGHTS = save({"a": torch.zeros(2)})
CONFIG = {"model_type": "marian"}
ADAPTERS = {"base_model_name_or_path": "Helsinki-NLP/opus-mt-en-da", "peft_type": "LORA"}
HEX = "0123456789abcdef" * 2  # the name of a note
MODEL = {"config.json": CONFIG, "model.safetensors": WEIGHTS}


def within(folder: str, files: dict) -> dict:
    return {f"{folder}/{name}": content for name, content in files.items()}


# Name of a format, its files, and words of the message.
FOLDERS = {
    "hub_unfinished": (
        {"blobs/ab.incomplete": b"x", "snapshots/77/.x": b"", "refs/main": b"77"},
        "dow",
    ),
    "hub_caches": (
        within("models--Helsinki-NLP--opus-mt-en-da/snapshots/7", MODEL),
        "the cache of Hugging Face with 1 model: give one of them, such as models--Helsinki-NLP",
    ),
    "hub_data": ({"snapshots/7/train.parquet": b"PAR1"}, "give a model"),
    "trainer_output": (
        within("checkpoint-90", MODEL) | within("checkpoint-1200", MODEL) | {"runs/events": b""},
        "the output of a training with 2 saved steps: give checkpoint-1200, which is in it",
    ),
    "around": (within("opus-mt-en-da", MODEL), "give opus-mt-en-da, which is in it"),
    "several": (
        within("a", MODEL) | within("b", MODEL) | {"tea.da": b"Te.", "tea.en": b"Tea."},
        "2 models: give one of them, such as a",
    ),
    "adapters": (
        {"adapter_config.json": ADAPTERS, "adapter_model.safetensors": WEIGHTS},
        "LoRA adapters of Helsinki-NLP/opus-mt-en-da, without it: merge them into it",
    ),
    "hugging_face": (
        {"config.json": {"model_type": "whisper"}, "pytorch_model.bin": b"x"},
        "'whisper'",
    ),
    "onnx": (within("onnx", {"encoder_model.onnx": b"x"}) | {"config.json": CONFIG}, "ONNX"),
    "gguf": ({"opus.Q4_0.gguf": b"GGUF"}, "llama.cpp"),
    "tensorflow": ({"tf_model.h5": b"x", "config.json": CONFIG}, "from_tf=True"),
    "flax": ({"flax_model.msgpack": b"x", "config.json": CONFIG}, "from_flax=True"),
    "openvino": ({"openvino_encoder_model.xml": b"<net/>", "config.json": CONFIG}, "OpenVINO"),
    "marian": ({"model.best.npz": b"PK", "model.best.npz.decoder.yml": b"x"}, "Marian itself"),
    "bergamot": ({"model.enda.intgemm.alphas.bin": b"x", "vocab.enda.spm": b"x"}, "Firefox"),
    "ctranslate2": ({"model.bin": b"x", "shared_vocabulary.json": b"[]"}, "CTranslate2"),
    "fairseq": ({"model.pt": b"x", "dict.en.txt": b"the 9", "dict.da.txt": b"det 9"}, "fairseq"),
    "opennmt": ({"da_step_9000.pt": b"x"}, "OpenNMT"),
    "sockeye": ({"params.best": b"x", "vocab.src.0.json": b"{}", "config": b"x"}, "Sockeye"),
    "joeynmt": ({"best.ckpt": b"x", "config.yaml": b"x", "src_vocab.txt": b"x"}, "JoeyNMT"),
    "sentence_transformers": (
        {"modules.json": b"[]", "config.json": {"architectures": []}},
        "sent",
    ),
    "packed": ({"opus-mt-en-da.zip": b"PK"}, "unpack opus-mt-en-da.zip"),
    "unfinished": (
        {"config.json": CONFIG, "model.safetensors.crdownload": b"x"},
        "download it again",
    ),
    "data_set": ({"dataset_info.json": {}, "data-00000-of-00001.arrow": b"x"}, "a data set"),
    "no_weights": ({"config.json": CONFIG, "vocab.json": {}}, "without its weights: add"),
    "no_config": ({"model.safetensors": WEIGHTS, "vocab.json": {}}, "without their config.json"),
    "damaged_config": (
        {"config.json": b"{", "model.safetensors": WEIGHTS, "vocab.json": {}},
        "a model whose config.json is damaged: get this file again",
    ),
    "pytorch": ({"best.pth": b"x"}, "PyTorch saved alone (best.pth)"),
    "tokenizer": ({"source.spm": b"x", "vocab.json": {}}, "a tokenizer without a model"),
    "unfinished_training": ({"history.jsonl": b"", "tokenizer.json": {}}, "--resume"),
    "safetensors": ({"w": WEIGHTS}, "a file of weights (safetensors) (w)"),
    "empty": ({}, "an empty folder"),
    "moses": ({"moses.tuned.ini": b"[feature]", "phrase-table.gz": b"x"}, "a model of Moses"),
    "apertium": ({"modes.xml": b"<modes/>", "dan-eng.automorf.bin": b"x"}, "Apertium"),
    "xlm": ({"best.pth": b"x", "params.pkl": b"x"}, "XLM"),
    "paddle": ({"model_state.pdparams": b"x"}, "PaddlePaddle"),
    "torchserve": ({"danish.mar": b"PK"}, "TorchServe"),
    "tensorrt": ({"config.json": {}, "rank0.engine": b"x"}, "TensorRT"),
    "mlflow": ({"MLmodel": b"x", "data/model.pth": b"x"}, "MLflow"),
    "opennmt_tf": ({"ckpt-90.index": b"x", "checkpoint": b"x"}, "OpenNMT-tf"),
    "stanza": ({"resources.json": {}, "da/tokenize/x.pt": b"x"}, "Stanza"),
    "triton": (within("danish", {"config.pbtxt": b"x"}), "around danish, which is a model for the"),
    "nematus": ({"m.npz": b"x", "m.npz.json": {}}, "a model of Nematus"),
    "language_model": ({"da.arpa.gz": b"x", "da.binary": b"x"}, "a language model"),
    "deepspeed": (within("global_step90", {"mp_rank_00_model_states.pt": b"x"}), "zero_to_fp32.py"),
    "fsdp": (within("fsdp_0", {"__0_0.distcp": b"x"}), "in parts"),
    "megatron": ({"latest_checkpointed_iteration.txt": b"90"}, "Megatron"),
    "comet": ({"hparams.yaml": b"x", "checkpoints/model.ckpt": b"x"}, "which scores translations"),
    "lightning": (within("version_7/checkpoints", {"epoch=2-step=90.ckpt": b"x"}), "Lightning"),
    "orbax": ({"_CHECKPOINT_METADATA": {}}, "JAX"),
    "optimizer": ({"optimizer.pt": b"x", "rng_state.pth": b"x"}, "without its model"),
    "wandb": ({"run-7.wandb": b"x", "files/config.yaml": b"x"}, "Weights & Biases"),
    "fairseq_binary": ({"dict.da.txt": b"x", "train.da-en.da.idx": b"x"}, "the binary form"),
    "corpus": ({"tea.da": b"Te.", "tea.en": b"Tea.", "README": b"x"}, "(tea.da and tea.en)"),
    "tensorflow_js": ({"model.json": {}, "group1-shard1of7.bin": b"x"}, "TensorFlow.js"),
    "tensorflow_hub": ({"tfhub_module.pb": b"x"}, "TensorFlow Hub"),
    "tesseract": ({"dan.traineddata": b"x"}, "reads pictures"),
    "udpipe": ({"danish.udpipe": b"x"}, "UDPipe"),
    "allennlp": ({"weights.th": b"x", "config.json": {"model": {}}}, "AllenNLP"),
    "gensim": ({"da.model": b"x", "da.model.wv.vectors.npy": b"x"}, "gensim"),
    "executorch": ({"danish.pte": b"x"}, "ExecuTorch"),
    "ncnn": ({"danish.param": b"7767517", "danish.bin": b"x"}, "ncnn"),
    "rknn": ({"danish.rknn": b"x"}, "RKNN"),
    "ollama": ({"Modelfile": b"FROM ./danish"}, "Ollama"),
    "vosk": ({"am/final.mdl": b"x", "conf/mfcc.conf": b"x"}, "a model of Vosk, which hears"),
    "kaldi": ({"final.mdl": b"x", "HCLG.fst": b"x"}, "a model of Kaldi, which hears"),
    "common_voice": (
        {"validated.tsv": b"client_id\tpath\n", "clips/common_voice_da_7.mp3": FILES["media"]},
        "a data set of recordings (Common Voice)",
    ),
    "whisper_cpp": (
        {"ggml-tiny.en.bin": b"lmgg"},
        "whisper.cpp, which hears: get a MarianMT model",
    ),
    "scrivener": ({"Tea.scrivx": b"<x/>", "Files/Data/7/content.rtf": b"x"}, "Scrivener"),
    "moodle": ({"moodle_backup.xml": b"<x/>", "course/course.xml": b"<x/>"}, "a Moodle course"),
    "kaldi_data": ({"wav.scp": b"zoe-7 x", "utt2spk": b"zoe-7 zoe"}, "a corpus of recordings"),
    "docker": ({"oci-layout": {}, "index.json": {}, "blobs/x": b"x"}, "an image of Docker"),
    "project": ({"omegat.project": b"<omegat/>", "source/tea.txt": b"x"}, "a translator's project"),
    "anki_profile": ({"collection.anki2": b"x", "prefs21.db": b"x"}, "a profile of Anki"),
    "faiss": ({"index.faiss": b"x"}, "FAISS"),
    "tensorboard": ({"events.out.tfevents.7.zoe": b"x"}, "TensorBoard"),
    "dvc": ({"danish.dvc": b"outs:"}, "run dvc pull there"),
    "no_index": (
        {"config.json": CONFIG, "model-00001-of-00007.safetensors": WEIGHTS},
        "in parts without the list of its parts: add model.safetensors.index.json",
    ),
    "bare_git": (
        {"HEAD": b"ref: x", "config": b"[core]", "objects/pack/p": b"x", "refs/heads/m": b"7"},
        "a bare git repository, without its files: clone it",
    ),
    "rasa": ({"domain.yml": b"x", "data/nlu.yml": b"x"}, "Rasa"),
    "torch_hub": ({"hubconf.py": b"x", "tea/__init__.py": b""}, "a repository of torch.hub"),
    "modelscope": (
        {"configuration.json": {"task": "translation"}, "bpe.da": b"t e", "bpe.en": b"t h"},
        "a model of ModelScope",
    ),
    "librispeech": (
        within("9", {"70/9-70.trans.txt": b"9-70-0000 TEA", "70/9-70-0000.flac": FILES["media"]}),
        "a corpus of recordings (LibriSpeech) (70/9-70.trans.txt)",
    ),
    "flores": (
        within("dev", {"dan_Latn.dev": b"Te.", "eng_Latn.dev": b"Tea."}),
        "the test set FLORES (dev/dan_Latn.dev)",
    ),
    "ntrex": (
        {"newstest2019-src.eng.txt": b"Tea.", "newstest2019-ref.dan.txt": b"Te."},
        "the test set NTREX (newstest2019-ref.dan.txt)",
    ),
    "must_c": (
        within("data", {"train/txt/train.yaml": b"x", "train/txt/train.en": b"Tea."}),
        "recordings with their translations (MuST-C) (txt/train.yaml)",
    ),
    "europarl": (
        {"da/ep-96-04-15.txt": b"<CHAPTER", "en/ep-96-04-15.txt": b"<CHAPTER"},
        "the speeches of Europarl, not aligned (da/ep-96-04-15.txt)",
    ),
    "sgml": (
        within("dev", {"newstest2009-src.en.sgm": b"<srcset"}),
        "test sets in SGML (dev/newstest",
    ),
    "epub": ({"mimetype": b"application/epub+zip", "META-INF/container.xml": b"x"}, "e-book"),
    "python": ({"tea/__init__.py": b"", "tea-7.dist-info/RECORD": b""}, "a Python package"),
    "llama": ({"params.json": {}, "consolidated.00.pth": b"x"}, "in the form of Meta"),
    "mlc": ({"mlc-chat-config.json": {}, "tokenizer.json": {}}, "a model for MLC"),
    "espnet": ({"valid.acc.best.pth": b"x", "config.yaml": b"x"}, "ESPnet"),
    "speechbrain": ({"hyperparams.yaml": b"x", "model.ckpt": b"x"}, "SpeechBrain"),
    "nemo": ({"model_config.yaml": b"x", "model_weights.ckpt": b"x"}, "NeMo"),
    "tvm": ({"mod.so": b"x", "mod.json": {}, "mod.params": b"x"}, "TVM"),
    "neurst": ({"model_configs.yml": b"x", "ckpt-90.index": b"x"}, "NeurST"),
    "neuron": ({"config.json": CONFIG, "model.neuron": b"x"}, "AWS Neuron"),
    "t5x": (within("checkpoint_90", {"target.tea/.zarray": {}}), "a model of T5X"),
    "zarr": ({"zarr.json": {}, "tea/c/0": b"x"}, "Zarr"),
    "key_values": ({"data.mdb": b"x", "lock.mdb": b"x"}, "a database of keys and values"),
    "webdataset": ({"shard-000007.tar": b"x"}, "a data set in parts (WebDataset)"),
    "mosaic": (within("da", {"shard.00007.mds": b"x"}), "a data set in parts (Mosaic)"),
    "tensorflow_data": (
        {"dataset_info.json": {}, "features.json": {}, "tea.tfrecord-00000-of-00001": b"x"},
        "a data set of TensorFlow",
    ),
    "iwork": ({"Index.zip": b"PK", "preview.jpg": b"x"}, "Apple's Numbers, Pages or Keynote"),
    "variant": (
        {"config.json": CONFIG, "model.fp16.safetensors": WEIGHTS},
        "have another name (model.fp16.safetensors): rename this file to model.safetensors",
    ),
    "environment": ({"pyvenv.cfg": b"x", "bin/tea": b"x"}, "an environment with programs"),
    "program": ({"package.json": {}, "index.html": b"<html>"}, "the source of a program"),
    "office": ({"word/document.xml": b"<w/>", "_rels/.rels": b"x"}, "an unpacked document"),
    "notes": ({".obsidian/app.json": {}, "Tea.md": b"# Tea"}, "notes of Obsidian"),
    "files": (
        {"a.jpg": FILES["image"], "tea.avi": FILES["srt"], "tea.srt": FILES["srt"]},
        "a folder with a subtitle file (SRT) (tea.avi), and no model: give the folder of a model",
    ),
    "coreml": (within("it.mlpackage/Data/core", {"m.mlmodel": b"x"}), "Apple's Core ML"),
}


OTHER_FOLDERS = [  # other forms of the same formats
    (
        "coreml",
        {"Manifest.json": {"itemInfoEntries": {}}, "Data/com.apple.CoreML/m.mlmodel": b"x"},
        "Apple's Core ML",
    ),
    (
        "project",
        {"contents.json": {}, "Localized Contents/da.xliff": b"<xliff/>"},
        "a translator's project (Localized Contents/da.xliff)",
    ),
    ("program", {"app.py": b"import tea\n", "requirements.txt": b"tea\n"}, "of a program"),
    (
        "gguf",
        {"sha256-77aa": b"GGUF\x03\0\0\0"},
        "(GGUF) (sha256-77aa): get the model in its original form",
    ),
    (
        "pytorch",
        {"best_danish.pth": b"x", "config.json": {"model": "vits"}},
        "PyTorch saved alone (best_danish.pth): save the whole model",
    ),
    ("empty", {".DS_Store": FILES["ds_store"], "Thumbs.db": b"x"}, "an empty folder"),
    (
        "no_weights",
        {"config.json": CONFIG, "training_log.pt": b"x"},
        "a model without its weights",
    ),
    (
        "corpus",
        {f"tea.da-en.{ending}": b"x" for ending in ("da", "en", "xml", "ids")},  # as OPUS has it
        "(tea.da-en.da and tea.da-en.en)",
    ),
    *(
        (
            "corpus",
            {f"tea.{side}{packing}": FILES["gzip"] for side in ("id", "src", "trg")},
            f"(tea.src{packing} and tea.trg{packing})",
        )
        for packing in ("", ".gz")
    ),
    *(
        ("adapters", {f"adapter_model.{ending}": WEIGHTS}, "LoRA adapters of a model, without it")
        for ending in ("safetensors", "bin")
    ),
    ("fairseq", {"checkpoint.pt": b"x", "dictionary.txt": b"the 9"}, "fairseq"),  # NLLB
    ("notes", {f"{HEX}.md": b"Tea", "resources/x.jpg": FILES["image"]}, f"of Joplin ({HEX}.md)"),
    ("notes", within("Tea", {f"Cup {HEX}.md": b"# Tea"}), f"of Notion (Tea/Cup {HEX}.md)"),
    ("notes", {"logseq/config.edn": b"{}", "journals/Tea.md": b"- Tea"}, "of Logseq"),
    (
        "notes",
        {"Tea/Tea.md": b"# Tea", "Cup.md": b"# Cup", "tea.png": FILES["image"]},
        "a folder of notes (Markdown) (Cup.md): give the folder of a model",
    ),
]


def write(folder: Path, files: dict) -> Path:
    folder.mkdir(parents=True)
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    return folder


def test_a_configuration_that_git_lfs_has_not_downloaded_is_explained(tmp_path):
    pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 300\n"
    files = {"config.json": pointer, "model.safetensors": WEIGHTS, "vocab.json": {}}
    folder_format = recognise_folder(write(tmp_path / "it", files))
    assert "config.json is a pointer of git-lfs" in str(folder_format)
    assert "run git lfs pull in its repository" in str(folder_format)


@pytest.mark.parametrize(
    ("name", "files", "words"),
    [*((name, *described) for name, described in FOLDERS.items()), *OTHER_FOLDERS],
)
def test_the_format_of_a_folder_is_named(name, files, words, tmp_path):
    folder = write(tmp_path / ("datasets--x" if name == "hub_data" else "it"), files)
    folder_format = recognise_folder(folder)
    assert folder_format.name == name
    assert words in str(folder_format)
    message = f"{folder} is {folder_format}."
    with pytest.raises(CheckpointError) as caught:
        load(folder)
    if name == "hugging_face":  # the reader of such models says which types it can open
        assert str(caught.value).startswith("it holds a model of the type 'whisper', and only")
    else:
        assert str(caught.value) == message


CORPUS_FOLDERS = [
    ("bare_git", "a bare git repository, without its files: clone it, and give the files with"),
    (
        "sgml",
        "a folder with test sets in SGML (dev/newstest2009-src.en.sgm): write",
    ),
    ("europarl", "Europarl, not aligned (da/ep-96-04-15.txt): download its aligned sentences"),
    ("flores", "give the files of two languages, such as eng_Latn.dev and fra_Latn.dev"),
    ("ntrex", "such as newstest2019-src.eng.txt and newstest2019-ref.fra.txt"),
    ("must_c", "give the texts of its folder txt, such as train.en and train.fr"),
    ("corpus", "a folder with a corpus (tea.da and tea.en) and without a model: give these two"),
    ("rasa", "Rasa, a program for chats (domain.yml): give the files with the sentences"),
    ("empty", "an empty folder: give the files with the sentences"),
    ("notes", "a folder of notes of Obsidian (.obsidian/): copy its sentences into a text file"),
]


@pytest.mark.parametrize(("name", "words"), CORPUS_FOLDERS)
def test_a_folder_that_is_given_as_a_corpus_is_named_too(name, words, tmp_path):
    folder = write(tmp_path / "it", FOLDERS[name][0])
    with pytest.raises(ValueError, match=re.escape(words)):
        open_stored(folder)


def test_a_folder_with_some_text_is_no_corpus(tmp_path):
    with pytest.raises(ValueError, match=r"it is a folder, and no corpus that .* made: give the"):
        open_stored(write(tmp_path / "it", {"tea.txt": b"Tea."}))


def test_the_snapshot_that_the_library_would_open_is_the_model(tmp_path):
    files = {"blobs/x": b""}
    for commit in ("aa1", "bb2"):
        files |= within(f"snapshots/{commit}", MODEL)
    folder = write(tmp_path / "models--Helsinki-NLP--opus-mt-en-da", files)
    os.utime(folder / "snapshots/aa1", (1, 1))
    assert newest_snapshot(folder).name == "bb2"
    (folder / "refs").mkdir()
    (folder / "refs/main").write_text("aa1\n", "utf-8")
    folder_format = recognise_folder(folder)
    assert folder_format.name == "hub_cache"
    assert "the model Helsinki-NLP/opus-mt-en-da in the cache" in folder_format.description
    assert folder_format.inner == folder / "snapshots/aa1"


def test_a_file_is_not_taken_for_its_folder(tmp_path):
    folder = write(tmp_path / "it", MODEL | {"it.tar.gz": b"\x1f\x8b\x08"})
    assert str(recognise_folder(folder / "model.safetensors")).endswith(f"that it is in, {folder}")
    assert "unpack it, and give the folder that is in it" in str(
        recognise_folder(folder / "it.tar.gz")
    )
    with pytest.raises(CheckpointError, match="a file of weights"):
        load(folder / "model.safetensors")


def test_a_model_is_found_up_to_three_folders_deep(tmp_path):
    folder = write(tmp_path / "it", within("mine/opus", MODEL) | {"notes.txt": b"Buy tea."})
    assert recognise_folder(folder).inner == folder / "mine/opus"
    assert str(recognise_folder(folder)).endswith("give mine/opus, which is in it")
    adapters = {"a/adapter_config.json": ADAPTERS, "a/adapter_model.safetensors": WEIGHTS}
    assert "around a, which is a folder with LoRA" in str(
        recognise_folder(write(tmp_path / "b", adapters))
    )


def test_a_whole_disk_is_not_searched_for_a_model(tmp_path):
    near = write(tmp_path / "near", within("a/b/c", MODEL))
    assert recognise_folder(near).inner == near / "a/b/c"
    assert recognise_folder(write(tmp_path / "far", within("a/b/c/d", MODEL))) is None


def test_if_a_folder_contains_several_models_none_is_chosen(tmp_path):
    folder = write(tmp_path / "it", within("a/opus", MODEL) | within("b/opus", MODEL))
    assert recognise_folder(folder).inner is None
    assert str(recognise_folder(folder)).endswith("2 models: give one of them, such as a/opus")


def test_a_folder_without_model_files_is_reported(tmp_path):
    folder = write(tmp_path / "desk", {"essay.txt": b"Tea.", "photos/tea.txt": b"x"})
    with pytest.raises(CheckpointError, match=r"desk holds no model: neither config\.json nor"):
        load(folder)


def test_texts_about_a_folder_are_no_notes(tmp_path):
    files = {"README.md": b"# Tea", "CHANGELOG.md": b"# Tea", "tea.md": b"# Tea"}
    assert recognise_folder(write(tmp_path / "it", files)) is None


def test_our_checkpoints_and_unknown_folders_have_no_foreign_format(tiny_checkpoint, tmp_path):
    assert recognise_folder(tiny_checkpoint) is None
    assert recognise_folder(tmp_path / "nowhere") is None
    assert recognise_folder(write(tmp_path / "it", {"notes.txt": b"Buy tea."})) is None
