"""Charts without a pair of axes: dials, paths of tokens, a beam tree."""

import math

import numpy as np
import pytest

from model.pictures.text import text_width
from tests.charts.colour_vision import luminance, settings_of_theme
from tests.charts.complete import complete, rows, value
from ui.charts.beam_tree import Branch, beam_tree_chart
from ui.charts.dials import dials
from ui.charts.scenes import helix, token_paths

TITLES = {"winner": "won", "kept": "stays", "pruned": "given up"}
PATHS = {"layer_titles": ["embedding", "layer 1", "layer 2"]}
POINTS = np.random.default_rng(1).normal(size=(3, 2, 3)).astype(np.float32)


def _hands(before, after, labels):
    """Return two rows for each dial: first all hands before the rotation, then all after it."""
    chart = dials(
        np.array(before),
        np.array(after),
        labels=labels,
        before_title="p",
        after_title="p + k",
        dial_title="wave",
    )
    return rows(chart, "hands")


def test_every_dial_has_two_hands_at_its_two_angles():
    hands = _hands([0.5, 7.0], [1.5, 6.0], ["<b>", "2"])
    angles = [row["angle"] for row in hands]
    assert angles == pytest.approx([0.5, 7.0 - 2 * np.pi, 1.5, 6.0])
    assert [row["from"] for row in hands] == pytest.approx(angles[:2] * 2)
    assert [row["to"] - row["from"] for row in hands] == pytest.approx([1, -1, 1, -1])


def test_the_shaded_angle_of_a_dial_is_less_than_a_full_turn():
    [row, _] = _hands([0.0], [2 * np.pi + 0.25], ["a"])
    assert row["to"] - row["from"] == pytest.approx(0.25)


@pytest.mark.parametrize(("last", "tokens"), [(-1, ["x", "y"]), (3, ["x", "y"]), (0, ["x"])])
def test_token_paths_with_wrong_numbers_of_tokens_or_layers_are_refused(last, tokens):
    with pytest.raises(ValueError, match="do not fit"):
        token_paths(POINTS, tokens, **PATHS, last=last)


@pytest.mark.parametrize("size", [0.01, 1.0, 300.0])
def test_one_unit_has_the_same_length_on_all_axes_for_vectors_of_any_size(size):
    scene = token_paths(size * POINTS, ["x", "y"], **PATHS, last=2).layout.scene
    ratio = scene.aspectratio
    lengths = np.array([ratio.x, ratio.y, ratio.z])
    ends = np.array([scene.xaxis.range, scene.yaxis.range, scene.zaxis.range])
    units_of_length = np.ptp(ends, axis=1) / lengths
    assert units_of_length == pytest.approx(units_of_length[0])
    assert lengths.max() == pytest.approx(1.6)


@pytest.mark.parametrize("token", ["a", "demandé", "·professionnellement", "未经许可的行为"])
def test_a_step_is_as_wide_as_its_longest_token(token: str):
    """Between two steps are 24 pixels for lines; the other steps have no part in it."""
    branches = [
        Branch(1, 0, 0, token, 0.0, "winner"),
        Branch(1, 1, 0, "a", 0.0, "pruned"),
        Branch(2, 0, 0, "professionnellement", 0.0, "winner"),
    ]
    drawn = rows(beam_tree_chart(branches, titles=TITLES, score_title="score"), "branches")
    begins = [row["begin"] for row in drawn]
    assert begins[:2] == [0, 0]
    assert text_width(token, 15) + 24 <= begins[2] < text_width(token, 15) + 25


def test_a_finished_hypothesis_shows_its_score_and_has_room_for_it():
    branches = [
        Branch(1, 0, 0, "<eos>", -0.96, "winner", "−0.96"),
        Branch(2, 0, 0, "c", -3.0, "kept"),
    ]
    end, after = rows(beam_tree_chart(branches, titles=TITLES, score_title="score"), "branches")
    assert (end["text"], after["text"]) == ("<eos> −0.96", "c")
    assert after["begin"] >= text_width("<eos> −0.96", 15) + 24


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_words_of_dropped_hypotheses_can_be_read(theme):
    """They have a colour of the theme, with the contrast of text: WCAG 2.2, 1.4.3."""
    branches = [Branch(1, rank, 0, "a", 0.0, kind) for rank, kind in enumerate(TITLES)]
    *_, words = complete(beam_tree_chart(branches, titles=TITLES, score_title="score"))["layer"]
    names = words["encoding"]["color"]["scale"]["domain"]
    assert "opacity" not in words["encoding"]
    settings = settings_of_theme(theme)
    colour = settings["chartCategoricalColors"][names.index(TITLES["pruned"])]
    low, high = sorted(map(luminance, (colour, settings["backgroundColor"])))
    assert (high + 0.05) / (low + 0.05) >= 4.5


def test_the_helix_climbs_one_position_at_a_time_through_its_sines_and_cosines():
    figure = helix(
        np.array([0.0, 0.5, 1.0, 0.5]),
        np.array([1.0, 0.75, 0.0, -0.75]),
        sine_title="sine",
        cosine_title="cosine",
        position_title="position",
    )
    [curve] = figure.data
    assert list(curve.z) == [0, 1, 2, 3]
    assert list(curve.x) == [0.0, 0.5, 1.0, 0.5]
    assert list(curve.y) == [1.0, 0.75, 0.0, -0.75]
    # The colours begin after the first third of the scale: 2 to 5 on a scale from 0 to 6.
    for colours in (curve.line, curve.marker):
        assert list(colours.color) == [2, 3, 4, 5]
        assert (colours.cmin, colours.cmax) == (0, 6)
    scene = figure.layout.scene
    titles = [axis.title.text for axis in (scene.xaxis, scene.yaxis, scene.zaxis)]
    assert titles == ["sine", "cosine", "position"]
    assert scene.xaxis.range == scene.yaxis.range == (-1.1, 1.1)
    assert (scene.aspectratio.x, scene.aspectratio.y, scene.aspectratio.z) == (1, 1, 1.8)
    assert figure.layout.margin.to_plotly_json() == {"l": 0, "r": 0, "t": 0, "b": 0}


def test_every_path_goes_through_the_drawn_layers_and_the_next_one_begins_after_a_gap():
    paths, markers = token_paths(POINTS, ["x", "y"], **PATHS, last=1).data
    first, second = POINTS[:2, 0, 0], POINTS[:2, 1, 0]  # the first number of each token
    np.testing.assert_allclose(paths.z, [*first, np.nan, *second, np.nan], rtol=1e-6)
    np.testing.assert_allclose(markers.z, [*first, *second], rtol=1e-6)
    np.testing.assert_allclose(markers.x, POINTS[:2, :, 1].T.ravel(), rtol=1e-6)
    np.testing.assert_allclose(markers.y, POINTS[:2, :, 2].T.ravel(), rtol=1e-6)
    assert paths.hoverinfo == "skip"


def test_a_token_is_named_at_its_last_drawn_layer_and_pointed_at_in_each():
    figure = token_paths(POINTS, ["<x>", "y"], **PATHS, last=1)
    _, markers = figure.data
    assert markers.text == ("", "<x>", "", "y")
    assert markers.hovertext == (
        "&lt;x&gt;<br>embedding",
        "&lt;x&gt;<br>layer 1",
        "y<br>embedding",
        "y<br>layer 1",
    )
    # Of three layers the colours are 1.5, 2.5, 3.5 on a scale from 0 to 3.5.
    assert list(markers.marker.color) == [1.5, 2.5, 1.5, 2.5]
    assert (markers.marker.cmin, markers.marker.cmax) == (0, 3.5)
    assert figure.layout.showlegend is False


@pytest.mark.parametrize(
    ("step", "place"),
    [
        ((1, 0, 0), "top center"),  # the first number of a point is its height
        ((-1, 0, 0), "bottom center"),
        ((0, 2.71, 2), "middle right"),  # across the view of an eye at (2, −2.71)
        ((0, -2.71, -2), "middle left"),
        ((0, 2, -2.71), "bottom center"),  # towards the eye, which is above
        ((0, 0, 0), "top center"),
    ],
)
def test_the_name_of_a_token_is_beyond_the_end_of_its_path(step, place):
    points = np.zeros((2, 2, 3))
    points[0, 1], points[1, 1] = (1, 2, 3), np.add((1, 2, 3), step)
    options = {"layer_titles": ["e", "1"]}
    _, markers = token_paths(points, ["x", "y"], **options, last=1).data
    assert list(markers.textposition) == ["top center"] * 2 + [place] * 2
    _, markers = token_paths(points, ["x", "y"], **options, last=0).data
    assert list(markers.textposition) == ["top center"] * 2


def test_the_axes_hold_all_layers_with_a_margin_whichever_is_the_last_drawn():
    points = np.zeros((2, 2, 3), dtype=np.float32)
    points[1, 1] = [10.0, 5.0, 2.0]  # the longest side is 10, so the margin is 0.6
    options = {"layer_titles": ["e", "1"]}
    for last in (0, 1):
        scene = token_paths(points, ["x", "y"], **options, last=last).layout.scene
        assert scene.zaxis.range == pytest.approx((-0.6, 10.6))
        assert scene.xaxis.range == pytest.approx((-0.6, 5.6))
        assert scene.yaxis.range == pytest.approx((-0.6, 2.6))
        assert scene.aspectratio.z == pytest.approx(1.6)
        # the axes are 6.2 and 11.2 long, from the smallest number to the largest with both margins
        assert scene.aspectratio.x == pytest.approx(1.6 * 6.2 / 11.2)


def test_tokens_at_one_point_have_axes_that_can_be_drawn():
    scene = token_paths(0 * POINTS, ["x", "y"], **PATHS, last=2).layout.scene
    assert scene.xaxis.range == pytest.approx((-1e-6, 1e-6))


def test_a_dial_is_shared_by_two_hands_and_has_its_label_below():
    hands = _hands([0.5, 1.0], [1.5, 2.0], ["a", "b"])
    assert [row["place"] for row in hands] == [0.5, 1.5, 0.5, 1.5]
    assert [row["hand"] for row in hands] == ["p", "p", "p + k", "p + k"]
    assert [row["label"] for row in hands] == ["a", "b", "a", "b"]


def test_a_dial_fits_its_space_and_a_hand_is_a_narrow_wedge_on_it():
    chart = dials(
        np.zeros(1), np.ones(1), labels=["a"], before_title="", after_title="", dial_title=""
    )
    assert chart.height == 2 * 56 + 34 + 40
    face, turn, hands, label = complete(chart)["layer"]
    for layer in (face, turn, hands):
        assert layer["mark"]["outerRadius"] == {"expr": "min(56, width / (2.3 * n))"}
        assert layer["encoding"]["y"] == {"value": 58}
    assert (face["mark"]["theta"], face["mark"]["theta2"]) == (0, pytest.approx(2 * np.pi))
    assert {each["as"]: each["calculate"] for each in hands["transform"]} == {
        "left": "datum.angle - 0.06",
        "right": "datum.angle + 0.06",
    }
    assert label["encoding"]["y"] == {"value": 2 * 56 + 17}  # half of its 34 pixels
    for layer in (face, turn, label):  # once for each dial, not once for each of its two hands
        assert layer["transform"] == [{"filter": "datum.hand === names[0]"}]


BRANCHES = [
    Branch(1, 0, 0, "a", -1.0, "winner"),
    Branch(1, 1, 0, "b", -2.0, "pruned"),
    Branch(2, 0, 0, "c", -3.0, "kept"),
]


def test_a_line_leads_from_beside_the_token_before_to_beside_its_token():
    chart = beam_tree_chart(BRANCHES, titles=TITLES, score_title="score")
    [line] = rows(chart, "lines")  # the tokens of the first step follow none
    narrow, wide = (text_width(token, 15) for token in "ab")
    width = math.ceil(wide)  # "b" is wider than "a"
    assert line["start"] == narrow + 4
    assert line["end"] == width + 24 - 4
    assert (line["parent"], line["rank"], line["name"]) == (0, 0, "stays")
    assert [row["name"] for row in rows(chart, "branches")] == ["won", "given up", "stays"]
    assert value(chart, "ranks") == 2
    # 4: letters may be wider than measured
    assert chart.width == width + 24 + math.ceil(text_width("c", 15)) + 4
    assert chart.height == 2 * 34 + 20


def test_lines_of_different_tokens_are_in_different_lanes_which_cross_no_token():
    words = ["a", "professionnellement", "b"]
    branches = [Branch(1, rank, 0, word, 0.0, "kept") for rank, word in enumerate(words)]
    parents = [0, 2, 1, 0, 1]
    branches += [Branch(2, rank, parent, "c", 0.0, "kept") for rank, parent in enumerate(parents)]
    drawn = rows(beam_tree_chart(branches, titles=TITLES, score_title="score"), "lines")
    assert [row["rank"] for row in drawn] == [4, 3, 2, 1, 0]  # the best is over the others
    lanes = {row["parent"]: row["lane"] for row in drawn}
    assert all(row["lane"] == lanes[row["parent"]] for row in drawn)
    end = math.ceil(text_width("professionnellement", 15))
    assert [lanes[parent] for parent in (2, 1, 0)] == [end + 6, end + 12, end + 18]


@pytest.mark.parametrize(("n_steps", "rank_height"), [(2, 34), (3, 52), (20, 56)])
def test_a_presented_tree_has_the_shape_of_the_screen_and_its_usual_width(n_steps, rank_height):
    branches = [
        Branch(step, rank, 0, "donna", 0.0, "kept")
        for step in range(1, n_steps + 1)
        for rank in range(2)
    ]
    usual, presented = (
        beam_tree_chart(branches, titles=TITLES, score_title="score", is_presented=is_presented)
        for is_presented in (False, True)
    )
    assert presented.height == 2 * rank_height + 20
    assert presented.width == usual.width


def test_the_saved_numbers_of_a_tree_count_ranks_from_one():
    numbers = beam_tree_chart(BRANCHES, titles=TITLES, score_title="score").numbers
    assert list(numbers["step"]) == [1, 1, 2]
    assert list(numbers["rank"]) == [1, 2, 1]
    assert list(numbers["continues_rank"]) == [1, 1, 1]


def test_a_tree_is_read_from_the_best_rank_down_and_lines_given_up_are_pale():
    chart = beam_tree_chart(BRANCHES, titles=TITLES, score_title="score")
    *lines, tokens = (layer["encoding"] for layer in complete(chart)["layer"])
    across = {"domain": [0, {"expr": "width"}], "reverse": {"expr": "from_right"}}
    down = {"domain": [-0.7, {"expr": "ranks - 0.3"}], "reverse": True}
    for encoding in (*lines, tokens):
        assert encoding["x"]["scale"] == across | {"nice": False}
        assert encoding["y"]["scale"] == down | {"nice": False}
    pruned = {"test": "datum.kind == 'pruned'", "value": 0.6}
    assert len(lines) == 3  # out of the token before, along a lane, and to the token
    for line in lines:
        assert line["opacity"] == {"condition": pruned, "value": 1}


def test_one_sees_a_scene_from_the_front_right_and_from_above():
    sine = np.zeros(2)
    titles = {"sine_title": "", "cosine_title": "", "position_title": ""}
    scenes = [helix(sine, sine, **titles), token_paths(POINTS, ["x", "y"], **PATHS, last=2)]
    eyes = [(1.7, -2.3, 1.1), (2.0, -2.71, 1.05)]
    for scene, eye, below in zip(scenes, eyes, (-0.1, -0.35), strict=True):
        camera = scene.layout.scene.camera
        assert (camera.eye.x, camera.eye.y, camera.eye.z) == eye
        assert camera.center.z == below  # the picture is a little above the middle
