"""The experiments show what the model does without a head, a token or its training."""

import re

import numpy as np
import pytest
import torch
from torch import Tensor

from model import TranslationModel, load
from model.interventions import ablation
from model.interventions.ablation import ablation_effect, ablations_of
from model.interventions.leave_one_out import concatenated, kendall_tau, leave_one_token_out
from model.interventions.patching import Pair, patch_each
from model.maps.measures import column_mass, entropy, is_special_or_punctuation
from model.maps.two_maps import common_positions, map_difference
from model.pictures.tokens import display, display_subword
from model.trace.tracing import trace_pair
from model.trace.transformer import Trace
from model.transformer.masks import no_mask
from model.transformer.transformer import untrained
from tests.tolerance import assert_same
from tests.ui.app import blob
from tests.ui.drawn import EN, SENTENCE, Page, opens
from tests.ui.saved_files import Files, generated
from ui.state.address import spell_heads
from ui.state.memory import memory
from ui.state.speed import Speed
from ui.text.markup import escape_markdown
from ui.text.numbers import decimals, signed

OTHER = "I see a dog."
_page = opens("experiments", layer="2", head="3")
OFF = {("cross", 1, 2), ("encoder_self", 0, 0)}
KINDS = ("encoder_self", "decoder_self", "cross")
ROWS = [EN(f"experiments.row.{kind}", n=n) for kind in KINDS for n in (1, 2)]
OF_HEAD = {"layer": 2, "head": 3}
HEADS, CHANGE = EN("experiments.heads"), EN("experiments.change_row")


def _expect_off(page: Page, *cells: tuple[int, int]) -> None:
    """Expect these rows and columns of the grid to be hatched."""
    grid = np.ones((6, 3))
    for cell in cells:
        grid[cell] = np.nan
    page.matrices_are("experiments.grid", {HEADS: grid}, rows=ROWS, columns="123")


@pytest.mark.parametrize("mode", ["zero", "uniform", "mean"])
def test_switched_off_heads_change_what_the_model_computes(checkpoints, mode, files: Files):
    t = load(checkpoints / "en-fr")
    ablation.save_head_means(t, ablation.head_means([t.trace("Good evening!")]))
    page = _page("ablations")
    assert CHANGE not in page.pictures  # no picture of changes before a head is off
    page.app.session_state["choice.ablated"] = spell_heads(OFF)
    page.use({"choice.mode": mode})
    trace, stored = t.trace(SENTENCE), ablation.read_head_means(t)
    effect = ablation_effect(t, trace, ablations_of(t.config, sorted(OFF), mode, stored.means))
    change, tokens = effect.log_probs - trace.log_probs, display(trace.next_tokens)
    rows = {"change": {CHANGE: change[None]}}
    rows["distance"] = {EN("experiments.distance_row"): effect.distance[None]}
    for name, shown in rows.items():
        page.matrices_are(f"experiments.{name}", shown, columns=tokens, largest=20)
    measured = page.measured("experiments.change", "experiments.distance")
    total = f"{change.sum():.2f}".replace("-", "−")
    assert measured == [total, f"{effect.distance.mean():.3f}"]
    _expect_off(page, (0, 0), (5, 2))
    files.name = "ablations"
    assert files.column("tokens", "token") == [*tokens]
    for column, values in (("log_prob_change", change), ("total_variation", effect.distance)):
        assert_same(np.array(files.column("tokens", column)), values, largest=20)
    about = {
        "heads_ablated": ["encoder_self 1.1", "cross 2.3"],
        "mode": mode,
        "translation": effect.text,
        "measure": ["log_prob_change", "total_variation"],
    }
    assert files.about() == generated(trace, **about)
    assert (
        "<b>heads ablated (layer.head)</b> <bdi>Encoder self-attention 1.1, Cross-attention 2.3<"
        in page.html
    )
    files.name = "ablated"
    off = [row[:3] for row in files.tables()["heads"][1] if row[3]]
    assert off == [["encoder_self", 1, 1], ["cross", 2, 3]]


def test_heads_are_switched_off_by_click_by_layer_and_by_link():
    page = _page("ablations", ablated="e1.1-c2.3-x1.1-c0.1-c9.9", mode="uniform")
    _expect_off(page, (0, 0), (5, 2))
    assert page.control("choice.mode").value == "uniform"
    # the link keeps a head that only another model has
    assert page.link["ablated"] == "c2.3-c9.9-e1.1"
    _expect_off(page.click("experiments.grid", [0, 5, 2]), (0, 0))
    _expect_off(page.click("experiments.grid", [0, 2, 1]), (0, 0), (2, 1))
    page.use({"choice.show": "pair"}).use({"choice.second": OTHER}).use({"choice.show": ""})
    _expect_off(page, (0, 0), (2, 1))  # opening another experiment does not switch the heads on
    page.use({"choice.attention": "decoder_self"}).press("experiments.layer")
    _expect_off(page, (3, 0), (3, 1), (3, 2))
    _expect_off(page.press("experiments.none"))
    assert page.use({"choice.show": "pair"}).link["second"] == OTHER
    assert HEADS in _page("<b>no such view</b>").pictures


def test_if_mean_outputs_were_not_measured_the_page_shows_the_command(checkpoints):
    page = _page("ablations", ablated="c2.3", mode="mean")
    assert "model.analyse means --checkpoint checkpoints/en-fr --pairs FILE.tsv" in page.html
    assert CHANGE not in page.pictures
    t = load(checkpoints / "en-fr")
    means = ablation.head_means([t.trace("Good evening!"), t.trace("Hello.")])
    path = ablation.save_head_means(t, means)
    assert page.run().pictures[CHANGE].any()
    assert EN("experiments.mean_note", n=2) in page.text
    path.write_bytes(b"{")
    html = page.run().html
    assert "cut off or damaged" in html
    assert html.count("Get the file again.") == 1
    assert "Make it again" not in html  # only one remedy is named


def test_the_effect_of_leaving_a_token_out_is_shown(t, trace, files: Files):
    page = _page("left_out", layer="1", head="1").use({"choice.layer": 2, "choice.head": 3})
    effects = concatenated(list(leave_one_token_out(t, trace)))
    mass, whole = column_mass(trace.cross[1, 2]), column_mass(trace.cross[1].mean(axis=0))
    loss = (trace.log_probs - effects.log_probs).sum(axis=1)
    tokens, moved = display(trace.src_tokens), effects.distance.mean(axis=1)
    rows = {"attention": mass, "change_without": -loss, "moved": moved}
    for name, values in rows.items():
        shown = {EN(f"experiments.{name}", layer=2, head=3): values[None]}
        largest = 20 * len(trace.next_tokens)
        page.matrices_are(f"experiments.out_{name}", shown, columns=tokens, largest=largest)
    attended, needed = int(mass.argmax()), int(loss.argmax())
    finding = EN(
        "experiments.out_same" if attended == needed else "experiments.out_differs",
        attended=tokens[attended],
        mass=f"{mass[attended]:.2f}",
        change=signed(-loss[attended]),
        needed=tokens[needed],
        most=signed(-loss[needed]),
    )
    assert finding in page.html
    measured = page.measured("experiments.tau_head", "experiments.tau_layer")
    assert measured == [decimals(kendall_tau(weights, loss), 2) for weights in (mass, whole)]
    files.name = "left_out"
    names = "column_mass", "log_prob_change", "total_variation"
    for name, values in zip(names, rows.values(), strict=True):
        assert_same(np.array(files.column("tokens", name)), values, largest=200)
    about = {
        **OF_HEAD,
        "attention": "cross",
        "measure": ["column_mass", "log_prob_change_without", "total_variation"],
        "kendall_tau": kendall_tau(mass, loss),
        "kendall_tau_of_layer": kendall_tau(whole, loss),
    }
    assert files.about() == generated(trace, **about)


@pytest.mark.parametrize(
    ("tau", "degree"),
    [(-1, "against"), (-0.3, "chance"), (0.31, "chance"), (0.5, "agree"), (np.nan, "none")],
)
def test_the_agreement_of_two_rankings_is_described_in_words(tau, degree, monkeypatch):
    monkeypatch.setattr("ui.experiments.leave_one_out.kendall_tau", lambda *_: tau)
    monkeypatch.setattr("ui.experiments.leave_one_out.chance_tau", lambda _: 0.32)
    assert EN(f"experiments.tau.{degree}", n=9, chance="0.32") in _page("left_out").text


def test_a_minimal_pair_shows_both_maps_and_their_difference(t, trace, files: Files):
    page = _page("pair", attention="encoder_self").use({"choice.second": OTHER})
    second = t.trace(OTHER)
    maps = {"first": trace.encoder_self[1, 2], "second": second.encoder_self[1, 2]}
    places = common_positions(trace.src_tokens, second.src_tokens)
    maps["first minus second"] = map_difference(*maps.values(), places, places)
    keys = "experiments.first_map", "experiments.second_map", "experiments.difference"
    files.name = "pair"
    drawn = page.matrices("experiments.pair")
    for (description, shown), key, (name, values) in zip(drawn, keys, maps.items(), strict=True):
        assert description["title"] == EN(key)
        assert description["rowLabels"] == description["columnLabels"]
        assert description["rowLabels"] == [
            *display((second if name == "second" else trace).src_tokens)
        ]
        assert_same(shown, values)
        assert_same(files.numbers(name), values)
        is_hatched = np.isnan(values).any()
        assert is_hatched == (EN("experiments.difference_hatched") in description["caption"])
    assert is_hatched  # the difference, where only one sentence has the token
    about = {
        **OF_HEAD,
        "attention": "encoder_self",
        "rows": "written",
        "measure": ["weights", "weight_difference"],
        "second_sentence": OTHER,
        "second_target": second.target_text,
        "log_prob": float(trace.log_probs.sum()),
        "second_log_prob": float(second.log_probs.sum()),
    }
    assert files.about() == generated(trace, **about)
    first, other = (f"{each.log_probs.sum():.2f}".replace("-", "−") for each in (trace, second))
    assert EN("experiments.scores", first=first, second=other) in page.text
    assert 'role="alert"' in page.use({"choice.second": " "}).html


def test_a_sentence_says_what_changed_in_a_pair_and_where_the_maps_differ_most(t, trace):
    page = _page("pair", attention="encoder_self", second=OTHER)
    first, second = trace.encoder_self[1, 2], t.trace(OTHER).encoder_self[1, 2]
    places = common_positions(trace.src_tokens, t.trace(OTHER).src_tokens)
    words = [(i, m) for i, m in places if not is_special_or_punctuation(trace.src_tokens[i])]
    differences = {
        abs(float(first[i, j] - second[m, n])): (i, j, m, n) for i, m in words for j, n in words
    }
    row, column, second_row, second_column = differences[max(differences)]
    tokens = display(trace.src_tokens)
    sentence = EN(
        "experiments.pair_summary_words",
        changes="“cat” became “dog”",
        row=tokens[row],
        column=tokens[column],
        first=f"{first[row, column]:.2f}",
        second=f"{second[second_row, second_column]:.2f}",
    )
    assert escape_markdown(sentence) in page.text
    frames = [described["frames"] for described, _ in page.matrices("experiments.pair")]
    assert frames == [[[row, column]], [[second_row, second_column]], [[row, column]]]
    page.use({"choice.second": "I see a very big cat"})
    assert escape_markdown("“very big” was added; “.” was left out. Between words") in page.text


def test_an_untrained_model_is_shown_beside_the_trained_one(t, trace, files: Files):
    page = _page("untrained", attention="encoder_self").use({"experiments.seed": 7})
    model = untrained(t.config, seed=7)
    random = trace_pair(Trace, model, t.tokenizer, SENTENCE, target=trace.tgt_ids)
    maps = {"trained": trace.encoder_self[1, 2], "untrained": random.encoder_self[1, 2]}
    tokens = display(trace.src_tokens)
    shown = {EN(f"experiments.{name}"): values for name, values in maps.items()}
    page.matrices_are("experiments.untrained", shown, rows=tokens, columns=tokens)
    measured = page.measured(*(f"experiments.entropy_{name}" for name in maps))
    assert measured == [f"{entropy(values).mean():.2f}" for values in maps.values()]
    files.name = "untrained"
    for name, values in maps.items():
        assert_same(files.numbers(name), values)
    choices = {
        "attention": "encoder_self",
        "rows": "written",
        "measure": "weights",
        "seed": 7,
        **OF_HEAD,
    }
    means = {f"entropy_{name}": entropy(values).mean() for name, values in maps.items()}
    means = {name: pytest.approx(float(mean), abs=1e-5) for name, mean in means.items()}
    assert files.about() == generated(trace, **choices, **means)
    long = " ".join([SENTENCE] * 4)  # both models get the sentence that is cut at the limit
    assert t.trace(long).truncated
    page.use({"choice.sentence": long, "choice.attention": "cross"})
    assert page.pictures[EN("experiments.trained")].shape == t.trace(long).cross.shape[2:]


def test_patching_copies_activations_of_the_first_sentence_into_the_second(t, files: Files):
    second = "You see a black dog."
    page = _page("pair", second=second)
    first, other = (t.trace(text) for text in (SENTENCE, second))
    pair, scores_of_patches = Pair.of(first, other), {}
    for activation, token, scores in patch_each(t.model, pair):
        scores_of_patches.setdefault((activation, token), []).append(scores)
    heads = np.concatenate([scores_of_patches["heads", kind] for kind in KINDS])
    # A score is a change of logits, divided by how much the two sentences differ.
    logits = torch.cat([_last_logits(t, ids, pair.prefix) for ids in (pair.first, pair.second)])
    preferred = logits[:, pair.word] - logits[:, pair.rival]
    largest = float(logits.abs().max() / (preferred[0] - preferred[1]).abs())
    title = EN("experiments.patched_heads")
    page.matrices_are(
        "experiments.patched_heads", {title: heads}, rows=ROWS, columns="123", largest=largest
    )
    sizes, _ = blob(page.component("experiments.patched_heads").proto)
    assert (sizes["largest"], sizes["widest"]) == (26, 44)  # on paper below the last map
    tokens = {"encoder": other.src_tokens, "decoder": other.tgt_tokens}
    for stack, of_stack in tokens.items():
        drawn = {
            EN(f"experiments.patched_{activation}", stack=EN(f"stack.{stack}")): scores_of_patches[
                activation, stack
            ]
            for activation in ("stream", "feed_forward")
        }
        shown = display(of_stack)[: len(scores_of_patches["stream", stack][0])]
        key = f"experiments.patched_{stack}"
        page.matrices_are(key, drawn, rows=["1", "2"], columns=shown, largest=largest)
    files.name = "patched"
    names = [display_subword(t.tokenizer.subword(id)) for id in (pair.word, pair.rival)]
    assert [files.json()[name] for name in ("word", "rival")] == names
    limit = max(1, *(np.nanmax(np.abs(values)) for values in scores_of_patches.values()))
    shown_limit = page.matrices("experiments.patched_heads")[0][0]["limit"]
    assert_same(np.array(shown_limit), np.array(limit), largest=largest)
    alike = _page("pair", second=SENTENCE)
    assert EN("experiments.patching.same") in alike.html
    assert title not in alike.pictures


@torch.inference_mode()
def _last_logits(t: TranslationModel, source: Tensor, prefix: Tensor) -> Tensor:
    """The logits after a prefix, (1, vocabulary)."""
    return t.model(source, prefix, no_mask(1, source.shape[1]))[:, -1]


@pytest.mark.parametrize(
    ("view", "key", "link", "at_once"),
    [
        ("left_out", "leave_out", {}, 0),
        ("contrast", "contrast", {}, 4),
        ("scoreboard", "scoreboard", {}, 0),
        ("pair", "patch", {"second": "You see a black dog."}, 3),
        ("", "measure_heads", {"experiments.revealed": "1"}, 0),
    ],
)
def test_slow_experiments_are_measured_only_when_asked(view, key, link, at_once, monkeypatch):
    unasked = _page(view, **link).pictures
    memory.cache_clear()
    monkeypatch.setattr("ui.state.speed.speed_of", lambda _: Speed(1 / 10, 0.0))
    # so small that there are many batches
    monkeypatch.setattr("model.interventions.effect.BATCH_BYTES", 1)
    page = _page(view, **link)
    assert len(page.pictures.keys() - {HEADS}) == at_once
    assert "This takes about" in page.text
    page.press(f"experiments.{key}").finished()
    assert page.pictures.keys() == unasked.keys() == _page(view, **link).pictures.keys()
    for name, drawn in page.pictures.items():
        assert_same(drawn, unasked[name], largest=200)


def test_a_second_sentence_that_makes_no_pair_gets_a_message_and_a_button_copies_the_first():
    page = _page("pair", second="He never slept there again at all.")
    assert EN("experiments.second_differs") in page.html
    page.press("experiments.second_copy")
    assert page.link["second"] == SENTENCE
    assert EN("experiments.second_equal") in page.html
    page.use({"choice.second": SENTENCE.replace("cat", "dog")})
    for name in ("differs", "equal"):
        assert EN(f"experiments.second_{name}") not in page.html


@pytest.mark.parametrize(
    ("view", "link", "name", "announced", "tokens_read"),
    [
        # The model reads S = 9 source and T target tokens once without each token or head.
        ("left_out", {}, "leave_out", [9], lambda s, t: s * (s + t)),
        ("", {"experiments.revealed": "1"}, "measure_heads", [18], lambda s, t: 18 * (s + t)),
        # It reads a pair without each source token, and with this token alone. The cost of EOS is
        # not measured, so it reads one target token less. The button announces no number of parts.
        ("scoreboard", {}, "scoreboard", [], lambda s, t: 2 * s * (s + t - 1)),
        (
            "links",
            {"experiments.linked_source": "1,2"},
            "links",
            [6],  # the heads of one attention
            lambda s, t: 6 * (s + t),
        ),
        # Before it writes the first word, the decoder reads one token, <bos>.
        (
            "contrast",
            {"experiments.word": "1"},
            "contrast",
            [9 + 18],
            lambda s, _: (s + 18) * (s + 1),
        ),
        # The second sentence has 14 tokens, and the translations begin with the same 8. Each of
        # 2 layers has 9 heads, and 22 tokens with 2 activations.
        (
            "pair",
            {"second": "You see a black dog."},
            "patch",
            [],
            lambda *_: 2 * (9 + 2 * 22) * 22,
        ),
    ],
)
def test_as_many_parts_come_as_announced_and_the_time_is_that_of_the_tokens_read(
    view, link, name, announced, tokens_read, trace, monkeypatch
):
    asked = {}

    def note(name, _depends_on, begin, _draw, _tr, **options):
        asked[name] = list(begin()), options

    for module in (
        "leave_one_out",
        "guess_the_head",
        "scoreboard",
        "linking_heads",
        "contrast",
        "patching",
    ):
        monkeypatch.setattr(f"ui.experiments.{module}.show_work", note)
    monkeypatch.setattr("ui.state.speed.speed_of", lambda _: Speed(1.0, 0.0))
    _page(view, **link)
    parts, options = asked[f"experiments.{name}"]
    assert [int(number) for number in re.findall(r"\d+", options["start"])] == announced
    assert options["total"] == len([part for part in parts if part is not None])
    assert options["seconds"] == tokens_read(len(trace.src), len(trace.tgt_tokens))
