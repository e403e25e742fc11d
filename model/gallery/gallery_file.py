"""The examples that were found in a model, beside its checkpoint."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from msgspec import Struct

from model.checkpoint.mark import mark
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import Text, read_json, write_json
from model.files.regular_file import is_there
from model.gallery.example import Example
from model.gallery.phenomena import PHENOMENA
from model.transformer.heads import all_heads
from model.translation_model import TranslationModel

GALLERY = "gallery.json"
_REMEDY = "Make it again with python -m model.find_examples."


class Gallery(Struct, frozen=True):
    """``gallery.json``; ``model`` marks the weights that the examples were found in."""

    model: Text
    examples: list[Example]


def save_gallery(t: TranslationModel, examples: Iterable[Example]) -> Path:
    """Write them with a mark of the model they belong to, in the words of a link."""
    path = t.folder / GALLERY
    write_json(path, Gallery(mark(t.model), list(examples)))
    return path


def read_gallery(t: TranslationModel) -> list[Example]:
    """What was written; none where nothing was, or where the model has changed since.

    Raises:
        CheckpointError: the file is damaged.
    """
    path = t.folder / GALLERY
    if not is_there(path):
        return []
    gallery = read_json(path, Gallery, remedy=_REMEDY)
    if gallery.model != mark(t.model):
        return []
    heads = all_heads(t.config)
    for example in gallery.examples:
        phenomenon = PHENOMENA.get(example.phenomenon)
        possible = phenomenon is not None and example.attention in phenomenon.attentions
        if not possible or example.place not in heads:
            raise CheckpointError(f"The file {path} names what is not there. {_REMEDY}")
    return gallery.examples
