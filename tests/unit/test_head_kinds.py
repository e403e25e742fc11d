"""What a head is called for and which one aligns best; links made by people, as they are read."""

from types import SimpleNamespace

import pytest

from benchmarks.detokenize import detokenize
from benchmarks.shared_tasks import read_gold
from model.alignment.error_rate import METHODS
from model.heads.analysis_file import Relation, Relations, Syntax
from model.heads.kinds import MeasuredKind, best_awi_head, kinds_of
from model.transformer.heads import KINDS


def analysis(offset: int = 4, share: float = 0.2, sink: float = 0.1, **others):
    """One layer of two heads; the second has these statistics."""
    dull = SimpleNamespace(offset=0, offset_share=0.5, sink_mass=0.5)
    head = SimpleNamespace(offset=offset, offset_share=share, sink_mass=sink)
    statistics = {kind: [[dull, head]] for kind in KINDS}
    found = {"statistics": statistics, "alignment": None, "syntax": None} | others
    return SimpleNamespace(occurrences=None, sentences=500, **found)


def names(found: tuple[MeasuredKind, ...]) -> list[str]:
    return [one.kind for one in found]


@pytest.mark.parametrize(
    ("offset", "itself", "across"),
    [
        (-1, "previous", "diagonal"),
        (0, "itself", "diagonal"),
        (1, "next", "diagonal"),
        (2, "fixed", "fixed"),
        (-3, "fixed", "fixed"),
    ],
)
def test_a_place_in_more_than_half_of_the_rows(offset, itself, across):
    measured = analysis(offset, 0.51)
    assert kinds_of(measured, "encoder_self", 0, 1) == (
        MeasuredKind(itself, 0.51, 500, offset=offset),
    )
    assert names(kinds_of(measured, "decoder_self", 0, 1)) == [itself]
    assert names(kinds_of(measured, "cross", 0, 1)) == [across]
    assert kinds_of(analysis(offset, 0.5), "encoder_self", 0, 1) == ()


def test_half_is_not_more_than_half():
    assert kinds_of(analysis(), "encoder_self", 0, 0) == ()
    assert kinds_of(analysis(sink=0.5), "cross", 0, 1) == ()
    assert kinds_of(analysis(sink=0.51), "cross", 0, 1) == (MeasuredKind("sink", 0.51, 500),)


def test_alignment_is_the_best_of_the_readings_and_of_cross_attention_alone():
    heads = {name: [[0.9, 0.9]] for name in METHODS}
    heads |= {"weights AWO": [[0.4, 0.6]], "norms AWI": [[0.45, 0.49]]}
    rates = {name: SimpleNamespace(heads=of) for name, of in heads.items()}
    measured = analysis(alignment=SimpleNamespace(pairs=77, rates=rates, halves=None))
    assert kinds_of(measured, "cross", 0, 1) == (MeasuredKind("alignment", 0.49, 77),)
    assert kinds_of(measured, "cross", 0, 0) == (MeasuredKind("alignment", 0.4, 77),)
    assert kinds_of(measured, "encoder_self", 0, 1) == ()
    heads["norms AWI"][0][1] = 0.5
    assert kinds_of(measured, "cross", 0, 1) == ()


def test_relations_are_of_the_encoder_and_come_last():
    relation = Relation(offset=1, baseline=0.3, heads=[[0.9, 0.4]], like=[[False, True]])
    none = Relation(offset=1, baseline=0.3, heads=[[0.9, 0.4]], like=[[False, False]])
    measured = analysis(1, 0.8, 0.7, syntax=Syntax(120, Relations(relation, none, none, none)))
    found = kinds_of(measured, "encoder_self", 0, 1)
    assert names(found) == ["next", "sink", "verb_object"]
    assert found[-1] == MeasuredKind("verb_object", 0.4, 120, baseline=0.3)
    assert kinds_of(measured, "encoder_self", 0, 0) == ()
    assert names(kinds_of(measured, "decoder_self", 0, 1)) == ["next", "sink"]


def test_the_head_with_the_smallest_error_of_its_weights():
    first = {"weights AWI": [0.5, 0.4, 0.3], "weights AWO": [0.1, 0.4, 0.3]}
    first |= {"norms AWI": [0.5, 0.1, 0.3]}
    second = [0.6, 0.29, 0.7]
    rates = {name: SimpleNamespace(heads=[row, second]) for name, row in first.items()}
    aligned = analysis(alignment=SimpleNamespace(rates=rates))
    for found, best in ((aligned, (1, 1)), (analysis(), None), (None, None)):
        assert best_awi_head(found) == best


@pytest.fixture
def gold(tmp_path):
    def read(*contents, **how):
        paths = tmp_path / "x.text", tmp_path / "x.gold"
        for path, content in zip(paths, contents, strict=True):
            path.write_text(content, "utf-8")
        return read_gold(*paths, **how)

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
def test_written_as_a_person_would(words, language, text):
    pieces = detokenize(words.split(), language)
    assert "".join(pieces) == text
    assert len(pieces) == len(words.split())


def test_words_count_from_one_in_the_file_and_sure_links_are_possible(gold):
    text = "the cat 's tail .   ||| la queue de le chat .  \n"
    [pair] = gold(text, "1-1 4p2 2-5\n", languages=("en", "fr"))
    assert (pair.source, pair.target) == ("the cat's tail.", "la queue de le chat.")
    assert pair.source_words == ("the", " cat", "'s", " tail", ".")
    assert pair.sure == {(0, 0), (1, 4)}
    assert pair.possible == {(0, 0), (1, 4), (3, 1)}


def test_the_second_sentence_may_be_the_source_and_a_pair_have_no_link(gold):
    text = "他 说 : 好 ? ||| he said : good ?\nc ||| d\n"
    pair, second = gold(text, "1-2 4p5\n\n", languages=("fr", "zh"), reverse=True)
    assert not second.possible
    assert pair.source == "he said : good ?"  # of the language that was given for the source
    assert pair.target == "他说：好？"
    assert pair.target_words == ("他", "说", "：", "好", "？")
    assert pair.sure == {(1, 0)}
    assert pair.possible == {(1, 0), (4, 3)}


@pytest.mark.parametrize(
    ("text", "links", "said"),
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
def test_what_is_no_alignment_gets_a_sentence(gold, text, links, said, tmp_path):
    with pytest.raises(ValueError, match=said):
        gold(text, links)
    with pytest.raises(ValueError, match="cannot read the alignments"):
        read_gold(tmp_path / "no.text", tmp_path / "no.gold")
