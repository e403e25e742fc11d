"""Word alignments made by people, in the file format of the shared tasks."""

import pytest

from benchmarks.detokenize import detokenize
from benchmarks.shared_tasks import read_gold


@pytest.fixture
def gold(tmp_path):
    """Return a function that reads alignments from the contents of the two files."""

    def read(*contents, **options):
        paths = tmp_path / "x.text", tmp_path / "x.gold"
        for path, content in zip(paths, contents, strict=True):
            path.write_text(content, "utf-8")
        return read_gold(*paths, **options)

    return read


@pytest.mark.parametrize(
    ("words", "language", "text"),
    [
        ("I do n't know , Mr. Chairman .", "en", "I don't know, Mr. Chairman."),
        ("the workers ' rights and Tom 's", "en", "the workers' rights and Tom's"),
        ("( two ) of $ 5 [ at most ] : 60 % ?", "en", "(two) of $5 [at most]: 60%?"),
        ('a " big " house and a " small " one', "en", 'a "big" house and a "small" one'),
        ("est - ce aujourd' hui ? « oui » , 5 %", "fr", "est - ce aujourd'hui ? « oui », 5 %"),
        ("le appui de le député .", "fr", "le appui de le député."),
        ('5月 22日 , " 世行 " 的 NBA 2 0 ( 任 峰 )', "zh", '5月22日，"世行"的NBA 2 0（任峰）'),
        ("1,500 人 。", None, "1,500人。"),
    ],
)
def test_sentences_are_joined_into_normal_spelling(words, language, text):
    pieces = detokenize(words.split(), language)
    assert "".join(pieces) == text
    assert len(pieces) == len(words.split())


def test_words_are_numbered_from_1_in_the_file_and_sure_links_are_also_possible(gold):
    text = "the cat 's tail .   ||| la queue de le chat .  \n"
    [pair] = gold(text, "1-1 4p2 2-5\n", languages=("en", "fr"))
    assert (pair.source, pair.target) == ("the cat's tail.", "la queue de le chat.")
    assert pair.source_words == ("the", " cat", "'s", " tail", ".")
    assert pair.sure == {(0, 0), (1, 4)}
    assert pair.possible == {(0, 0), (1, 4), (3, 1)}


def test_the_second_sentence_can_be_the_source_and_a_pair_can_have_no_links(gold):
    text = "他 说 : 好 ? ||| he said : good ?\nc ||| d\n"
    pair, second = gold(text, "1-2 4p5\n\n", languages=("fr", "zh"), reverse=True)
    assert not second.possible
    assert pair.source == "he said : good ?"  # the spelling follows the language of the source
    assert pair.target == "他说：好？"
    assert pair.target_words == ("他", "说", "：", "好", "？")
    assert pair.sure == {(1, 0)}
    assert pair.possible == {(1, 0), (4, 3)}


@pytest.mark.parametrize(
    ("text", "links", "message"),
    [
        ("a ||| b\n ||| d\n", "1-1\n1-1\n", r"line 2 of .*x\.text should be words"),
        ("a ||| b ||| c\n", "1-1\n", "should be words"),
        ("a ||| b\n", "1-1 2:1\n", r"line 1 of .*x\.gold should hold links .*not '2:1'"),
        ("a ||| b\n", "1-1-1\n", "not '1-1-1'"),
        ("a b ||| c\n", "2-2\n", "holds the link 2-2, but .* words 1 to 2 and 1 to 1"),
        ("a b ||| c\n", "3p1\n", "holds the link 3p1"),
        ("a b ||| c\n", "0-1\n", "holds the link 0-1"),
        ("a ||| b\nc ||| d\n", "1-1\n", r"has 2 lines and .*x\.gold has 1"),
    ],
)
def test_an_invalid_alignment_gets_a_message(gold, text, links, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        gold(text, links)
    with pytest.raises(ValueError, match="cannot read the alignments"):
        read_gold(tmp_path / "no.text", tmp_path / "no.gold")
