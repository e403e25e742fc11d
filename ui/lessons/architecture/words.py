"""What the boxes are called, and which page knows more about each."""

from __future__ import annotations

from model.lessons.architecture.parts import Part

_MORE = {
    "tokens": "explorer",
    "read": "masks",
    "embedding": "positions",
    "position": "positions",
    "self": "qkv",
    "masked_self": "masks",
    "cross": "masks",
    "memory": "masks",
    "unembed": "explorer",
    "softmax": "scaling",
    "next_token": "explorer",
}


def word(part: Part) -> str:
    """The name under which the texts know a box.

    >>> word(Part("decoder", "self")), word(Part("encoder", "ffn_add"))
    ('masked_self', 'add')
    """
    if part.name in ("decoder.self", "decoder.tokens"):
        return {"self": "masked_self", "tokens": "read"}[part.kind]
    for ending in ("_norm", "_add"):
        if part.kind.endswith(ending):
            return ending[1:]
    return "last_norm" if part.kind == "norm" else part.kind


def page_of(part: Part) -> str:
    """The page about it, a key of ``PAGES``."""
    return _MORE.get(word(part), "norms")
