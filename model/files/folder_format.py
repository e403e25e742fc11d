"""Recognise the format of a folder that is not a checkpoint of this project.

People download or train models in many forms. An error message can say first which form it is, and
then the one thing to do. The names of files decide, because each of these programs looks for its
own files by name; where any name is allowed, their content does (``model.files.file_format``).
"""

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from model.files.file_format import recognise
from model.files.format_table import FileFormat
from model.files.regular_file import exists, is_folder, is_regular

_MAX_ENTRIES = 1000  # names that are read in a folder
_MAX_INSPECTED_FILES = 30  # files of a folder whose content is read
_MAX_INSPECTED_FOLDERS = 5  # in each folder
_MAX_DEPTH = 2  # levels of folders in folders that are inspected
_SIDE = r"[a-z]{2,3}(?:[-_]\w{2,4})?"  # the language at the end of a file's name
# Endings of file names that look like a language, but are none.
_NO_LANGUAGES = {"txt", "tsv", "csv", "md", "py", "js", "css", "sh", "log", "pdf", "png"}
_NO_LANGUAGES |= {"xml", "ids", "sgm", "gz", "bz2", "xz", "zip"}
# Formats of files that lie in folders of every kind
_NAMES_NO_FOLDER = ("apple_double", "ds_store", "settings", "binary")
_BESIDE = r"\.DS_Store|\._.*|desktop\.ini|Thumbs\.db"  # files that a system adds to a folder
_PACKINGS = ("gzip", "bzip2", "xz")  # in which one side of a corpus may be
_MAX_CONFIG_BYTES = 1_000_000
_MIN_NOTES = 2  # files of Markdown; a single one may be about the folder
_ABOUT_A_FOLDER = r"[A-Z_]+\.md"  # such as README.md, CHANGELOG.md
_GET_MARIAN = "get a MarianMT model of the Hugging Face Hub, such as Helsinki-NLP/opus-mt-en-fr"
_GIVE_MODEL = "give the folder of a model"
_GIVE_FILES = "give the files with the sentences"
_WEIGHTS = ("model.safetensors", "pytorch_model.bin")
_INDEXES = tuple(f"{name}.index.json" for name in _WEIGHTS)


@dataclass(frozen=True)
class FolderFormat:
    """The format of a folder, and what the user can do to make it usable."""

    name: str  # such as "hub_cache"
    description: str  # with its article, such as "LoRA adapters of a model"
    remedy: str  # in the imperative
    inner: Path | None = None  # the folder in it that holds the whole model, if there is one
    corpus_remedy: str = _GIVE_FILES  # if it was given as a corpus

    def __str__(self) -> str:
        """Return the end of a sentence that begins with "it is": the format, then the remedy."""
        return f"{self.description}: {self.remedy}"


@dataclass(frozen=True)
class _Listing:
    """A folder with the names of its files and folders."""

    path: Path
    files: Sequence[str]
    folders: Sequence[str]

    def names(self, pattern: str) -> list[str]:
        """Return the names of files that match a regular expression, in their order."""
        return [name for name in self.files if re.fullmatch(pattern, name, re.IGNORECASE)]

    def has(self, *names: str) -> bool:
        """Return whether the folder contains all these files."""
        return set(names) <= set(self.files)


def recognise_folder(path: str | Path, depth: int = _MAX_DEPTH) -> FolderFormat | None:
    """Return the format of a folder; None for our own checkpoints and unknown formats.

    The format of a folder of Hugging Face with configuration and weights is named "hugging_face".
    For a folder around exactly one such folder, or around several stages of its training, ``inner``
    is the folder to open.

    Args:
        path: of the folder. A file is recognised, too: people give the weights alone.
        depth: how many levels of folders in it are inspected, too, if its own files do not show a
            format.
    """
    path = Path(path)
    if is_regular(path):
        return _format_of_file(path)
    listing = _list(path)
    if listing is None or "architecture" in _read_json(path / "config.json"):
        return None
    for recogniser in _RECOGNISERS:
        if folder_format := recogniser(listing):
            return folder_format
    return _inside(listing, depth - 1) if depth else None


def folder_as_corpus(path: Path) -> str:
    """Return the end of a sentence about a folder that was given as a corpus: "it is ..."."""
    folder_format = recognise_folder(path)
    if folder_format is None:
        return f"a folder, and no corpus that python -m model.store_corpus made: {_GIVE_FILES}"
    return f"{folder_format.description}: {folder_format.corpus_remedy}"


def newest_snapshot(path: Path) -> Path | None:
    """Return the cached snapshot folder that the Hugging Face library would open; None if none.

    Args:
        path: the folder ``models--OWNER--NAME``.
    """
    snapshots = path / "snapshots"
    try:
        commit = (path / "refs" / "main").read_text("utf-8").strip()
    except (OSError, ValueError):
        commit = ""
    if re.fullmatch(r"[0-9a-f]+", commit) and is_folder(snapshots / commit):
        return snapshots / commit
    folders = [folder for folder in _folders(snapshots) if os.listdir(folder)]
    return max(folders, key=lambda folder: folder.stat().st_mtime, default=None)


def _list(path: Path) -> _Listing | None:
    """Return the names in a folder; None if it cannot be read."""
    try:
        with os.scandir(path) as entries:
            names = sorted(entry.name for entry in islice(entries, _MAX_ENTRIES))
    except OSError:
        return None
    files = [name for name in names if is_regular(path / name)]
    folders = [name for name in names if is_folder(path / name)]
    return _Listing(path, files, folders)


def _folders(path: Path) -> list[Path]:
    listing = _list(path)
    return [] if listing is None else [path / name for name in listing.folders]


def _read_json(path: Path) -> dict[str, Any]:
    """Return the values of a JSON file; {} if it is unreadable or not an object."""
    try:
        if not is_regular(path) or path.stat().st_size > _MAX_CONFIG_BYTES:
            return {}
        values = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return values if isinstance(values, dict) else {}


def _is_whole(path: Path) -> bool:
    """Return whether a folder has a configuration and weights in the format of Hugging Face."""
    names = (*_WEIGHTS, *_INDEXES)
    return exists(path / "config.json") and any(exists(path / name) for name in names)


# Folders that contain models


def _hub_cache(listing: _Listing) -> FolderFormat | None:
    """Recognise the cache of Hugging Face: one model or data set in it, or all of it."""
    path = listing.path
    if path.name.startswith("datasets--") and "snapshots" in listing.folders:
        return FolderFormat("hub_data", "a data set in the Hugging Face cache", "give a model")
    if "snapshots" in listing.folders and ("blobs" in listing.folders or "refs" in listing.folders):
        name = path.name.removeprefix("models--").replace("--", "/")
        description = f"the model {name} in the cache of Hugging Face"
        snapshot = newest_snapshot(path)
        if snapshot and _is_whole(snapshot):
            return FolderFormat("hub_cache", description, f"give {snapshot}", snapshot)
        description = f"an unfinished download of {name} in the cache of Hugging Face"
        return FolderFormat("hub_unfinished", description, "download it again")
    models = [name for name in listing.folders if name.startswith("models--")]
    hub = path / "hub"
    if not models and path.name == "huggingface" and is_folder(hub):
        models = [f"hub/{folder.name}" for folder in _folders(hub) if "models--" in folder.name]
    if models:
        description = f"the cache of Hugging Face with {_count(models, 'model')}"
        return FolderFormat("hub_caches", description, f"give one of them, such as {models[0]}")
    return None


def _training_output(listing: _Listing) -> FolderFormat | None:
    """Recognise the output of the Hugging Face Trainer: folders such as checkpoint-500."""
    steps = {name: re.fullmatch(r"checkpoint-(\d+)", name) for name in listing.folders}
    numbered = sorted((int(match[1]), name) for name, match in steps.items() if match)
    if not numbered or _is_whole(listing.path):
        return None
    last = numbered[-1][1]
    description = f"the output of a training with {_count(numbered, 'saved step')}"
    inner = listing.path / last
    return FolderFormat(
        "trainer_output",
        description,
        f"give {last}, which is in it",
        inner if _is_whole(inner) else None,
    )


def _around(listing: _Listing) -> FolderFormat | None:
    """Recognise a folder without a model of its own that contains folders with models."""
    inner = [name for name in listing.folders if _is_whole(listing.path / name)]
    if len(inner) == 1 and not _has_weights(listing):
        name = inner[0]
        description = "a folder around a model"
        return FolderFormat(
            "around", description, f"give {name}, which is in it", listing.path / name
        )
    if len(inner) > 1 and not _has_weights(listing):
        description = f"a folder with {len(inner)} models"
        return FolderFormat("several", description, f"give one of them, such as {inner[0]}")
    return None


def _count(items: Sequence[object], noun: str) -> str:
    return f"1 {noun}" if len(items) == 1 else f"{len(items)} {noun}s"


def _has_weights(listing: _Listing) -> bool:
    return any(name in listing.files for name in (*_WEIGHTS, *_INDEXES))


# Models in the format of Hugging Face


def _adapters(listing: _Listing) -> FolderFormat | None:
    """Recognise adapters, such as LoRA, which lack the model that they change."""
    if not listing.names(r"adapter_config\.json|adapter_model\.(?:safetensors|bin)"):
        return None
    config = _read_json(listing.path / "adapter_config.json")
    base = config.get("base_model_name_or_path")
    method = str(config.get("peft_type") or "LoRA")
    method = "LoRA" if method.upper() == "LORA" else method[:30]
    known = isinstance(base, str) and re.fullmatch(r"[\w.-]+/[\w.-]+", base)
    description = f"a folder with {method} adapters of {base if known else 'a model'}, without it"
    return FolderFormat(
        "adapters", description, "merge them into it with merge_and_unload(), and save the result"
    )


def _hugging_face(listing: _Listing) -> FolderFormat | None:
    """Recognise a folder with weights and a configuration of the library transformers."""
    config = _read_json(listing.path / "config.json")
    model_type = config.get("model_type")
    if not isinstance(model_type, str):
        return None
    if _has_weights(listing):
        description = f"a model of Hugging Face of type {model_type[:30]!r}"
        return FolderFormat("hugging_face", description, _GET_MARIAN, listing.path)
    return None


def _other_weights(listing: _Listing) -> FolderFormat | None:
    """Recognise weights of another library, often beside a configuration."""
    folders = set(listing.folders)
    nested = [
        f"{folder}/{name}" for folder in listing.folders for name in _names_in(listing, folder)
    ]
    for name, description, pattern in _WEIGHT_FILES:
        matched = listing.names(pattern)
        matched += [path for path in nested if re.fullmatch(pattern, path.split("/")[-1])]
        if matched:
            return FolderFormat(name, description, _remedy_of(name))
    if listing.has("Manifest.json") and "Data" in folders:
        return FolderFormat("coreml", "a model for Apple's Core ML", _remedy_of("coreml"))
    if "saved_model" in folders or listing.has("saved_model.pb"):
        return FolderFormat("tensorflow", "a TensorFlow model", _remedy_of("tensorflow"))
    return None


def _names_in(listing: _Listing, folder: str) -> Sequence[str]:
    """Return the names of the files in one of the listed folders."""
    inner = _list(listing.path / folder)
    return [] if inner is None else inner.files


_WEIGHT_FILES = (  # name, description, regular expression of a file's name
    ("onnx", "a model in the format ONNX", r".*\.onnx(?:_data)?"),
    ("gguf", "a model for llama.cpp (GGUF)", r".*\.gguf|ggml-.*\.bin"),
    ("openvino", "a model for OpenVINO", r"openvino.*\.(?:xml|bin)"),
    ("coreml", "a model for Apple's Core ML", r".*\.mlmodelc?"),
    ("tflite", "a model for TensorFlow Lite", r".*\.tflite"),
    ("rust", "a model for the library rust-bert", r"rust_model\.ot"),
    (
        "tensorflow",
        "a TensorFlow model",
        r"tf_model\.h5|.*\.ckpt[-.\w]*\.(?:index|meta)",
    ),
    ("keras", "a Keras model", r".*\.keras|.*\.weights\.h5|keras_metadata\.pb"),
    ("flax", "a Flax model", r"flax_model(?:-\d.*)?\.msgpack"),
    ("neuron", "a model for AWS Neuron", r".*\.neuron"),
)


def _remedy_of(name: str) -> str:
    """Return the remedy for weights of another library; transformers can convert some formats."""
    if name in ("tensorflow", "flax"):
        keyword = "from_tf" if name == "tensorflow" else "from_flax"
        return f"open it with the library transformers ({keyword}=True), and save it"
    return "get the model in its original form, with safetensors"


# Models of other libraries


def _native_marian(listing: _Listing) -> FolderFormat | None:
    """Recognise a model in Marian's own format."""
    weights = listing.names(r".*\.npz")
    settings = listing.names(r"(?:.*\.)?(?:decoder|vocab\w*)\.yml")
    if not weights and not listing.has("decoder.yml"):
        return None
    if not settings and not any(re.match(r"model|opus", name) for name in weights):
        return None
    return FolderFormat(
        "marian",
        "a model of Marian itself (.npz, .yml)",
        "convert it with convert_marian_to_pytorch.py of the library transformers",
    )


def _other_library(listing: _Listing) -> FolderFormat | None:
    """Recognise a model by the names of its files, see ``_LIBRARIES``."""
    for name, description, patterns in _LIBRARIES:
        if all(listing.names(pattern) for pattern in patterns):
            return FolderFormat(name, description, _GET_MARIAN)
    return None


_LIBRARIES = (  # name, description, regular expressions that each match a file
    ("bergamot", "a model of Firefox Translations", (r".*\.intgemm\S*\.bin(?:\.\w+)?",)),
    ("argos", "a package of Argos Translate", (r"metadata\.json", r"(?:README\.md|.*\.model)")),
    ("ctranslate2", "a model for CTranslate2", (r"model\.bin", r"\w*vocabulary\.(?:json|txt)")),
    ("fairseq", "a model of fairseq", (r".*\.pt", r"dict(?:\..+|ionary)\.txt")),
    ("opennmt", "a model of OpenNMT", (r".*_step_\d+\.pt",)),
    ("sockeye", "a model of Sockeye", (r"params\.(?:best|\d+)", r"vocab\.src\.\d+\.json")),
    ("joeynmt", "a model of JoeyNMT", (r".*\.ckpt", r"config\.ya?ml")),
    ("tensor2tensor", "a model of Tensor2Tensor", (r"hparams\.json", r"model\.ckpt.*")),
    ("sentence_transformers", "a model of sentence-transformers", (r"modules\.json",)),
    ("diffusers", "a pipeline of diffusers", (r"model_index\.json",)),
    ("spacy", "a pipeline of spaCy", (r"meta\.json", r"config\.cfg")),
    ("nemo", "a model of NeMo", (r".*\.nemo",)),
    ("fasttext", "a model of fastText", (r".*\.ftz|lid\.176\.bin",)),
    ("mlx", "a model for MLX", (r"weights\.npz", r"config\.json")),
    ("moses", "a model of Moses", (r"moses.*\.ini",)),
    ("apertium", "a translator of Apertium", (r"modes\.xml",)),
    ("xlm", "a model of XLM", (r".*\.pth", r"params\.pkl")),
    ("paddle", "a model for PaddlePaddle", (r".*\.pdparams",)),
    ("torchserve", "a model for TorchServe", (r".*\.mar",)),
    ("tensorrt", "a model for TensorRT", (r".*\.(?:engine|plan)",)),
    ("mlflow", "a model in the form of MLflow", (r"MLmodel",)),
    ("neurst", "a model of NeurST", (r"model_configs\.yml",)),
    ("opennmt_tf", "a model of OpenNMT-tf", (r"ckpt-\d+\.index",)),
    ("stanza", "a collection of models of Stanza", (r"resources\.json",)),
    ("triton", "a model for the Triton server", (r"config\.pbtxt",)),
    ("nematus", "a model of Nematus", (r".*\.npz", r".*\.npz\.(?:progress\.)?json")),
    ("language_model", "a language model (ARPA)", (r".*\.arpa(?:\.gz)?",)),
    ("tensorflow_js", "a model for TensorFlow.js", (r"model\.json", r"group\d+-shard\d+of\d+.*")),
    ("tensorflow_hub", "a module of TensorFlow Hub", (r"tfhub_module\.pb",)),
    ("tesseract", "a model of Tesseract, which reads pictures", (r".*\.traineddata",)),
    ("udpipe", "a model of UDPipe", (r".*\.udpipe",)),
    ("allennlp", "a model of AllenNLP", (r"weights\.th",)),
    ("gensim", "word vectors of gensim", (r".*\.vectors\.npy",)),
    ("executorch", "a model for ExecuTorch", (r".*\.pte",)),
    ("ncnn", "a model for ncnn", (r".*\.param", r".*\.bin")),
    ("rknn", "a model for RKNN", (r".*\.rknn",)),
    ("ollama", "a recipe for Ollama, without the model", (r"Modelfile",)),
    ("llama", "a Llama model in the form of Meta", (r"params\.json", r"consolidated.*\.pth")),
    ("mlc", "a model for MLC", (r"mlc-chat-config\.json",)),
    ("espnet", "a model of ESPnet", (r"valid\..+\.pth", r"config\.yaml")),
    ("speechbrain", "a model of SpeechBrain", (r"hyperparams\.yaml", r".*\.ckpt")),
    ("nemo", "a model of NeMo", (r"model_config\.yaml", r"model_weights\.ckpt")),
    ("tvm", "a model for TVM", (r".*\.so", r".*\.params")),
    ("torch_hub", "a repository of torch.hub", (r"hubconf\.py",)),
    ("modelscope", "a model of ModelScope", (r"configuration\.json",)),
    (
        "whisper_cpp",
        "a model for whisper.cpp, which hears",
        (r"ggml-(?:tiny|base|small|medium|large).*\.bin",),
    ),
)


# Intermediate results of training runs


def _training_steps(listing: _Listing) -> FolderFormat | None:
    """Recognise intermediate results of training programs: partial weights, optimizers, logs."""
    if _has_weights(listing):
        return None
    nested = [
        f"{folder}/{file}" for folder in listing.folders for file in _names_in(listing, folder)
    ]
    for name, description, pattern, remedy in _TRAINING_STEPS:
        for path in (*listing.files, *nested):
            if re.fullmatch(pattern, path):
                return FolderFormat(name, f"{description} ({path})", remedy)
    return None


_SAVE = "save the whole model with save_pretrained() of the library transformers"
_TRAINING_STEPS = (  # name, description, regular expression of a path, remedy
    (
        "deepspeed",
        "a step of a training with DeepSpeed",
        r"zero_to_fp32\.py|(?:.*/)?.*_model_states\.pt",
        "run zero_to_fp32.py of DeepSpeed, and save the whole model with save_pretrained()",
    ),
    ("fsdp", "a step of a training in parts (FSDP)", r"(?:.*/)?.*\.distcp", _SAVE),
    ("megatron", "a training with Megatron", r"latest_checkpointed_iteration\.txt", _SAVE),
    (
        "comet",
        "a model of COMET, which scores translations",
        r"checkpoints/model\.ckpt",
        _GET_MARIAN,
    ),
    ("lightning", "a training with PyTorch Lightning", r"(?:checkpoints/)?epoch=.*\.ckpt", _SAVE),
    ("orbax", "a model of JAX", r"_CHECKPOINT_METADATA|manifest\.ocdbt", _GET_MARIAN),
    ("t5x", "a model of T5X", r"target\..+/\.zarray", _GET_MARIAN),
    ("zarr", "an array in the form of Zarr", r"(?:.+/)?(?:zarr\.json|\.zarray)", _GIVE_MODEL),
    ("key_values", "a database of keys and values", r"data\.mdb|MANIFEST-\d+", _GIVE_MODEL),
    ("webdataset", "a data set in parts (WebDataset)", r"(?:.+/)?.*-\d{5,}\.tar", _GIVE_MODEL),
    ("mosaic", "a data set in parts (Mosaic)", r"(?:.+/)?shard\.\d+\.mds", _GIVE_MODEL),
    (
        "tensorflow_data",
        "a data set of TensorFlow",
        r"features\.json|.*\.tfrecord(?:s|-\d+-of-\d+)?",
        _GIVE_MODEL,
    ),
    (
        "iwork",
        "a document of Apple's Numbers, Pages or Keynote",
        r"Index\.zip|Index/Document\.iwa",
        _GIVE_MODEL,
    ),
    (
        "optimizer",
        "the state of a training without its model",
        r"(?:optimizer|scheduler)\.pt|trainer_state\.json",
        "give the folder with config.json and the weights",
    ),
    ("vosk", "a model of Vosk, which hears", r"am/final\.mdl", _GET_MARIAN),
    ("kaldi", "a model of Kaldi, which hears", r"final\.mdl", _GET_MARIAN),
    ("common_voice", "a data set of recordings (Common Voice)", r"validated\.tsv", _GIVE_MODEL),
    ("kaldi_data", "a corpus of recordings (Kaldi)", r"wav\.scp", _GIVE_MODEL),
    (
        "librispeech",
        "a corpus of recordings (LibriSpeech)",
        r"SPEAKERS\.TXT|(?:\d+/)?\d+-\d+\.trans\.txt",
        _GIVE_MODEL,
    ),
    ("docker", "an image of Docker", r"oci-layout|\w+/layer\.tar", _GIVE_MODEL),
    (
        "project",
        "a translator's project",
        r"omegat\.project|.*\.sdlproj|Localized Contents/.*",
        _GIVE_MODEL,
    ),
    ("anki_profile", "a profile of Anki", r"collection\.anki2\w*", _GIVE_MODEL),
    ("faiss", "an index of FAISS", r".*\.faiss", _GIVE_MODEL),
    (
        "tensorboard",
        "the log of a training (TensorBoard)",
        r"events\.out\.tfevents\..*",
        _GIVE_MODEL,
    ),
    ("dvc", "a folder with pointers of DVC", r"[^/]*\.dvc", "run dvc pull there"),
    ("wandb", "the log of a training (Weights & Biases)", r".*\.wandb", _GIVE_MODEL),
    (
        "fairseq_binary",
        "a folder with a corpus in the binary form of fairseq",
        r"(?:train|valid|test)\d*\.\w+-\w+\.\w+\.(?:idx|bin)",
        _GIVE_MODEL,
    ),
)


# Incomplete models, and folders without a model


def _parts(listing: _Listing) -> FolderFormat | None:
    """Return the format of a folder without a complete model; None if it is not recognised."""
    archives = listing.names(r".*\.(?:zip|tar|tgz|tar\.(?:gz|bz2|xz))")
    if archives and not _has_weights(listing):
        remedy = f"unpack {archives[0]} if the model is in it, and give the folder that is in it"
        return FolderFormat("packed", "a folder with an archive and without a model", remedy)
    unfinished = listing.names(r".*\.(?:incomplete|part|partial|crdownload|download|aria2|tmp)")
    if unfinished:
        description = f"an unfinished download ({unfinished[0]})"
        return FolderFormat("unfinished", description, "download it again")
    if listing.has("dataset_info.json") or listing.has("dataset_dict.json"):
        return FolderFormat("data_set", "a data set of Hugging Face", _GIVE_MODEL)
    is_ours = listing.has("history.jsonl", "tokenizer.json")
    if is_ours and not _has_weights(listing) and not listing.has("config.json"):
        remedy = "continue with python -m model.train and --resume"
        return FolderFormat("unfinished_training", "a training that has not finished", remedy)
    if listing.names(r"train\.arrow") and listing.has("description.json"):
        remedy = "give it to --corpus of python -m model.train"
        return FolderFormat("stored_corpus", "a corpus that model.store_corpus made", remedy)
    if listing.names(r".*\.(?:parquet|arrow)"):
        return FolderFormat("data_set", "a data set", _GIVE_MODEL)
    has_tokenizer = listing.names(
        r".*\.(?:spm|model)|vocab.*\.json|vocab\.(?:txt|bpe)|tokenizer.*\.json|merges\.txt"
        r"|special_tokens_map\.json"
    )
    parts = listing.names(r"(?:pytorch_)?model-\d+-of-\d+\.(?:safetensors|bin)")
    if parts and not _has_weights(listing):
        ending = parts[0].rpartition(".")[2]
        index = next(name for name in _INDEXES if f".{ending}." in name)
        description = "a model in parts without the list of its parts"
        remedy = f"add {index} from where the folder came from"
        return FolderFormat("no_index", description, remedy)
    variants = listing.names(r"model\.\w+\.safetensors|pytorch_model\.\w+\.bin")
    if listing.has("config.json") and variants and not _has_weights(listing):
        name = re.sub(r"\.\w+\.", ".", variants[0])
        description = f"a model whose weights have another name ({variants[0]})"
        return FolderFormat("variant", description, f"rename this file to {name}")
    pytorch = listing.names(r".*\.(?:pt|pth|ckpt)")
    is_of_hub = "model_type" in _read_json(listing.path / "config.json")
    if pytorch and not is_of_hub and not _has_weights(listing):
        description = f"a folder with weights that PyTorch saved alone ({pytorch[0]})"
        return FolderFormat("pytorch", description, _SAVE)
    if listing.has("config.json") and not _has_weights(listing):
        remedy = f"add the weights, {' or '.join(_WEIGHTS)}, from where the folder came from"
        return FolderFormat("no_weights", "a model without its weights", remedy)
    if _has_weights(listing) and not listing.has("config.json"):
        remedy = "add config.json from where the folder came from"
        return FolderFormat(
            "no_config", "a folder with weights but without their config.json", remedy
        )
    if _has_weights(listing) and not _read_json(listing.path / "config.json"):
        file_format = _file_format(listing.path / "config.json")
        fault, remedy = "damaged", "get this file again from where the folder came from"
        if file_format and file_format.remedy_name in ("lfs_pull", "annex_get"):
            fault, remedy = file_format.description, file_format.remedy
        return FolderFormat("damaged_config", f"a model whose config.json is {fault}", remedy)
    if has_tokenizer:
        remedy = "give the folder of the model that it belongs to"
        return FolderFormat("tokenizer", "a tokenizer without a model", remedy)
    if ".git" in listing.folders:
        return FolderFormat("git", "a copy of a repository without a model", _GIVE_MODEL)
    sides = _parallel_files(listing)
    if sides and not _has_weights(listing):
        description = f"a folder with a corpus ({sides[0]} and {sides[1]}) and without a model"
        remedy = "give these two files to --corpus of python -m model.train"
        return FolderFormat("corpus", description, remedy, corpus_remedy="give these two files")
    if not listing.folders and len(listing.names(_BESIDE)) == len(listing.files):
        return FolderFormat("empty", "an empty folder", _GIVE_MODEL)
    return None


def _parallel_files(listing: _Listing) -> list[str]:
    """Return two files of text whose names differ only in their languages; [] if there are none.

    For example train.en and train.fr, or train.src.gz and train.trg.gz.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for name in listing.files:
        unpacked = re.sub(r"\.(?:gz|bz2|xz)$", "", name)
        stem, _, language = unpacked.rpartition(".")
        if stem and re.fullmatch(_SIDE, language) and language not in _NO_LANGUAGES:
            groups.setdefault((stem, name[len(unpacked) :]), []).append(name)
    for names in groups.values():
        sides = [name for name in names if re.search(r"\.(?:src|trg|tgt)(?:\.|$)", name)] or names
        if len(sides) == 2 and all(_may_be_text(listing.path / name) for name in sides):
            return sides
    return []


def _may_be_text(path: Path) -> bool:
    """Return whether a file is a text of sentences, or packed: film.avi and film.srt are not."""
    file_format = _file_format(path)
    return file_format is None or file_format.name in _PACKINGS


def _data(listing: _Listing) -> FolderFormat | None:
    """Recognise folders with the data or the code of other programs."""
    if listing.has("HEAD") and {"objects", "refs"} <= set(listing.folders):
        return FolderFormat(
            "bare_git",
            "a bare git repository, without its files",
            "clone it, and give the folder of a model in the clone",
            corpus_remedy="clone it, and give the files with the sentences in the clone",
        )
    paths = [*listing.files, *(f"{folder}/" for folder in listing.folders)]
    paths += [
        f"{folder}/{file}" for folder in listing.folders for file in _names_in(listing, folder)
    ]
    for name, description, pattern, corpus_remedy in _DATA:
        for path in paths:
            if re.fullmatch(pattern, path):
                description = f"{description} ({path})"
                return FolderFormat(name, description, _GIVE_MODEL, corpus_remedy=corpus_remedy)
    return _notes(paths)


def _notes(paths: Sequence[str]) -> FolderFormat | None:
    """Recognise a folder whose files are mostly notes in Markdown. A README is none."""
    files = [path for path in paths if not path.endswith("/") and not re.fullmatch(_BESIDE, path)]
    notes = [path for path in files if re.fullmatch(r".*\.(?:md|markdown)", path, re.IGNORECASE)]
    notes = [path for path in notes if not re.fullmatch(_ABOUT_A_FOLDER, path.split("/")[-1])]
    if len(notes) < max(_MIN_NOTES, len(files) / 2):
        return None
    return FolderFormat(
        "notes",
        f"a folder of notes (Markdown) ({notes[0]})",
        _GIVE_MODEL,
        corpus_remedy="copy its sentences into a text file",
    )


_DATA = (  # name, description, regular expression of a file or folder/, remedy for a corpus
    (
        "europarl",
        "the speeches of Europarl, not aligned",
        r"(?:[a-z]{2}/)?ep-\d\d-\d\d-\d\d.*\.txt",
        "download its aligned sentences, such as europarl-v7.fr-en.fr and europarl-v7.fr-en.en",
    ),
    (
        "sgml",
        "a folder with test sets in SGML",
        r".*\.sgml?",
        "write the sentences of a source and its reference into two plain text files",
    ),
    (
        "flores",
        "the test set FLORES",
        r"(?:dev(?:test)?/)?[a-z]{3}_[A-Z][a-z]{3}\.dev(?:test)?",
        "give the files of two languages, such as eng_Latn.dev and fra_Latn.dev",
    ),
    (
        "ntrex",
        "the test set NTREX",
        r"(?:NTREX-128/)?newstest2019-(?:src|ref)\.\S+\.txt",
        "give the files of two languages, such as newstest2019-src.eng.txt and "
        "newstest2019-ref.fra.txt",
    ),
    (
        "must_c",
        "recordings with their translations (MuST-C)",
        r"txt/(?:train|dev|tst-\w+)\.yaml",
        "give the texts of its folder txt, such as train.en and train.fr",
    ),
    ("rasa", "a project of Rasa, a program for chats", r"domain\.ya?ml", _GIVE_FILES),
    (
        "epub",
        "an unpacked e-book",
        r"META-INF/container\.xml",
        "copy its sentences into a text file",
    ),
    (
        "python",
        "a Python package",
        r".*\.(?:dist|egg)-info/|setup\.py|pyproject\.toml",
        _GIVE_FILES,
    ),
    (
        "environment",
        "an environment with programs",
        r"conda-meta/|pyvenv\.cfg|node_modules/|Contents/Info\.plist",
        _GIVE_FILES,
    ),
    (
        "program",
        "the source of a program",
        r"package\.json|build\.gradle(?:\.kts)?|pom\.xml|Cargo\.toml|requirements.*\.txt|.*\.xcodeproj/",
        _GIVE_FILES,
    ),
    (
        "office",
        "an unpacked document of Office",
        r"word/document\.xml|xl/workbook\.xml|ppt/presentation\.xml",
        "copy its sentences into a text file",
    ),
    (
        "notes",
        "a folder of notes of Obsidian",
        r"\.obsidian/",
        "copy its sentences into a text file",
    ),
    (
        "notes",
        "a folder of notes of Joplin",
        r"[0-9a-f]{32}\.md",
        "copy its sentences into a text file",
    ),
    (
        "notes",
        "a folder of notes of Notion",
        r"(?:.+/)?.+ [0-9a-f]{32}\.(?:md|csv)",
        "copy its sentences into a text file",
    ),
    (
        "notes",
        "a folder of notes of Logseq",
        r"logseq/config\.edn",
        "copy its sentences into a text file",
    ),
    (
        "scrivener",
        "a project of Scrivener",
        r".*\.scrivx",
        "copy its sentences into a text file",
    ),
    ("moodle", "the backup of a Moodle course", r"moodle_backup\.xml", _GIVE_FILES),
)


def _inside(listing: _Listing, depth: int) -> FolderFormat | None:
    """Recognise the formats of the folders inside this folder."""
    formats: dict[str, FolderFormat] = {}
    for name in listing.folders[:_MAX_INSPECTED_FOLDERS]:
        inner = recognise_folder(listing.path / name, depth)
        if inner and inner.name not in ("empty", "git", "packed"):
            formats[name] = inner

    models = [inner.inner for inner in formats.values() if inner.inner]
    if models:
        path = models[0].relative_to(listing.path)
        if len(models) > 1:
            remedy = f"give one of them, such as {path}"
            return FolderFormat("several", f"a folder around {len(models)} models", remedy)
        remedy = f"give {path}, which is in it"
        return FolderFormat("around", "a folder around a model", remedy, models[0])
    for name, inner in formats.items():
        description = f"a folder around {name}, which is {inner.description}"
        return FolderFormat(
            inner.name, description, inner.remedy, corpus_remedy=inner.corpus_remedy
        )
    return None


def _unnamed(listing: _Listing) -> FolderFormat | None:
    """Recognise a folder by the content of its files, if their names do not show the format."""
    formats = {}
    for name in listing.files[:_MAX_INSPECTED_FILES]:
        file_format = _file_format(listing.path / name)
        if file_format and file_format.name not in _NAMES_NO_FOLDER:
            formats[name] = file_format
    for name, file_format in formats.items():
        if file_format.name == "gguf":
            description = f"a folder with {file_format.description} ({name})"
            return FolderFormat("gguf", description, _remedy_of("gguf"))
        if file_format.name in ("hdf5", "torch", "pickle", "safetensors"):
            remedy = "give the folder with config.json, the weights and the tokenizer"
            description = f"a folder with {file_format.description} ({name}), and no whole model"
            return FolderFormat(file_format.name, description, remedy)

    # the most frequent format names the folder
    counts = Counter(formats.values())
    for file_format, _ in counts.most_common(1):
        name = next(name for name in formats if formats[name] == file_format)
        description = f"a folder with {file_format.description} ({name}), and no model"
        return FolderFormat("files", description, _GIVE_MODEL)
    return None


def _file_format(path: Path) -> FileFormat | None:
    """Return the format of a file; None if it is a text of sentences or cannot be read."""
    try:
        with path.open("rb") as file:
            return recognise(file)
    except (OSError, ValueError):
        return None


def _format_of_file(path: Path) -> FolderFormat:
    """Return what a file is that was given in place of a folder, and what to give instead."""
    file_format = _file_format(path)
    if file_format is None:
        return FolderFormat("file", "a file and no folder", "give the folder of the model")
    if file_format.remedy_name in ("unpack", "password", "lfs_pull", "annex_get", "download_again"):
        remedy = file_format.remedy.replace("the file that is in it", "the folder that is in it")
        return FolderFormat("file", file_format.description, remedy)
    remedy = "give the folder of the model"
    if _is_whole(path.parent):
        remedy = f"give the folder that it is in, {path.parent}"
    return FolderFormat("file", file_format.description, remedy)


_RECOGNISERS: Sequence[Callable[[_Listing], FolderFormat | None]] = (
    _hub_cache,
    _adapters,
    _hugging_face,
    _training_output,
    _other_library,
    _native_marian,
    _training_steps,
    _other_weights,
    _around,
    _parts,
    _data,
    _unnamed,
)
