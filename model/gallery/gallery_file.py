"""The examples that were found in a model, beside its checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

from msgspec import to_builtins

from model.checkpoint.mark import mark
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import read_json
from model.files.regular_file import is_there
from model.files.replacing import write_text
from model.files.schemas import Text
from model.gallery.example import Example
from model.gallery.phenomena import PHENOMENA
from model.transformer.heads import all_heads
from model.translation_model import TranslationModel

GALLERY = "gallery.json"
_REMEDY = "Make it again with python -m model.find_examples."


class _Gallery(TypedDict):
    model: Text
    examples: list[Example]


def save_gallery(t: TranslationModel, examples: Iterable[Example]) -> Path:
    """Write them with a mark of the model they belong to, in the words of a link."""
    content = to_builtins({"model": mark(t.model), "examples": list(examples)})
    path = t.folder / GALLERY
    write_text(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return path


def read_gallery(t: TranslationModel) -> list[Example]:
    """What was written; none where nothing was, or where the model has changed since.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = t.folder / GALLERY
    if not is_there(path):
        return []
    content = read_json(path, _Gallery, remedy=_REMEDY)
    if content["model"] != mark(t.model):
        return []
    heads = all_heads(t.config)
    for example in content["examples"]:
        phenomenon = PHENOMENA.get(example.phenomenon)
        possible = phenomenon is not None and example.attention in phenomenon.attentions
        if not possible or example.place not in heads:
            raise CheckpointError(f"The file {path} names what is not there. {_REMEDY}")
    return content["examples"]
