"""Sentences as people type them: in small letters, without the final sign, or both.

A corpus writes "How are you?"; a visitor writes "how are you". What is wanted of the model is the
same, so only the source changes.
"""

from __future__ import annotations

import re

import numpy as np

_FINAL_SIGN = re.compile(r"(?<=\w)\s*[.!?…]+$")


def as_typed(text: str, random: np.random.Generator) -> str:
    """The text in small letters, without its final sign, or both: a third each."""
    way = random.integers(3)
    if way != 0:
        text = without_final_sign(text)
    return text.lower() if way != 1 else text


def without_final_sign(text: str) -> str:
    """The text without the sign that ends its last sentence.

    >>> without_final_sign("How are you ?")
    'How are you'
    """
    return _FINAL_SIGN.sub("", text)
