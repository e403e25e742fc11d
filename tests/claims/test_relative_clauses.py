"""In Chinese a clause stands before its noun: the shipped model has learned it, not by heart.

No verb of these clauses is in the lists that sentences are made of in training.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from model.data.agreement.agreement import Agreement
from model.translation_model import TranslationModel, load_transformer
from ui.text.examples import DEFAULT_SENTENCE, SECOND_SENTENCE

ROOT = Path(__file__).parents[2]
CLAUSES = {  # sentence -> the clause and its noun in Chinese, each as people say it
    "He gave her the money that she had earned.": "她(挣|赚)到?的钱",
    "She gave us the house that her grandfather had built.": "(盖|建|建造|建成|造)的房",
    "They gave me the dog that they had trained.": "他们训练(过|好)?的狗",
    "He sent me the photo that he had taken.": "他(拍|照)(摄|下)?的(照片|相片)",
    "I ate the apple that she had washed.": "她洗(过|好|了)?的苹果",
    "The song that she sang was beautiful.": "她唱的歌",
    "The fish that he caught was big.": "他(抓|钓|捕|捉)到?的鱼",
    "She read the story that I had written.": "我写的故事",
    "He gave his mother the dinner that he had cooked.": "他(做|煮)(好|过)?的(晚饭|晚餐)",
    "The water that he drank was cold.": "他喝的水",
    "I like the shirt that you are wearing.": "你(身上)?穿着?的(衬衫|衣服|衬衣)",
    "She gave me the guitar that she had played.": "她(弹|玩)(奏)?过?的吉他",
    "The language that they speak is difficult.": "他们(说|讲)的语言",
    "The film that we watched was long.": "我们(看|观看)(见|过|了)?的(那部)?(电影|影片)",
    "Where is the woman that you love?": "你(所)?爱的(那个)?(女人|女子)",
    "He ate the bread that she had baked.": "她(烤|烘)(好|焙)?的面包",
}
REPEATED = re.compile(r"(.)\1\1")


@pytest.fixture(scope="module")
def t() -> TranslationModel:
    return load_transformer(ROOT / "checkpoints" / "en-zh")


@pytest.fixture(scope="module")
def translated(t: TranslationModel) -> dict[str, str]:
    found = t.translate(list(CLAUSES))
    return {s: t.decode(hypothesis) for s, hypothesis in zip(CLAUSES, found, strict=True)}


def test_none_of_these_can_be_made() -> None:
    verbs = {word for row in Agreement("en-zh")._words["asked"] for word in row[0].split()}
    for sentence in CLAUSES:
        clause = sentence.partition(" that ")[2].removesuffix(".").removesuffix("?")
        words = set(clause.split()) - {"had", "was", "is", "for"}
        assert words.isdisjoint(verbs), sentence


def test_the_clause_stands_before_its_noun(translated: dict[str, str]) -> None:
    """12 of 16; before it was trained with such sentences 3. docs/corpora.md says so."""
    right = [s for s, clause in CLAUSES.items() if re.search(clause, translated[s])]
    assert len(right) == 12
    said = (ROOT / "docs" / "corpora.md").read_text(encoding="utf-8")
    assert f"Of {len(CLAUSES)} such sentences" in said
    assert f"has {len(right)} right" in said


def test_nothing_is_said_three_times(translated: dict[str, str]) -> None:
    assert not [text for text in translated.values() if REPEATED.search(text)]


def test_the_sentence_of_the_first_page(t: TranslationModel) -> None:
    for sentence in (DEFAULT_SENTENCE, SECOND_SENTENCE):
        assert t.trace(sentence).target_text == "她把他要的书给了他。"
