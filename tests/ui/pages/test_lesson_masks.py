"""Lesson: it shows what the model does with each mask."""

from html import escape

import numpy as np
import pytest
import torch

from model.corpora.batches import make_batch
from model.decoding.greedy import greedy
from model.decoding.modified import ModifiedTransformer, teacher_forced_loss
from model.lessons.masks.cheating_experiment import CheatingExperiment
from model.lessons.masks.padded_batch import padded_batch, padding_effect
from model.pictures.tokens import display
from model.transformer.heads import attention_name
from model.transformer.masks import causal_mask, flip, no_mask
from tests.ui.drawn import EN, SENTENCE, Page, opens

_lesson = opens("masks", layer="2", head="3")
HEAD = {"masks.padding_layer": "2", "masks.padding_head": "3"}


def _src(trace) -> torch.Tensor:
    return torch.tensor([[token.id for token in trace.src]])


def _expect_losses(page: Page, t, trace, mask) -> None:
    """Expect both losses, in picture and numbers, and what the model writes with both masks."""
    before, target = -trace.log_probs, torch.tensor([trace.tgt_ids])
    own = mask(len(trace.tgt_tokens))
    after = teacher_forced_loss(
        t.model, _src(trace), target, self_mask=own, pad_id=t.tokenizer.pad_id
    )
    labels = {"rows": [EN("masks.before"), EN("masks.after")]}
    labels["columns"] = display(trace.next_tokens)
    page.matrices_are("masks.losses", {EN("masks.losses"): np.stack([before, after])}, **labels)
    measured = page.measured("masks.loss_before", "masks.loss_after")
    assert measured == [f"{x.mean():.3f}" for x in (before, after)]
    masked = ModifiedTransformer(t.model, self_mask=mask)
    free = t.decode(greedy(masked, _src(trace), **t.tokenizer.special_ids)[0])
    delta = page.app.metric[1].proto
    change = float(after.mean() - before.mean())
    if abs(change) < 0.0005:
        assert (delta.delta, delta.color) == (EN("masks.no_change"), delta.GRAY)
    else:  # a lower loss is green, with an arrow that points down
        assert delta.delta == f"{change:+.3f}".replace("-", "−")
        assert delta.color == (delta.GREEN if change < 0 else delta.RED)
    for key, text in (("before", trace.target_text), ("after", free)):
        assert f"{EN(f'masks.free_{key}')} <bdi>{escape(text)}</bdi>" in page.html


@pytest.mark.parametrize("attention", ["encoder_self", "decoder_self", "cross"])
def test_masks_and_scores_of_a_batch_are_those_of_the_model(t, attention):
    page = _lesson("batch", attention=attention, **{"masks.row": "2"})
    others = ["I see.", "She does not sleep."]
    for changed in (others, [others[0], "Good evening, my friends!"]):
        page.use({"masks.other.3": changed[1]})
        batch = padded_batch(t, [SENTENCE, *changed])
        seen = {EN("masks.padding_src"): batch.src_padding}
        seen[EN("masks.padding_tgt")] = batch.tgt_padding
        drawn = {title: np.where(mask, 1, np.nan) for title, mask in seen.items()}
        page.matrices_are("masks.padding", drawn, rows=["1", "2", "3"])
        by_encoder, by_decoder = attention == "encoder_self", attention == "decoder_self"
        padding = (batch.tgt_padding if by_decoder else batch.src_padding)[2]
        n_queries = (batch.src_padding if by_encoder else batch.tgt_padding).shape[1]
        masks = {"padding": np.broadcast_to(padding, (n_queries, len(padding)))}
        if by_decoder:
            masks["causal"] = batch.causal
            masks["both"] = batch.causal & padding
        shown = {EN(f"masks.{name}"): np.where(mask, 1, np.nan) for name, mask in masks.items()}
        page.matrices_are(f"masks.masks.{attention}", shown)
        path = attention_name(attention, 1)
        names = "scores", "masked_scores", "weights"
        stages = {name: batch.records[f"{path}.{name}"][2, 2] for name in names}
        queries = display((batch.src_tokens if by_encoder else batch.tgt_tokens)[2])
        keys = display((batch.tgt_tokens if by_decoder else batch.src_tokens)[2])
        page.matrices_are("masks.stages", stages, rows=queries, columns=keys)
    assert 'role="alert"' in page.use({"masks.other.2": " "}).html


def test_a_mask_can_be_removed_and_restored_and_its_cells_can_be_changed(t, trace):
    page, refused = _lesson("editor"), "must keep at least one visible cell"
    shown = {EN("masks.mask"): np.where(np.tri(len(trace.tgt_tokens)), 1, np.nan)}
    tokens = display(trace.tgt_tokens)
    page.matrices_are("masks.editor", shown, rows=tokens, columns=tokens)
    for button, mask, is_open in (("take_away", no_mask, "1"), ("put_back", causal_mask, None)):
        _expect_losses(page.press(f"masks.{button}"), t, trace, mask)
        assert page.link.get("masks.open") == is_open
    page.click("masks.editor", [0, 0, 0])
    assert refused in page.html
    # the cell shows a later token, but the first step has no later token yet
    page.click("masks.editor", [0, 0, 1])
    page.click("masks.editor", [0, 0, 0])
    assert refused in page.html
    page.click("masks.editor", [0, 1, 2])
    assert refused not in page.html
    cells = {(0, 1), (1, 2)}
    _expect_losses(page, t, trace, lambda size: flip(causal_mask(size), cells))
    assert EN("masks.editor_hint", n=2) in page.html
    assert page.link["masks.flipped"] == "0-1,1-2"
    page.click("masks.editor", [0, 1, 2])
    assert page.link["masks.flipped"] == "0-1"


def test_the_last_row_keeps_a_visible_cell(trace):
    last = len(trace.tgt_tokens) - 1
    hidden = ",".join(f"{last}-{column}" for column in range(last))
    page = _lesson("editor", **{"masks.flipped": hidden})
    page.click("masks.editor", [0, last, last])
    assert "must keep at least one visible cell" in page.html
    assert page.link["masks.flipped"] == hidden


def _expect_padding(page: Page, t, trace, n: int, hidden: set[int]) -> None:
    """Expect the weights of head 2.3, with n tokens of padding, and the three numbers.

    Args:
        page: the view about padding.
        t: the model.
        trace: of the sentence.
        n: number of tokens of padding.
        hidden: positions of the hidden columns.
    """
    effect = padding_effect(t, SENTENCE, n, hidden=hidden)
    tokens, length = display(effect.tokens), len(trace.src)
    weights = np.where(effect.visible, effect.weights[1, 2], np.nan)
    shown = {EN("masks.padding_weights"): weights}
    page.matrices_are("masks.columns", shown, rows=tokens[:length], columns=tokens)
    padding = padding_effect(t, SENTENCE, n, hidden=range(length, length + n))
    names = (f"masks.padding_{name}" for name in ("share", "seen", "hidden"))
    changes = [f"{values.change:.2g}" for values in (effect, padding)]
    assert page.measured(*names) == [f"{100 * effect.share[1, 2]:.1f}%", *changes]
    least, most = (f"{100 * share:.1f}" for share in (effect.share.min(), effect.share.max()))
    assert EN("masks.padding_range", least=least, most=most) in page.text
    n_hidden = int((~effect.visible).sum())
    assert EN("masks.column_hint", n=n_hidden) in page.html


def test_the_view_of_visible_padding_opens_with_the_head_that_gives_it_most_weight(t):
    share = padding_effect(t, SENTENCE, 8, hidden=()).share
    page = Page("masks", "padding", sentence=SENTENCE, layer="1", head="3")
    assert page.metrics[0] == f"{100 * share.max():.1f}%"
    assert share.max() > 1.2 * share[0, 2]  # not the head of the link, which other views use
    # after a head is chosen, the link names it
    least = np.unravel_index(int(share.argmin()), share.shape)
    values = [int(number) + 1 for number in least]
    page.use(dict(zip(HEAD, values, strict=True)))
    assert page.metrics[0] == f"{100 * share.min():.1f}%"
    page.press("masks.most")
    assert page.metrics[0] == f"{100 * share.max():.1f}%"
    assert not HEAD.keys() & page.link.keys()


def test_padding_can_be_hidden_and_visible(t, trace):
    n = len(trace.src)
    page = _lesson("padding", **{**HEAD, "masks.n_padding": "5"})
    _expect_padding(page, t, trace, 5, set())
    page.press("masks.hide")
    _expect_padding(page, t, trace, 5, set(range(n, n + 5)))
    page.use({"masks.n_padding": 32})  # hidden columns stay hidden if the amount of padding changes
    _expect_padding(page, t, trace, 32, set(range(n, n + 32)))
    _expect_padding(page.press("masks.show"), t, trace, 32, set())


def test_a_click_hides_a_column_but_never_the_last_token(t, trace):
    page, n = _lesson("padding", **HEAD), len(trace.src)
    page.click("masks.columns", [0, 1, 2])
    _expect_padding(page, t, trace, 8, {2})
    assert page.link["masks.hidden_columns"] == "2"
    for column in (0, *range(3, n)):
        page.click("masks.columns", [0, 0, column])
    refused = "At least one token of the sentence must stay visible"
    assert refused not in page.html
    page.click("masks.columns", [0, 0, 1])
    assert refused in page.html
    _expect_padding(page, t, trace, 8, {*range(n)} - {1})
    page.use({"choice.sentence": "I see."})  # a new sentence has new columns
    assert not np.isnan(page.pictures[EN("masks.padding_weights")]).any()


def test_the_rows_of_a_training_example_are_shown(t, trace):
    pair = ([token.id for token in trace.src], list(trace.tgt_ids))
    batch = make_batch([pair], t.tokenizer.pad_id)
    rows = _lesson("forcing").html.split("<tr>")[-3:]
    cells_of = {
        key: display([t.tokenizer.subword(id) for id in ids[0].tolist()])
        for key, ids in (("input", batch.tgt), ("label", batch.labels))
    }
    cells_of["probability"] = [f"{p:.2f}" for p in np.exp(trace.log_probs)]
    for row, (key, cells) in zip(rows, cells_of.items(), strict=True):
        assert EN(f"masks.row.{key}") in row
        assert "".join(f"<td><bdi>{escape(cell)}</bdi></td>" for cell in cells) in row


def _n_right(written: list[str], targets: list[str]) -> int:
    """Return the number of correct digits in all rows."""
    return sum(
        digit == right
        for row, target in zip(written, targets, strict=True)
        for digit, right in zip(row, target, strict=False)
    )


def test_both_models_can_be_trained_on_the_page(monkeypatch):
    """With few steps. A finished training is not repeated."""
    monkeypatch.setattr("ui.lessons.masks.cheating.N_STEPS", 10)
    monkeypatch.setattr("ui.lessons.masks.cheating.N_ROWS", 7)
    page = _lesson("cheating").use({"masks.task": "sum", "masks.seed": 3})
    assert not page.charts()
    page.press("masks.train").finished()
    # running sums, because a cheating model would also sort well
    experiment = CheatingExperiment("sum", seed=3)
    points = [point for point in experiment.train(10) if point]
    names = {mask: EN(f"masks.with.{mask}") for mask in ("causal", "none")}
    curves = {name: [point.loss[mask] for point in points] for mask, name in names.items()}
    assert page.headers == [EN("masks.learned"), EN("masks.able", n=7)]
    losses, shares = page.charts()
    steps = [point.step for point in points]
    drawn = losses.series("curves", "curve", "y")
    for name, values in drawn.items():
        np.testing.assert_allclose(values, curves[name], rtol=1e-5)
    losses.curves_are(drawn, steps, ("masks.step", "masks.loss"))
    rows = experiment.write(7)
    targets = [row.target for row in rows]
    right = {
        name: [
            _n_right([row.target_given[mask] for row in rows], targets) / 56,
            _n_right([row.by_itself[mask] for row in rows], targets) / 56,
        ]
        for mask, name in names.items()
    }
    labels = EN("masks.told"), EN("masks.found")
    shares.columns_are(right, labels, ("masks.while", "masks.share"))
    table = page.app.dataframe[0].value
    assert table[EN("masks.column.source")].tolist() == [row.source for row in rows[:6]]
    nothing = EN("masks.writes_nothing")
    without_mask = [row.by_itself["none"] or nothing for row in rows]
    assert table[names["none"]].tolist() == without_mask[:6]
    monkeypatch.setattr(
        "ui.lessons.masks.cheating.CheatingExperiment", lambda *_, **__: pytest.fail("again")
    )
    again = _lesson("cheating", **{"masks.task": "sum", "masks.seed": "3"})
    assert again.app.dataframe[0].value.equals(table)
    assert not again.use({"masks.task": "sort"}).charts()


def test_a_long_sentence_without_a_mask_is_translated_only_when_asked(checkpoints, monkeypatch):  # noqa: ARG001
    monkeypatch.setattr("ui.lessons.masks.editor.TOKENS_WITHOUT_ASKING", 3)
    page = _lesson("editor")
    assert len(page.metrics) == 2  # with the causal mask, decoding is fast and needs no button
    page.press("masks.take_away")
    assert not page.metrics
    page.press("masks.run").finished()
    assert len(page.metrics) == 2
    page.press("masks.put_back")
    assert len(page.metrics) == 2
    assert len(page.press("masks.take_away").metrics) == 2  # from memory: nothing computed again


def test_only_cells_of_the_mask_are_read_from_a_link(trace):
    n = len(trace.tgt_tokens)
    for outside in (f"{n}-0", f"0-{n}", f"{n}-{n}"):
        page = _lesson("editor", any_link=True, **{"masks.flipped": f"0-3,{outside}"})
        assert page.link["masks.flipped"] == "0-3"
