"""Lesson: every control changes the pictures, which show the model's numbers."""

import base64
import json

import numpy as np
import pytest
import torch

from model.lessons.positions import (
    bits,
    chance_cosine,
    compare_orders,
    doubling_pairs,
    rotation,
    similarity,
    similarity_at,
    wavelengths,
)
from model.pictures.tokens import display
from model.trace.residual_stream import cosines
from model.transformer.positional import frequencies, positional_encoding, wave_names
from tests.tolerance import assert_same
from tests.ui.drawn import EN, SENTENCE, opens
from ui.lessons.positions.model import FIRST, SECOND
from ui.text.numbers import signed

D_MODEL = 66
_lesson = opens("positions")


def test_the_matrix_is_that_of_the_model_and_its_rows_are_the_visitors_tokens(t):
    # numbers in a table of learned positions
    assert f"**{61 * D_MODEL:,}**" in _lesson("contrast").text
    page = _lesson("matrix").use({"positions.count": 20})
    for sentence in (SENTENCE, "You see"):
        page.use({"choice.sentence": sentence})
        tokens = display(t.trace(sentence).src_tokens)
        rows = [f"{p} {token}" for p, token in enumerate(tokens)]
        rows += [str(p) for p in range(len(tokens), 20)]
        shown = {EN("positions.matrix"): t.model.src_embedding.positions[:20, :64]}
        names = wave_names(D_MODEL)[:64]
        page.matrices_are("positions.matrix", shown, rows=rows, columns=names)


def test_waves_are_columns_of_the_matrix():
    page = _lesson("waves", **{"positions.wave_count": "30"})
    page.use({"positions.dimensions": [4, 7]})
    waves, lengths = page.charts()
    curves = waves.series("curves", "curve", "y")
    longest = wavelengths(D_MODEL)
    x = waves.series("curves", "curve", "x")
    for n, name in zip((4, 7), curves, strict=True):
        np.testing.assert_allclose(x[name], np.arange(0, 29.25, 0.25))
        assert_same(curves[name][::4], positional_encoding(30, D_MODEL)[:, n], largest=29)
    wavelength = EN("positions.wavelength")
    titles = "positions.wave", "positions.wavelength"
    lengths.curves_are({wavelength: longest}, np.arange(D_MODEL // 2), titles, log="y")
    page.use({"positions.dimensions": []})
    assert 'role="alert"' in page.html


def test_the_helix_is_drawn_from_a_wave_and_its_companion():
    page = _lesson("helix").use({"positions.helix_n": 20})
    for pair in doubling_pairs(D_MODEL, 6):
        page.use({"positions.helix_wave": pair})
        [chart] = page.app.get("plotly_chart")
        scene = json.loads(chart.proto.spec)
        [curve] = scene["data"]
        points = np.stack([_numbers(curve[axis]) for axis in "xyz"])
        wave = positional_encoding(20, D_MODEL)[:, [2 * pair, 2 * pair + 1]].T
        np.testing.assert_array_equal(points, [*wave, np.arange(20)])


def test_a_model_with_only_two_waves_shows_the_second(monkeypatch):
    monkeypatch.setattr("ui.lessons.positions.waves._N_HELICES", 2)
    second = doubling_pairs(D_MODEL, 2)[1]
    assert _lesson("helix").control("positions.helix_wave").value == second


def _numbers(packed: dict[str, str]) -> np.ndarray:
    return np.frombuffer(base64.b64decode(packed["bdata"]), packed["dtype"])


def test_the_counter_shows_binary_numbers():
    page = _lesson("counter", **{"positions.counter_count": "9"})
    pairs = doubling_pairs(D_MODEL, 6)[::-1]
    waves = positional_encoding(9, D_MODEL)[:, [2 * pair for pair in pairs]].numpy()
    for shown, values in (("value", waves), ("sign", np.sign(waves))):
        page.use({"positions.shown": shown})
        (_, bits_drawn), (_, sines) = page.matrices("positions.counter")
        np.testing.assert_array_equal(bits_drawn, bits(9, 6).flip(1))
        np.testing.assert_array_equal(sines, values)


def test_the_distance_curve_is_a_row_of_the_matrix():
    page = _lesson("distance", **{"positions.p": "33"})
    for p in (33, 0):
        page.use({"positions.p": p})
        table, offsets = similarity(40, D_MODEL).numpy(), np.arange(-39.0, 40)
        row = np.full(79, np.nan)
        row[39 - p : 79 - p] = table[p]
        names = [*map(str, range(40))]
        shown = {EN("positions.similarity"): table}
        page.matrices_are("positions.similarity", shown, rows=names)
        formula = similarity_at(torch.tensor(offsets), D_MODEL)
        curves = {EN("positions.formula"): formula, EN("positions.row", p=p): row}
        titles = "positions.offset", "positions.dot"
        page.charts()[0].curves_are(curves, offsets, titles, mark=[0])
    page.click("positions.similarity", [0, 7, 3])
    assert page.app.slider(key="positions.p").value == 7
    assert page.link["positions.p"] == "7"
    for junk in ([0, 40, 0], [0, 3, -1], [1, 3, 0], [-1, 3, 0], ["0", 3, 0], "x", None, [3]):
        assert page.click("positions.similarity", junk).link["positions.p"] == "7"


@pytest.mark.parametrize(("p", "k"), [(3, 5), (60, -7)])
def test_the_dials_and_the_matrix_rotate_by_k(p, k):
    page = _lesson("rotation").use({"positions.from": p, "positions.k": k})
    pairs = doubling_pairs(D_MODEL, 8)
    [dials] = page.charts()
    hands, w = dials.tables["hands"], frequencies(D_MODEL)[pairs].numpy()
    expected = np.concatenate([p * w, (p + k) * w]) % (2 * np.pi)
    np.testing.assert_allclose(hands["angle"], expected)
    (header, m_k), (_, before), (_, after) = page.matrices("positions.m_k")
    shown = [dimension for pair in pairs for dimension in (2 * pair, 2 * pair + 1)]
    assert_same(m_k, rotation(k, D_MODEL)[shown][:, shown])
    for vector, at in ((before, p), (after, p + k)):
        assert_same(vector[:, 0], positional_encoding(1, D_MODEL, first=at)[0, shown])
    assert_same(m_k @ before, after)
    assert header["title"] == {5: "M₅", -7: "M₋₇"}[k]


def test_word_orders_are_compared_with_and_without_positions(t):
    page = _lesson("order")
    for first, second in ((FIRST, SECOND), ("I see a cat", "a cat see I")):
        page.use({"positions.first": first, "positions.second": second})
        limits, largest = [], []
        for name, metric, on in zip(
            ("without", "with"), page.app.metric, (False, True), strict=True
        ):
            result = compare_orders(t, first, second, positions=on)
            shown = {EN(f"positions.{name}"): result.distance}
            labels = {"rows": display(result.first), "columns": display(result.second)}
            key = f"positions.distances_{name}"
            page.matrices_are(key, shown, **labels, largest=20)
            # each token of the first order is framed where it is in the second one
            [(matrix, _)] = page.matrices(key)
            tokens = [result.second[column] for _, column in matrix["frames"]]
            assert tokens == [*result.first]
            assert EN(f"positions.{'other' if on else 'same'}_outputs") in page.text
            limits.append(page.matrices(key)[0][0]["limit"])
            largest.append(float(result.distance.max()))
            # without positions, the distance is almost zero
            near = result.largest + 0.005 if on else 1e-5
            assert result.largest - 0.005 <= float(metric.value) <= near
        assert result.largest > 0.01
        # both pictures have the same colour scale
        assert limits == [pytest.approx(max(largest))] * 2


@pytest.mark.parametrize("text", ["", "word " * 39, "I see a cat"])
def test_impossible_comparisons_get_a_message(text):
    page = _lesson("order").use({"positions.first": text})
    assert ("same words" if "see" in text else 'role="alert"') in page.html
    assert not page.metrics


def test_the_norms_are_those_of_the_visitors_sentence(t):
    page = _lesson("addition")
    for sentence in (SENTENCE, "You see"):
        page.use({"choice.sentence": sentence})
        trace = t.trace(sentence)
        token = trace.records["encoder.token_embedding"]
        position = trace.records["encoder.position"]
        total = trace.records["encoder.embedded"]
        norms = {
            EN("positions.token_embedding"): np.linalg.norm(token, axis=-1),
            EN("positions.position_vector"): np.linalg.norm(position, axis=-1),
            EN("positions.embedded"): np.linalg.norm(total, axis=-1),
        }
        titles = "positions.token", "positions.norm"
        page.charts()[0].columns_are(norms, display(trace.src_tokens), titles)
        angles = cosines(token, position)
        sentence_about_cosines = EN(
            "positions.cosines",
            d_model=D_MODEL,
            mean=signed(angles.mean()),
            low=signed(angles.min()),
            high=signed(angles.max()),
            norm=f"{np.sqrt(D_MODEL / 2):.2f}",
            chance=f"{chance_cosine(D_MODEL):.2f}",
        )
        assert sentence_about_cosines in page.text


def test_other_encodings_are_drawn_with_a_position_beyond_the_table_and_a_rotation():
    pictures = _lesson("contrast").pictures
    assert_same(pictures[EN("positions.contrast.waves")], positional_encoding(16, 16))
    learned = pictures[EN("positions.contrast.learned")]
    assert np.isnan(learned).any(axis=1).tolist() == [False] * 12 + [True] * 4
    turned = pictures[EN("positions.contrast.rope", p=3)]
    # the matrix rotates and does not stretch
    np.testing.assert_allclose(turned @ turned.T, np.eye(16), atol=1e-6)
    assert_same(turned @ positional_encoding(1, 16)[0].numpy(), positional_encoding(4, 16)[3])
