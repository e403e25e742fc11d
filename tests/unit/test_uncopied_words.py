"""Words that a translation should have copied."""

import pytest

from model.evaluation.uncopied_words import uncopied_words


@pytest.mark.parametrize(
    ("source", "target", "words"),
    [
        ("He paid 100 euros.", "Il a payé 1000 euros.", ["100"]),
        ("In 1999, 19 men came.", "En 199, 19 hommes vinrent.", ["1999"]),
        ("$1,250.50 at 19:30", "1 250,50 $ à 7 h 30", []),
        (">>cmn_Hans<< I see 12.", "我看见十二。", []),
        ("他2019年3月5日出生，有1250元。", "Born on March 5, 2019, he has 1,250 yuan.", []),
        ("他2019年出生。", "He was born in 209.", ["2019"]),
        ("Write to a_b@x.org, ____!", "Écrivez à ab@x.org !", ["a_b@x.org"]),
    ],
)
def test_numbers_and_words_with_a_sign_should_be_copied(source, target, words):
    assert uncopied_words(source, target) == words
