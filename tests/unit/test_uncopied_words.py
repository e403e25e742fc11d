"""Words that a translation should have copied unchanged."""

import pytest

from model.evaluation.large_numbers import large_numbers
from model.evaluation.uncopied_words import uncopied_words

CHANGED = [
    ("The scale is 1:50000.", "L'échelle est de 1 h 500.", "1:50000"),
    ("The scale is 1:50000.", "比例尺是 1 点 5000 分。", "1:50000"),
    ("It took 10:30:45.", "Cela a pris 10 h 30 à 45.", "10:30:45"),
    ("It took 10:30:45.", "花了 10 点 30 分。", "10:30:45"),
    ("The time is 23:59:59.", "Il est 23:59.", "23:59:59"),
    ("MAC 00:1A:2B:3C:4D:5E.", "MAC 00:1A:2B:3C:4D.", "00:1A:2B:3C:4D:5E"),
    ("My flight is BA2490.", "Mon vol est Ba2490.", "BA2490"),
    ("The gene is BRCA1.", "Le gène est bocal.", "BRCA1"),
    ("It is at 192.168.100.200.", "Il est à 192,168,100,200.", "192.168.100.200"),
    ("Call +33 6 12 34 56 78.", "Appelle +33 62 34 56 78.", "+33 6 12 34 56 78"),
    ("Order 4471-B is late.", "La commande 4471-BB est en retard.", "4471-B"),
    ("The plate is AB-123-CD.", "La plaque est BB-123-CD.", "AB-123-CD"),
    ("I live at 221B Baker Street.", "J'habite au 221 Baker Street.", "221B"),
    ("The formula is H2SO4.", "La formule est h 2SO4.", "H2SO4"),
    ("The version is v3.11.7-beta2.", "版本是 V3.11.7 英镑。", "v3.11.7-beta2"),
    ("He has 200 books.", "Il a 1 200 livres.", "200"),
    ("He has 200 books.", "Il a 200 000 livres.", "200"),
    ("We sold 1,000 units.", "Nous en avons vendu 1 000 000.", "1,000"),
    ("It was -273 degrees.", "Il faisait 273 degrés.", "-273"),
    ("Call 555-0199.", "Appelez le 0199-555.", "555-0199"),
    ("ISBN 978-3-16-148410-0", "ISBN 978-3-16-148410", "978-3-16-148410-0"),
    ("Pi is 3.141.", "Pi est 3141.", "3.141"),
    ("The screen is 1920x1080.", "L'écran est de 1920x108.", "1920x1080"),
    ("Use C++ here.", "Utilisez C++11 ici.", "C++"),
]


@pytest.mark.parametrize(("source", "target", "word"), CHANGED)
def test_a_word_that_was_not_copied_is_named(source, target, word):
    assert uncopied_words(source, target) == [word]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Meet me at 10:30.", "Retrouve-moi à 10 h 30."),
        ("Meet me at 10:30.", "10 点 30 分见。"),
        ("It opens from 10:30am-11:45am.", "Il ouvre de 10 h 30 à 11 h 45."),
        ("It took 10:30:45.", "Cela a pris 10 h 30 min 45 s."),
        ("Meet me at 20:15:00.", "20点15分见。"),
        ("I need A4 paper, 100 sheets.", "Il me faut du papier A4 100 feuilles."),
        ("The flight is CA981.", "航班是 CA 981。"),
        ("The PM2.5 is high.", "Le PM2,5 est haut."),
        ("Read Psalm 119:105.", "Lisez le psaume 119, 105."),
        ("It took 07:05:09.", "Cela a pris 7 heures, 5 minutes et 9 secondes."),
        ("It is 2:30:15pm.", "现在是 14 点 30 分 15 秒。"),
        ("The scale is 1:50000.", "L'échelle est de 1 : 50 000."),
        ("MAC 00:1A:2B:3C:4D:5E.", "地址是00:1A:2B:3C:4D:5E。"),
        ("Use an RTX4090.", "使用RTX4090吧。"),
        ("Two RTX4090s fit.", "Deux RTX4090 y entrent."),
        ("The A380's wing", "L'aile de l'A380"),
        ("I live at 221B Baker Street.", "J'habite au 221 B, Baker Street."),
        ("It has 128GB and needs 220V.", "Il a 128 Go et a besoin de 220 volts."),
        ("It costs $100B or EUR250.", "Cela coûte 100 milliards de dollars ou 250 euros."),
        ("It has 100m2 and is a 100-year-old.", "Il a 100 m² et 100 ans."),
        ("COVID-19, CO2 and G20", "新冠、二氧化碳和二十国集团"),
        ("Call +1 (555) 123-4567 now.", "Appelez le +1 555 123 4567."),
        ("Call 555-0199.", "Appelez le 555 0199."),
        ("It costs 25 000 dollars.", "It costs 25,000 dollars."),
        ("Of 1,000 books 1,000 remain.", "Sur 1 000 livres, 1000 restent."),
        ("In 1999 100 men came.", "En 1999 100 hommes vinrent."),
        ("It was -273 degrees.", "零下 273 度。"),
        ("It was -273 degrees.", "Il faisait -273 degrés."),
        ("Pi is 3.141, or 3.5.", "Pi est 3,141, ou 3,5."),
        ("It costs 10.000 Euro.", "Cela coûte 10000 euros."),
        ("The 3rd of 100% at 5pm", "Le 3e de 100 % à 17 h"),
        ("He came on 12/05/2024.", "Il est venu le 05/12/2024."),
        ("He came on 12/2024.", "他 2024-12 来了。"),
        ("Order #4471 is late.", "La commande n° 4471 est en retard."),
        ("The screen is 1920x1080.", "L'écran est de 1920 × 1080."),
    ],
)
def test_a_word_with_another_form_in_the_target_language_is_not_named(source, target):
    assert uncopied_words(source, target) == []


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
def test_numbers_and_words_with_special_characters_should_be_copied(source, target, words):
    assert uncopied_words(source, target) == words


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Room 7 450 chairs", "Salle 7, 450 chaises"),
        ("In room 7, 450 chairs stand.", "Dans la salle 7 450 chaises."),
        ("In room 7, 450 chairs stand.", "Dans la salle 7,450 chaises."),
        ("In room seven 450 chairs stand.", "Dans la salle 7 450 chaises."),
        ("In room 7 450 chairs stand.", "7 号房间有 450 把椅子。"),
        ("On June 8 640 came.", "Le 8 juin 640 vinrent."),
        ("Type 310, 620, 930.", "Tapez 310 620 930."),
        ("The numbers 9 310 620", "Les nombres 9, 310 et 620"),
        ("The numbers 9, 310 620", "Les nombres 9 310 620"),
        ("There are 14 350-page books.", "Il y a 14 livres de 350 pages."),
    ],
)
def test_neighbouring_numbers_may_look_like_one(source, target):
    assert uncopied_words(source, target) == []


@pytest.mark.parametrize(
    ("source", "target", "word"),
    [
        ("We sold 7 450 chairs.", "Nous avons vendu 7 et 460 chaises.", "7 450"),
        ("We sold 45 000 chairs.", "Nous avons vendu 45 et 0 chaises.", "45 000"),
        ("We sold 450 chairs.", "Nous avons vendu 7 450 chaises.", "450"),
        ("Room 8 has 450 chairs.", "La salle a 7 450 chaises.", "450"),
        ("We sold 7,450 chairs.", "Nous avons vendu 7, 450 chaises.", "7,450"),
    ],
)
def test_a_number_that_loses_its_group_of_digits_is_named(source, target, word):
    assert uncopied_words(source, target) == [word]


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("The town has 40,000 people.", "这个镇有4万人。"),
        ("The town has 45,000 people.", "这个镇有 4.5 万人。"),
        ("The town has 45,000 people.", "这个镇有四万五千人。"),
        ("The town has 45,000 people.", "这个镇有4万5千人。"),
        ("The country has 1,300,000,000 people.", "这个国家有13亿人口。"),
        ("It costs 7,500,000 euros.", "Cela coûte 7,5 millions d'euros."),
        ("It costs 6,000,000,000 euros.", "Cela coûte 6 milliards d'euros."),
        ("It costs 1.25 million dollars.", "要 125 万美元。"),
        ("It costs 1.25 million dollars.", "要 1250000 美元。"),
        ("It costs 1,300 million dollars.", "要13亿美元。"),
        ("他有2300万元。", "He has 23 million yuan."),
        ("他有2300万元。", "He has 23,000,000 yuan."),
        ("He was born in 1987.", "他出生于一九八七年。"),
        ("He was born in 1987.", "Il est né en mille neuf cent quatre-vingt-sept."),
        ("He was born in 1987.", "Il est né en dix-neuf-cent-quatre-vingt-sept."),
        ("It costs $600.", "Cela coûte six cents dollars."),
        ("It costs 3,200,000 euros.", "Cela coûte trois millions deux cent mille euros."),
        ("Il est né en 1866.", "He was born in eighteen sixty-six."),
        ("Il a 207 livres.", "He has two hundred and seven books."),
        ("It costs 34,00,000 rupees.", "Cela coûte 3 400 000 roupies."),
    ],
)
def test_a_number_may_be_written_with_a_word_for_thousands(source, target):
    assert uncopied_words(source, target) == []


@pytest.mark.parametrize(
    ("source", "target", "word"),
    [
        ("The town has 40,000 people.", "这个镇有40万人。", "40,000"),
        ("It costs 7,500,000 euros.", "Cela coûte 7,5 milliards d'euros.", "7,500,000"),
        ("It costs 1.25 million dollars.", "要 12 万美元。", "1.25"),
        ("他有2300万元。", "He has 2.3 million yuan.", "2300"),
        ("He was born in 1987.", "Il est né en mille neuf cent soixante-sept.", "1987"),
        ("It costs $600.", "Cela coûte six dollars.", "$600"),
    ],
)
def test_a_number_with_a_wrong_word_for_thousands_is_named(source, target, word):
    assert uncopied_words(source, target) == [word]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2 hundred, 2 cents, 2 thousand, 2 mille", [200, 200, 2000, 2000]),
        ("2 million, 2 milliards, 2 billion", [2 * 10**6, 2 * 10**9, 2 * 10**9]),
        ("2十, 2百, 2千, 2万, 2萬, 2亿, 2億", [20, 200, 2000, *[20_000] * 2, *[2 * 10**8] * 2]),
        ("零, 〇, 一, 二, 两, 兩, 三, 四, 五", [0, 0, 1, 2, 2, 2, 3, 4, 5]),
        ("六, 七, 八, 九", [6, 7, 8, 9]),
        ("one, two, three, four, five, six, seven, eight, nine", range(1, 10)),
        ("ten, eleven, twelve, thirteen, fourteen, fifteen, sixteen", range(10, 17)),
        ("seventeen, eighteen, nineteen", range(17, 20)),
        ("twenty, thirty, forty, fifty, sixty, seventy, eighty, ninety", range(20, 100, 10)),
        ("un, deux, trois, quatre, cinq, six, sept, huit, neuf, dix", range(1, 11)),
        ("onze, douze, treize, quatorze, quinze, seize, dix-sept", range(11, 18)),
        ("vingt, trente, quarante, cinquante, soixante", range(20, 70, 10)),
        ("septante, huitante, nonante", range(70, 100, 10)),
    ],
)
def test_each_word_and_each_sign_for_a_number_has_its_value(text, expected):
    assert [values for _, values in large_numbers(text)] == [{value} for value in expected]
