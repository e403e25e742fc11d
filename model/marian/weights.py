"""The weights of a MarianMT model, by our names."""

import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
import torch
from torch import Tensor

from model.checkpoint.weights_file import compare_shapes, open_weights, require_finite
from model.files.checkpoint_error import CheckpointError
from model.files.folder_format import recognise_folder
from model.files.json_file import read_json
from model.files.regular_file import PointerError, exists, open_regular
from model.marian.architecture import LOGITS_BIAS, POSITIONS
from model.marian.folder import REMEDY
from model.nn.seed import without_initialisation
from model.transformer.config import ModelConfig
from model.transformer.transformer import Transformer

SAFE, PICKLED = "model.safetensors", "pytorch_model.bin"
SHARED, OUTPUT = "model.shared.weight", "lm_head.weight"
SOURCE, TARGET = "model.encoder.embed_tokens.weight", "model.decoder.embed_tokens.weight"
_KINDS = (torch.float16, torch.bfloat16, torch.float32)
_NAMES = {  # in a layer: ours, and those of Hugging Face
    "self_attention": "self_attn",
    "cross_attention": "encoder_attn",
    "w_q": "q_proj",
    "w_k": "k_proj",
    "w_v": "v_proj",
    "w_o": "out_proj",
    "self_residual.norm": "self_attn_layer_norm",
    "cross_residual.norm": "encoder_attn_layer_norm",
    "ffn_residual.norm": "final_layer_norm",
    "feed_forward.w_1": "fc1",
    "feed_forward.w_2": "fc2",
}
_OWN_NAME = re.compile(rf"(?<![^.])(?:(?:shared|encoder|decoder|lm_head)\..*|{LOGITS_BIAS}$)")
_ANY = re.compile("|".join(map(re.escape, _NAMES)))


def read_tensors(folder: Path) -> tuple[dict[str, Tensor], Path]:
    """All tensors of a folder by the names of Hugging Face, and their file, or several's index.

    A model that was trained inside another one has that one's name before its own
    (``base_model.model.encoder…``), and its part alone has none (``encoder…``): both come back as
    ``model.encoder…``. CheckpointError if there is no file of weights, or it is damaged.
    """
    for name, read in ((SAFE, _read_safe), (PICKLED, _read_pickled)):
        if exists(path := folder / name):
            return _named(read(path), path), path
        if exists(index := folder / f"{name}.index.json"):
            found: dict[str, Tensor] = {}
            for file in _parts(index):
                found |= read(file)
            return _named(found, index), index
    if folder_format := recognise_folder(folder):
        raise CheckpointError(f"{folder} is {folder_format}.")
    raise CheckpointError(
        f"{folder} has neither {SAFE} nor {PICKLED}, nor an index of several such files. {REMEDY}"
    )


class _Index(msgspec.Struct, frozen=True):
    """``model.safetensors.index.json``."""

    weight_map: dict[str, str]


def _parts(index: Path) -> list[Path]:
    names = sorted({*read_json(index, _Index, remedy=REMEDY).weight_map.values()})
    for name in names:
        if Path(name).name != name or not exists(index.parent / name):
            raise CheckpointError(
                f"{index} names {name}, and no such file lies beside it. {REMEDY}"
            )
    return [index.parent / name for name in names]


def _named(tensors: Mapping[str, Tensor], path: Path) -> dict[str, Tensor]:
    if any(".lora_" in name for name in tensors):
        raise CheckpointError(
            f"The weights {path} hold adapters (LoRA) beside the model: save it after "
            "merge_and_unload()."
        )
    found = {_plain(name): tensor for name, tensor in tensors.items()}
    if len(found) < len(tensors):
        raise CheckpointError(f"The weights {path} hold two models: save one of them alone.")
    return found


def _plain(name: str) -> str:
    found = _OWN_NAME.search(name)
    if not found:
        return name
    return found[0] if found[0].startswith(("lm_head", LOGITS_BIAS)) else f"model.{found[0]}"


def _read_safe(path: Path) -> dict[str, Tensor]:
    with open_weights(path) as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118


def _read_pickled(path: Path) -> dict[str, Tensor]:
    """A file of ``torch.save``; only tensors are made of it, no code in it ever runs."""
    try:
        with open_regular(path) as file:
            found = torch.load(file, map_location="cpu", weights_only=True)
        if not all(isinstance(tensor, Tensor) for tensor in found.values()):
            raise ValueError("it holds other things than tensors")
    except PointerError as error:
        raise CheckpointError(f"The weights {path} cannot be read: {error}.") from error
    except Exception as error:  # the library raises whatever a damaged file leads it to
        # what PyTorch says of a file that is none is to run the code in it
        said = (
            error if isinstance(error, OSError | ValueError) else "PyTorch reads no tensors in it"
        )
        raise CheckpointError(
            f"The weights {path} are damaged, or are none ({said}). Get the file again."
        ) from error
    return dict(found)


def converted(config: ModelConfig, tensors: Mapping[str, Tensor], path: Path) -> Transformer:
    """Return a Transformer, in float32 and eval mode, with weights of Hugging Face.

    Args:
        config: its architecture.
        tensors: the weights by Hugging Face's names.
        path: the file that they came from, for messages.

    Raises:
        CheckpointError: a tensor is missing, unknown, of a different shape or not finite.
    """
    known = {SHARED, SOURCE, TARGET, OUTPUT, LOGITS_BIAS, *POSITIONS}
    with torch.device("meta"):
        wanted = {
            _their_name(name, config, tensors): tuple(p.shape)
            for name, p in Transformer(config).named_parameters()
        }
    found = {
        name: tuple(tensor.shape[1:] if name == LOGITS_BIAS else tensor.shape)  # (1, V): ours (V,)
        for name, tensor in tensors.items()
        if name in wanted or name not in known
    }
    compare_shapes(path, found, wanted)
    with without_initialisation():
        model = Transformer(config)
    with torch.no_grad():
        for name, p in model.named_parameters():
            theirs = _their_name(name, config, tensors)
            tensor = tensors[theirs]
            if not tensor.is_floating_point():  # quantised
                kind = str(tensor.dtype).removeprefix("torch.")
                raise CheckpointError(
                    f"The weights {path} have {kind} numbers instead of floating-point numbers "
                    f"({theirs}): get the model in float32 or float16."
                )
            p.copy_(require_finite(tensor, theirs, path).view_as(p))
    return model.eval()


def kind_of(tensors: Mapping[str, Tensor]) -> torch.dtype:
    """In what the weights came, if that was one kind for all; otherwise float32."""
    kinds = {tensor.dtype for name, tensor in tensors.items() if name not in POSITIONS}
    return kinds.pop() if len(kinds) == 1 and kinds <= set(_KINDS) else torch.float32


def _their_name(name: str, config: ModelConfig, tensors: Mapping[str, Tensor]) -> str:
    """What Hugging Face calls one of our weights; of shared ones, what the file has."""
    source, target = [SOURCE, SHARED], [TARGET, SHARED]
    if config.joint_embedding:
        source = [SHARED, SOURCE, TARGET, OUTPUT]
    elif config.tie_embeddings:
        target = [TARGET, OUTPUT]
    aliases = {
        "src_embedding.tokens.weight": source,
        "tgt_embedding.tokens.weight": target,
        "unembed.weight": [OUTPUT],
        "unembed.bias": [LOGITS_BIAS],
    }
    if names := aliases.get(name):
        return next((alias for alias in names if alias in tensors), names[0])
    stack, _, layer, rest = name.split(".", 3)
    return f"model.{stack}.layers.{layer}.{_ANY.sub(lambda m: _NAMES[m[0]], rest)}"
