"""Links: what is chosen can be linked to, and no link can break the page."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from model.heads.ablation import MODES
from model.maps.view import AGGREGATES, CELLS, UNITS
from model.trace.transformer import KINDS, ROWS
from ui.state.address import (
    BEAMS,
    BESIDE,
    LONGEST,
    NAMES,
    PANELS,
    SECOND_TARGETS,
    SPECIALS,
    Address,
    decode,
    encode,
    possible,
    read_heads,
    showing,
    spell_heads,
    within,
)

_TEXT = st.text(max_size=60)
_HEAD = st.tuples(st.sampled_from(KINDS), st.integers(0, 98), st.integers(0, 98))

ADDRESSES = st.builds(
    Address,
    sentence=_TEXT,
    checkpoint=_TEXT,
    attention=st.sampled_from(KINDS),
    layer=st.integers(1, 99),
    head=st.integers(1, 99),
    view=st.sampled_from(AGGREGATES),
    rows=st.sampled_from(ROWS),
    cells=st.sampled_from(CELLS),
    unit=st.sampled_from(UNITS),
    special=st.sampled_from(SPECIALS),
    panel=st.sampled_from(PANELS),
    beam=st.sampled_from(BEAMS),
    target=_TEXT,
    show=_TEXT,
    ablated=st.builds(spell_heads, st.lists(_HEAD, max_size=9)),
    mode=st.sampled_from(MODES),
    second=_TEXT,
    beside=st.sampled_from(BESIDE),
    second_checkpoint=_TEXT,
    second_layer=st.integers(1, 99),
    second_head=st.integers(1, 99),
    second_target=st.sampled_from(SECOND_TARGETS),
)


@given(ADDRESSES)
def test_what_is_encoded_is_decoded(address):
    assert decode(encode(address)) == address


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=9), st.text(max_size=30)))
def test_any_link_gives_an_address_that_links_to_itself(parameters):
    address = decode(parameters)
    assert address.attention in KINDS
    assert address.beam in BEAMS
    assert address.layer >= 1
    assert address.head >= 1
    assert decode(encode(address)) == address


def test_defaults_need_no_parameters():
    assert encode(Address()) == {}
    assert decode({}) == Address()


def test_an_emptied_sentence_is_not_the_default_one():
    assert encode(Address(sentence="")) == {"sentence": ""}
    assert decode({"sentence": ""}).sentence == ""


def test_values_are_the_same_in_every_language():
    address = Address(attention="encoder_self", layer=2, head=5, view="head", rows="read", beam=4)
    assert encode(address) == {
        "attention": "encoder_self",
        "layer": "2",
        "head": "5",
        "view": "head",
        "rows": "read",
        "beam": "4",
    }


def test_junk_is_ignored_and_numbers_are_clamped():
    address = decode({"attention": "<b>", "layer": "-3", "head": "0", "beam": "7", "junk": "1"})
    assert address == Address(head=1, beam=4)
    assert decode({"layer": "9" * 400}).layer == Address().layer
    assert decode({"layer": "٣"}).layer == Address().layer
    fitted = within(Address(layer=99, head=99), n_layers=4, n_heads=8)
    assert (fitted.layer, fitted.head) == (4, 8)


def test_a_rollout_that_is_not_defined_becomes_the_mean():
    rollout = Address(view="rollout", attention="encoder_self")
    assert possible(rollout) == rollout
    assert possible(Address(view="rollout", attention="cross")).view == "mean"
    norms = Address(view="rollout", attention="encoder_self", cells="value_norms")
    assert possible(norms).view == "mean"


def test_a_page_links_only_to_its_own_choices():
    address = Address(sentence="Hello.", layer=2)
    assert encode(address, ("sentence",)) == {"sentence": "Hello."}


def test_very_long_texts_stay_out_of_links():
    assert encode(Address(sentence="a" * (LONGEST + 1))) == {}
    assert len(decode({"sentence": "a" * 5000}).sentence) == LONGEST


@given(st.sets(_HEAD, max_size=96))
def test_a_set_of_heads_is_read_as_it_was_spelt(heads):
    spelt = spell_heads(heads)
    assert set(read_heads(spelt)) == heads
    assert len(spelt) <= LONGEST


@given(st.text(alphabet="edcx0123456789.-", max_size=40))
def test_what_is_no_head_is_left_out(text):
    for kind, layer, head in read_heads(text):
        assert kind in KINDS
        assert min(layer, head) >= 0
        assert f"{kind[0]}{layer + 1}.{head + 1}" in text.split("-")


def test_an_experiment_that_a_page_lacks_becomes_its_first():
    shows = ("first", "second")
    assert showing(Address(show="second"), shows).show == "second"
    for name in ("", "first", "elsewhere", "<b>"):
        assert showing(Address(show=name), shows).show == ""
