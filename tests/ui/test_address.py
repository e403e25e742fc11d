"""Links: every choice can be linked to, and no link can break a page."""

from dataclasses import asdict, replace
from typing import get_type_hints

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model.interventions.ablation import ABLATION_MODES
from model.transformer.heads import KINDS
from ui.state.address import (
    BEAMS,
    LONGEST,
    NAMES,
    PANELS,
    ROW_NAMES,
    Address,
    clamp_to_model,
    clamp_view,
    decode,
    encode,
    read_heads,
    spell_heads,
)

ANYTHING = st.recursive(  # any value that a browser may send
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
_HEAD = st.tuples(st.sampled_from(KINDS), st.integers(0, 98), st.integers(0, 98))

_OF_TYPE = {int: st.integers(1, 99), str: st.text(max_size=60)}
_FIELDS = {
    name: _OF_TYPE.get(kind, st.from_type(kind)) for name, kind in get_type_hints(Address).items()
}
_ABLATED = st.builds(spell_heads, st.lists(_HEAD, max_size=9))


@given(st.builds(Address, **_FIELDS | {"beam": st.sampled_from(BEAMS), "ablated": _ABLATED}))
def test_encoding_and_decoding_an_address_changes_nothing(address):
    assert decode(encode(address)) == address


# The first example is slow, because hypothesis then makes its table of characters.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=9), ANYTHING))
def test_any_values_give_an_address_whose_link_opens_the_same_address(values):
    address = decode(values)
    fields = {
        "attention": KINDS,
        "panel": PANELS,
        "rows": ROW_NAMES,
        "mode": ABLATION_MODES,
        "beam": BEAMS,
    }
    assert [name for name, allowed in fields.items() if getattr(address, name) not in allowed] == []
    assert type(address.layer) is type(address.head) is int
    assert min(address.layer, address.head) >= 1
    for text in (address.sentence, address.target, address.second, address.show, address.ablated):
        # so the text has no half of a surrogate pair either
        assert len(text.encode()) <= 4 * LONGEST
    assert decode(encode(address)) == address


def test_a_link_has_only_changed_choices_in_terms_that_are_the_same_in_every_language():
    assert encode(Address()) == {}
    assert decode({}) == Address()
    assert encode(Address(sentence="")) == {"sentence": ""}  # an emptied text is not the default
    assert decode({"sentence": ""}).sentence == ""
    address = Address(attention="encoder_self", layer=2, head=5, view="head", rows="read", beam=4)
    link = {"attention": "encoder_self", "layer": "2", "head": "5", "view": "head"}
    assert encode(address) == link | {"rows": "read", "beam": "4"}
    assert encode(address, ("layer", "rows")) == {"layer": "2", "rows": "read"}
    assert encode(Address(sentence="a" * (LONGEST + 1))) == {}
    assert len(decode({"sentence": "a" * 5000}).sentence) == LONGEST


def test_a_choice_that_a_link_leaves_out_has_this_value():
    """Another default would give links that visitors have saved another meaning."""
    assert asdict(Address()) == {
        "sentence": "She gave him the book that he had asked for.",
        "checkpoint": "",
        "attention": "cross",
        "layer": 3,
        "head": 1,
        "view": "mean",
        "rows": "auto",
        "cells": "weights",
        "unit": "subwords",
        "special": "shown",
        "panel": "map",
        "beam": 1,
        "target": "",
        "source_language": "",
        "target_language": "",
        "prefix": "",
        "show": "",
        "ablated": "",
        "mode": "zero",
        "second": "She gave him the car that he had asked for.",
        "beside": "head",
        "second_checkpoint": "",
        "second_layer": 3,
        "second_head": 2,
        "step": 1,
        "second_target": "own",
    }


def test_unknown_fields_are_ignored_and_impossible_values_are_replaced():
    address = decode({"attention": "<b>", "layer": "-3", "head": "0", "beam": "7", "junk": "1"})
    assert address == Address(head=1, beam=4)
    for layer in ("9" * 400, "1" * 10, "٣", True, 2.0, None):
        assert decode({"layer": layer}).layer == Address().layer
    assert decode({"layer": "9" * 9}).layer == 999_999_999
    assert decode({"layer": 2, "beam": 8}) == decode({"layer": "2", "beam": "8"})
    assert [decode({"beam": str(n)}).beam for n in (1, 2, 3, 4, 8, 99)] == [1, 2, 2, 4, 8, 8]
    fitted = clamp_to_model(Address(layer=99, head=99), 4, 8)
    assert (fitted.layer, fitted.head) == (4, 8)
    assert clamp_to_model(Address(layer=2, head=3), 4, 8) == Address(layer=2, head=3)
    rollout = Address(view="rollout", attention="encoder_self")
    assert clamp_to_model(rollout, 4, 8) == rollout
    # rollout does not exist for these
    for other in ({"attention": "cross"}, {"cells": "value_norms"}):
        assert clamp_to_model(replace(rollout, **other), 4, 8) == replace(
            rollout, **other, view="mean"
        )
    assert clamp_view(Address(show="second"), ("first", "second")).show == "second"
    for name in ("", "first", "elsewhere", "<b>"):  # the first view needs no name
        assert clamp_view(Address(show=name), ("first", "second")).show == ""


@given(st.sets(_HEAD, max_size=96))
def test_a_set_of_heads_is_read_as_it_was_written(heads):
    spelt = spell_heads(heads)
    assert set(read_heads(spelt)) == heads
    assert len(spelt) <= LONGEST


@given(st.text(alphabet="edcx0123456789.-", max_size=40))
def test_text_that_names_no_head_is_left_out(text):
    for kind, layer, head in read_heads(text):
        assert kind in KINDS
        assert min(layer, head) >= 0
        assert f"{kind[0]}{layer + 1}.{head + 1}" in text.split("-")
