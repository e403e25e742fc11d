"""The examples that were found in a model, beside its checkpoint."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from model.checkpoint.mark import mark
from model.files.checkpoint_error import CheckpointError
from model.files.json_file import read_json
from model.files.regular_file import is_there
from model.files.replacing import write_text
from model.files.schemas import Gallery
from model.gallery.candidates_file import candidate_of
from model.gallery.example import Example
from model.gallery.phenomena import PHENOMENA
from model.transformer.heads import all_heads
from model.translation_model import TranslationModel

GALLERY = "gallery.json"
_REMEDY = "Make it again with python -m model.find_examples."


def save_gallery(t: TranslationModel, examples: Iterable[Example]) -> Path:
    """Write them with a mark of the model they belong to, in the words of a link."""
    lines = [_line(example) for example in examples]
    content = {"model": mark(t.model), "examples": lines}
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
    content = read_json(path, Gallery, remedy=_REMEDY)
    if content["model"] != mark(t.model):
        return []
    examples = [
        Example(
            candidate=candidate_of(line["phenomenon"], line),
            attention=line["attention"],
            layer=line["layer"],
            head=line["head"],
        )
        for line in content["examples"]
    ]
    heads = all_heads(t.config)
    for example in examples:
        phenomenon = PHENOMENA.get(example.candidate.phenomenon)
        possible = phenomenon is not None and example.attention in phenomenon.attentions
        if not possible or example.place not in heads:
            raise CheckpointError(f"The file {path} names what is not there. {_REMEDY}")
    return examples


def _line(example: Example) -> dict[str, object]:
    candidate = example.candidate
    line = {
        "phenomenon": candidate.phenomenon,
        "sentence": candidate.sentence,
        "attention": example.attention,
        "layer": example.layer,
        "head": example.head,
        "links": candidate.links,
        "second": candidate.second,
        "changes": candidate.changes if any(candidate.changes) else (),
        "name": candidate.name,
    }
    return {name: value for name, value in line.items() if value}
