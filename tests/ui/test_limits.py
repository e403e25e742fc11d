"""The limits of the operator, and texts that are refused with a sentence, before any work."""

from pathlib import Path

import pytest

from model import InputError
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.translation_model import load
from tests.hub_models import save_folder
from tests.ui.app import html_of, open_by_any_link, run
from tests.ui.drawn import OPTIONS
from ui.state import limits
from ui.state.limits import TOKENS_VARIABLE, LimitError, sentence_tokens
from ui.state.models import open_model, trace_of

VARIABLES = TOKENS_VARIABLE, limits.MEMORY_VARIABLE, limits.REPLICAS_VARIABLE
HUGE = "a" * 500_000
BOXES = [  # each text box: its page, the choices that show it, its key
    ("app.py", {}, "choice.sentence"),
    ("pages/explorer.py", {}, "choice.sentence"),
    ("pages/explorer.py", {}, "choice.target"),
    ("pages/experiments.py", {"show": "pair"}, "choice.second"),
    ("pages/masks.py", {"show": "batch"}, "masks.other.2"),
    ("pages/positions.py", {"show": "order"}, "positions.second"),
    ("pages/from_rnn.py", {}, "choice.sentence"),
]


@pytest.fixture
def lengths(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Record the length of each text that is split into tokens."""
    sizes: list[int] = []
    encode = ByteLevelTokenizer.encode

    def watched(self, text, side="source"):
        sizes.append(len(text))
        return encode(self, text, side)

    monkeypatch.setattr(ByteLevelTokenizer, "encode", watched)
    return sizes


def test_a_text_with_too_many_characters_is_refused_without_tokenizing(lengths):
    for page, choices, key in BOXES:
        # a few pages have a box of options, which is opened
        app = open_by_any_link(page, {**choices, OPTIONS: "True"})
        lengths.clear()
        [box] = [each for each in (*app.text_input, *app.text_area) if each.key == key]
        box.max_chars = 0  # a browser would limit the typing, but a hostile client would not
        box.set_value(HUGE)
        assert "are possible here: use a shorter one" in html_of(run(app)), key
        assert max(lengths, default=0) < 2000
    lengths.clear()
    for sentence, target in ((HUGE, ""), ("I see.", HUGE)):  # the text may come from a link as well
        with pytest.raises(InputError, match="500,000"):
            trace_of(open_model(""), sentence, target=target)
    assert not lengths


def test_without_a_translation_the_options_are_open():
    """The visitor can choose a different checkpoint there, which may accept the text."""
    for sentence, is_open in ((HUGE[:2000], True), ("I see.", False)):
        app = open_by_any_link("pages/explorer.py", {"sentence": sentence})
        [options] = [each for each in app.expander if each.label == "Options"]
        assert options.proto.expanded == is_open


def test_the_operator_can_set_each_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def in_force() -> tuple[int, int, int]:
        return sentence_tokens(), limits.memory_bytes(), limits.replicas()

    assert in_force() == (100, 10**9, 1)
    for values, expected in (((" 7 ", "12345", "4"), (7, 12345, 4)), (("", "", " "), in_force())):
        for name, value in zip(VARIABLES, values, strict=True):
            monkeypatch.setenv(name, value)
        assert in_force() == expected
    monkeypatch.setenv(TOKENS_VARIABLE, "7")
    assert (limits.target_tokens(), limits.target_characters()) == (13, 130)
    assert limits.sentence_characters() == 70
    monkeypatch.setenv(TOKENS_VARIABLE, "3")
    assert sentence_tokens() == 3


def test_a_text_may_have_ten_characters_for_each_possible_token() -> None:
    """A tokenizer would accept more, because single tokens can be longer."""
    t = open_model("")
    for sentences, target, limit in (
        (["a" * 1001], None, 1000),
        (["I see.", "a" * 1001], None, 1000),
        (["I see."], "a" * 1061, 1060),
    ):
        with pytest.raises(InputError) as error:
            limits.read_within_limits(t, *sentences, target=target)
        expected = ("too_many_characters", limit + 1, limit)
        assert (error.value.reason, error.value.n, error.value.limit) == expected
    limits.refuse_long("a" * 1000, target="a" * 1060)


def test_maps_of_many_heads_fit_into_one_message(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(limits, "EXTRA_TOKENS", 50)  # the value of the app, not of tests
    sizes = {"num_layers": 24, "num_heads": 16, "d_kv": 2}
    t = load(save_folder("t5", tmp_path / "t5", **sizes))
    # 2 bytes per cell; 16 heads and their mean in 24 layers; 10 MB minus 5 % for labels
    assert 2 * 17 * 24 * (57 + 50) ** 2 <= 9_500_000 < 2 * 17 * 24 * (58 + 50) ** 2
    assert limits.tokens_with_maps(t) == 57
    assert len(limits.read_within_limits(t, "a " * 20)[0]) <= 57
    for sentence, target, limit in (("a " * 60, None, 57), ("a", "a " * 120, 108)):
        with pytest.raises(InputError) as error:
            limits.read_within_limits(t, sentence, target=target)
        assert (error.value.reason, error.value.limit) == ("too_many_maps", limit)
    monkeypatch.setenv(TOKENS_VARIABLE, "20")
    with pytest.raises(InputError) as error:
        limits.read_within_limits(t, "a " * 60)
    assert (error.value.reason, error.value.limit) == ("too_long", 20)


@pytest.mark.parametrize(
    ("with_maps", "reason"),  # tokens whose maps fit; the model reads 61
    [(60, "too_many_maps"), (61, "too_long"), (62, "too_long")],
)
def test_maps_are_named_only_where_the_model_itself_reads_more(with_maps, reason, monkeypatch):
    t = open_model("")
    assert t.config.max_length == 61 < sentence_tokens()
    monkeypatch.setattr(limits, "tokens_with_maps", lambda _: with_maps)
    with pytest.raises(InputError) as error:
        limits.read_within_limits(t, "a " * 70)
    assert (error.value.reason, error.value.limit) == (reason, min(with_maps, 61))


def test_maps_of_our_own_models_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "EXTRA_TOKENS", 50)
    assert limits.tokens_with_maps(open_model("")) > sentence_tokens()


@pytest.mark.parametrize(
    "nonsense", ["many", "-5", "2", "1001", "999999999", "1.5", "1e3", "١٠٠", "9" * 5000]
)
def test_an_invalid_limit_gets_a_message_with_a_valid_form(nonsense, monkeypatch) -> None:
    monkeypatch.setenv(TOKENS_VARIABLE, nonsense)
    with pytest.raises(LimitError, match=f"^{TOKENS_VARIABLE} is .* number from 3 to 1000, "):
        sentence_tokens()


def test_each_limit_has_a_least_and_a_largest_value(monkeypatch) -> None:
    for variable, least, largest, read in (
        (TOKENS_VARIABLE, 3, 1000, limits.sentence_tokens),
        (limits.MEMORY_VARIABLE, 1, 10**15, limits.memory_bytes),
        (limits.REPLICAS_VARIABLE, 1, 64, limits.replicas),
    ):
        for value in (least, largest):
            monkeypatch.setenv(variable, str(value))
            assert read() == value
        for value in (least - 1, largest + 1):
            monkeypatch.setenv(variable, str(value))
            with pytest.raises(LimitError, match=f" from {least} to {largest}, "):
                read()


def test_texts_with_as_many_characters_as_a_box_accepts_are_not_refused() -> None:
    sentence, target = "a" * limits.sentence_characters(), "a" * limits.target_characters()
    limits.refuse_long(sentence, sentence, target=target)
    for texts, translation in ([sentence, f"{sentence}a"], ""), ([sentence], f"{target}a"):
        with pytest.raises(InputError) as error:
            limits.refuse_long(*texts, target=translation)
        assert (error.value.reason, error.value.n) == (
            "too_many_characters",
            error.value.limit + 1,
        )
