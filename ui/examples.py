"""Sentences worth looking at: data for the model, so the same in every language."""

from __future__ import annotations

DEFAULT_SENTENCE = "She gave him the book that he had asked for."
SECOND_SENTENCE = "She gave him the books that he had asked for."

SENTENCES = (
    DEFAULT_SENTENCE,
    "The animal didn't cross the street because it was too tired.",
    "I am a student.",
    "Dog bites man.",
    "Man bites dog.",
    "You are welcome.",
    "I don't know where she lives.",
    "We have to get up early tomorrow morning.",
)

REORDERED = (  # words that stand in another order in French
    "The black cat sleeps under the table.",
    "She has blue eyes and long black hair.",
    "They don't understand me.",
    "Tom's house is very big.",
)
