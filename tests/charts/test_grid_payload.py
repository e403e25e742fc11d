"""What the browser gets of all maps."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ui.components.attention_grid.payload import UNIT, pack


def _maps(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).dirichlet(np.ones(shape[-1]), shape[:-1]).astype(np.float32)


def _pack(weights: np.ndarray, queries: list[str], keys: list[str]) -> bytes:
    return pack(
        weights, query_tokens=queries, key_tokens=keys, layer=2, head=None, texts={"layer": "L"}
    )


def test_header_and_weights_come_back():
    weights = _maps(2, 3, 5, 7)
    blob = _pack(weights, [*"abcd", "é<b>"], list("tuvwxyz"))
    length = int.from_bytes(blob[:4], "little")
    header = json.loads(blob[4 : 4 + length])
    cells = np.frombuffer(blob[4 + length :], dtype="<u2").reshape(header["shape"])
    assert header["shape"] == [2, 3, 5, 7]
    assert header["queries"][-1] == "é<b>"
    assert (header["layer"], header["head"]) == (2, None)
    assert np.abs(cells / UNIT - weights).max() <= 0.5 / UNIT + 1e-7


def test_the_weights_start_on_an_even_address():
    for text in ("a", "ab", "abc", "abcd", "é"):
        blob = _pack(np.ones((1, 1, 1, 1)), [text], ["k"])
        assert (4 + int.from_bytes(blob[:4], "little")) % 4 == 0


def test_four_layers_of_eight_heads_stay_small():
    blob = _pack(_maps(4, 8, 24, 24), ["token"] * 24, ["token"] * 24)
    assert len(blob) < 40_000


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (np.ones((1, 1, 2, 1)), "do not fit"),
        (np.ones((1, 1)), "do not fit"),
        (np.full((1, 1, 1, 2), 1.5), "must lie in"),
    ],
)
def test_a_wrong_shape_or_weight_is_refused(weights, message):
    with pytest.raises(ValueError, match=message):
        _pack(weights, ["q"], ["a", "b"])


def test_norms_come_back_in_units_of_their_limit():
    norms = np.array([[[[0.5, 2.0, 4.0]]]])
    blob = pack(norms, query_tokens="q", key_tokens="abc", layer=1, head=1, texts={}, limit=4.0)
    length = int.from_bytes(blob[:4], "little")
    cells = np.frombuffer(blob[4 + length :], dtype="<u2")
    assert np.abs(cells / UNIT * 4 - norms.ravel()).max() < 4 / UNIT
    assert json.loads(blob[4 : 4 + length])["limit"] == 4


def test_of_a_covered_row_nothing_is_sent():
    weights = _maps(2, 3, 4, 7)
    blob = pack(
        weights, query_tokens="abcd", key_tokens="tuvwxyz", layer=2, head=None, texts={},
        covered=[1],
    )  # fmt: skip
    length = int.from_bytes(blob[:4], "little")
    header = json.loads(blob[4 : 4 + length])
    cells = np.frombuffer(blob[4 + length :], dtype="<u2").reshape(header["shape"])
    assert header["covered"] == [1]
    assert not cells[:, :, 1].any()
    assert np.abs(cells / UNIT - weights)[:, :, [0, 2, 3]].max() <= 0.5 / UNIT + 1e-7
    assert weights[:, :, 1].all()


def test_what_is_said_of_the_heads_comes_back():
    marks = [([("−1", "Previous <b>")], False), ([], True)]
    blob = pack(
        np.ones((1, 2, 1, 1)),
        query_tokens="q",
        key_tokens="k",
        layer=1,
        head=1,
        texts={},
        marks=marks,
    )
    length = int.from_bytes(blob[:4], "little")
    header = json.loads(blob[4 : 4 + length])
    assert header["marks"] == [[[["−1", "Previous <b>"]], False], [[], True]]


def test_the_letters_of_two_maps_are_told():
    maps, letters = np.ones((1, 2, 1, 1)), [("A", 1, None), ("B", 1, 2)]
    blob = pack(maps, query_tokens="q", key_tokens="k", layer=1, head=None, texts={})
    told = pack(
        maps,
        query_tokens="q",
        key_tokens="k",
        layer=1,
        head=None,
        texts={},
        letters=letters,
        seconds=True,
    )
    plain, header = (json.loads(b[4 : 4 + int.from_bytes(b[:4], "little")]) for b in (blob, told))
    assert (plain["letters"], plain["seconds"]) == ([], False)
    assert (header["letters"], header["seconds"]) == ([["A", 1, None], ["B", 1, 2]], True)
