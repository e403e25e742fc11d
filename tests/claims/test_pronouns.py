"""What "it" stands for, between nouns of which no training has made sentences."""

from __future__ import annotations

import re

from model.data.agreement.agreement import Agreement
from tests.claims.conftest import written

# A sentence; an adjective and the pronoun that it decides; another one and another pronoun.
FRAMES = [
    ("The plane avoided the mountain because it was too {}.", "high", "elle", "slow", "il"),
    ("The train did not reach the city because it was too {}.", "far", "elle", "slow", "il"),
    ("The flower does not fit in the glass because it is too {}.", "big", "elle", "small", "il"),
    ("The letter does not fit in the wallet because it is too {}.", "big", "elle", "small", "il"),
    ("The sofa does not go through the door because it is too {}.", "wide", "il", "narrow", "elle"),
    ("The crocodile left the water because it was too {}.", "dirty", "elle", "hungry", "il"),
    ("The deer drank the water because it was {}.", "fresh", "elle", "thirsty", "il"),
    ("The eagle left the mountain because it was too {}.", "high", "elle", "tired", "il"),
    ("The parrot didn't eat the banana because it was too {}.", "green", "elle", "sad", "il"),
    ("The stone broke the mirror because it was {}.", "heavy", "elle", "fragile", "il"),
    ("The hammer broke the window because it was {}.", "heavy", "il", "fragile", "elle"),
    ("The crow did not eat the potato because it was too {}.", "hot", "elle", "sick", "il"),
]
ASKED = [
    (frame.format(adjective), pronoun)
    for frame, *pairs in FRAMES
    for adjective, pronoun in (pairs[:2], pairs[2:])
]


def test_none_of_the_nouns_is_in_our_lists() -> None:
    words = Agreement("en-fr")._words.values()
    listed = {row[0] for rows in words for row in rows if row[-1] in ("il", "elle")}
    assert len(listed) > 100
    for frame, *_ in FRAMES:
        assert listed.isdisjoint(re.findall(r"[a-z]+", frame))


def test_the_adjective_decides_in_most_of_them(t) -> None:
    """As docs/corpora.md says."""
    right = [
        re.search(rf"(?:qu'|\bcar ){pronoun}\b", text) is not None
        for (_, pronoun), text in zip(ASKED, written(t, [s for s, _ in ASKED]), strict=True)
    ]
    assert (sum(right), len(ASKED)) == (22, 24)
