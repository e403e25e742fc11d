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
        ("The screen is 1920x1080.", "L'écran est de 1920x1080.", []),
        ("AB123CD4 at 12h30m15, 1e308.", "AB123CD4 à 12h30m15, 1e308.", []),
        ("The key is 4F3A2B1.", "La clé est 4F3A2B.", ["4F3A2B1"]),
        ("It costs $5.00.", "Cela coûte 500 $.", ["$5.00"]),
        ("It costs $5.00.", "Cela coûte 5,00 $.", []),
        ("It costs $5.00.", "Cela coûte 5 $.", []),
        ("It costs $5.00.", "Cela coûte 5,50 $.", ["$5.00"]),
        ("It is 0.125 long.", "Il fait 0125 de long.", ["0.125"]),
        ("It is 0.125 long, or 0.000.", "Il fait 0,125 de long, ou 0.", []),
        ("Version 3.11.7 is old.", "La version 3,11,7 est vieille.", ["3.11.7"]),
        ("Version 3.11.7 is old.", "La version 3.11.7 est vieille.", []),
        ("The date is 2024-11-28.", "La date est de 2024-1-28.", ["2024-11-28"]),
        ("The date is 2024-11-28.", "La date est le 28/11/2024.", []),
        ("The date is 2024-11-28.", "La date est le 28 novembre 2024.", []),
        ("He was born on 12/05/1999.", "Il est né le 5-12-1999.", []),
        ("Call 555-0199.", "Appelez le 555-0198.", ["555-0199"]),
        ("From 1990-95 he slept.", "De 1990 à 1995, il dormait.", []),
        ("Meet me at 7.30 p.m.", "晚上 7 点 30 分见到我。", []),
        ("Meet me at 10.30AM.", "上午 10 点 30 分见到我。", []),
        ("It costs $7.30.", "要 7 点 30 分。", ["$7.30"]),
        ("1250.5 of 1,000,000 in the 1990s", "1 250,5 sur 1000000 dans les années 1990", []),
    ],
)
def test_numbers_and_words_with_a_sign_should_be_copied(source, target, words):
    assert uncopied_words(source, target) == words
