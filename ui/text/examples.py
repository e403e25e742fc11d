"""Example sentences: input of the models, so the same in every language of the app."""

DEFAULT_SENTENCE = "She gave him the book that he had asked for."
SECOND_SENTENCE = "She gave him the car that he had asked for."

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

FIRST_SENTENCES = (  # for new visitors: a different word order, a pronoun, a negation
    "The red house is near the white church.",
    "The animal didn't cross the street because it was too tired.",
    "I don't know where she lives.",
)

REORDERED = (  # words that have a different order in French
    "The red house is near the white church.",
    "She bought an old red car.",
    "My brother's car is red.",
    "He lives in a small white house.",
    "They don't understand me.",
)
