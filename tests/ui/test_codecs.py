"""The codecs: a link gives back the value it was made from; nonsense gives the default."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ui.test_address import ANYTHING
from ui.state.codecs import Clicked, Flag, Notation, Number, OneOf, SomeOf, Text

NAMES = ("a", "b, c", "d-1")
NUMBERS = Notation(
    frozenset(),
    lambda text: frozenset(int(part) for part in text.split(",") if part in ("1", "2", "3")),
    lambda numbers: ",".join(map(str, sorted(numbers))),
)
CODECS = [  # a codec and some of its values
    (OneOf(NAMES, "a"), NAMES),
    (OneOf(range(5), 3), range(5)),
    (OneOf((True, False), False), (True, False)),
    (SomeOf(NAMES, ["a"]), (["a"], ["b, c", "a"], [*NAMES])),
    (Number(-2, 5, 0), (-2, 0, 5)),
    (Number(0.1, 2.0, 1.0), (0.1, 1 / 3, 2.0)),
    (Flag(), (True, False)),
    (Flag(default=True), (True, False)),
    (Flag(yes="1", no=""), (True, False)),
    (Text(""), ("", "a=b&c", "猫")),
    (Clicked(("x", 0)), (("x", 0), ("product", 12))),
    (Clicked((), lengths=(2, 4)), ((), (1, 2), (1, 2, 3, 4))),
    (NUMBERS, (frozenset(), frozenset({1, 3}))),
]


@pytest.mark.parametrize(("codec", "values"), CODECS)
def test_each_value_comes_back_from_its_text(codec, values):
    for value in values:
        again = codec.read(codec.spell(value), codec.first)
        assert (again, type(again)) == (value, type(value))
        assert codec.read(value, codec.first) == value


@given(st.sampled_from([codec for codec, _ in CODECS]), ANYTHING)
def test_any_text_gives_a_possible_value(codec, anything):
    value = codec.read(anything, codec.first)
    assert codec.read(value, codec.first) == value
    assert type(value) is type(codec.first)


def test_a_flag_is_off_at_first():
    assert Flag().first is Flag(yes="1", no="").first is False


def test_an_impossible_default_becomes_the_nearest_possible_value():
    assert OneOf(("x", "y"), "z").first == "x"
    assert SomeOf(("x", "y"), ["z", "y"]).first == ["y"]
    assert Number(1, 5, 9).first == 5
    assert Number(1, 5, 0).first == 1


@pytest.mark.parametrize("junk", ["product", "product-1-2", "1-1", "product-x", ("product", True)])
def test_a_clicked_value_has_the_types_of_the_default(junk):
    assert Clicked(("x", 0)).read(junk, ("x", 0)) == ("x", 0)
    assert Clicked((), lengths=(2,)).read(junk, ()) == ((1, 1) if junk == "1-1" else ())


def test_a_click_outside_the_possible_values_means_the_default():
    codec = Clicked(("x", 0), is_possible=lambda clicked: clicked[1] < 3)
    assert codec.read("y-2", codec.first) == ("y", 2)
    assert codec.read("y-3", codec.first) == ("x", 0)
