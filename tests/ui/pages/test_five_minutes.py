"""The lesson of five minutes with the shipped models: what each step claims and changes."""

from dataclasses import replace
from html import escape
from itertools import groupby, pairwise
from pathlib import Path
from unittest.mock import Mock

import numpy as np
import pytest

from model import CheckpointError, TranslationModel, load
from model.heads.aligned_words import aligned_words
from model.heads.analysis_file import read_analysis
from model.heads.kinds import best_awi_head
from model.interventions.leave_one_out import change_without_each_head
from model.lessons.masks.open_mask import share_of_later, weights_without_mask
from model.lessons.pronouns import (
    ANIMAL_AND_STREET,
    ChoosingHead,
    EncoderLink,
    find_choosing_head,
    patch_heads,
)
from model.transformer.heads import all_heads
from tests.server import link_shipped
from tests.tolerance import assert_same
from tests.ui.app import blob, ribbons_of
from tests.ui.drawn import EN, Page, lines_of
from tests.ui.saved_files import Files
from ui.five_minutes import lesson
from ui.five_minutes.lesson import STEPS
from ui.five_minutes.pronoun import the_choice
from ui.frame.all_heads import name_of
from ui.state.memory import memory
from ui.state.models import FOLDER_VARIABLE
from ui.state.speed import Speed
from ui.text.translator import LANGUAGES, Translator, translator

SENTENCE = "She reads a book."
# checkpoint -> the steps whose claims are true
MODELS = {"": [1, 2, 3, 4, 5, 6, 7, 8], "en-zh": [1, 2, 5, 6, 7, 8]}
_IN_BOTH = [(name, language) for name in MODELS for language in LANGUAGES]


@pytest.fixture(scope="module", autouse=True)
def shipped(tmp_path_factory: pytest.TempPathFactory):
    """Let the pages open the shipped models."""
    folder = link_shipped(tmp_path_factory.mktemp("shipped"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(folder))
        yield folder


def _model(folder: Path, name: str) -> TranslationModel:
    return load(folder / (name or "en-fr"))


def _open(step: int, name: str = "", language: str = "en", **link: str) -> Page:
    link["checkpoint"] = name or "en-fr"
    return Page("five_minutes", step=str(step), lang=language, sentence=SENTENCE, **link)


def _claims(page: Page) -> str:
    """Return the claim without the number of its step."""
    html = page.html
    assert html.count('<h2 class="claim"') == 1
    claim = html.split('<h2 class="claim" dir="auto">')[1].split("</h2>")[0]
    return claim.split("</small> ")[1].replace("&#x27;", "'").replace("&quot;", '"')


@pytest.mark.parametrize(("name", "language"), _IN_BOTH)
def test_next_goes_through_the_true_steps_and_the_page_says_which_are_left_out(name, language):
    tr = translator(language)
    page = _open(1, name, language)
    met = []
    while True:
        n = int(page.link.get("step", 1))
        met.append(n)
        # the visitor counts the steps that are shown; the link keeps the number of the step
        assert f"<small>{len(met)} / {len(MODELS[name])}</small>" in page.html
        counted = [str(count) for count in range(1, len(MODELS[name]) + 1)]
        assert page.control("choice.step").options == counted
        assert _claims(page)
        left_out = tr("five_minutes.without.choice") in page.html
        offer = tr("five_minutes.without.offer", language=tr("language.fr"))
        assert left_out == (offer in [button.label for button in page.app.button])
        assert left_out == (name == "en-zh" and n == 5)
        if page.app.button(key="five_minutes.next").disabled:
            break
        page.press("five_minutes.next")
    assert met == MODELS[name]
    page.press("five_minutes.back")
    assert page.link["step"] == str(met[-2])


def test_a_link_to_a_step_that_is_left_out_opens_the_next_one_and_offers_another_model():
    page = _open(3, "en-zh")
    assert page.link["step"] == "5"
    page.press("five_minutes.other_model")
    assert page.link["step"] == "3"
    assert page.link.get("checkpoint", "") == ""  # en-fr is the first model
    assert "elle" in page.use({"five_minutes.ending": "wide"}).html
    assert _open(99).link["step"] == "8"


def test_a_model_that_cannot_be_opened_is_not_offered(monkeypatch):
    monkeypatch.setattr(lesson, "open_model", Mock(side_effect=CheckpointError("damaged")))
    page = _open(3, "en-zh")
    assert EN("five_minutes.without.choice") in page.html
    assert "five_minutes.other_model" not in [button.key for button in page.app.button]


def test_another_model_is_offered_only_where_the_choice_of_the_pronoun_is_left_out(monkeypatch):
    mask = next(step for step in STEPS if step.name == "mask")
    without_mask = [
        replace(step, holds=lambda _: False) if step is mask else step for step in STEPS
    ]
    monkeypatch.setattr("ui.five_minutes.lesson.STEPS", without_mask)
    monkeypatch.setattr(Translator, "__call__", lambda _, key, **__: f"‹{key}›")
    page = _open(STEPS.index(mask) + 1)
    assert "‹five_minutes.without.mask›" in page.html
    assert "‹five_minutes.without.offer›" not in [button.label for button in page.app.button]


@pytest.mark.parametrize(("name", "language"), _IN_BOTH)
def test_the_first_two_steps_describe_the_head_that_aligns_words_best(name, language, shipped):
    tr = translator(language)
    t = _model(shipped, name)
    best = best_awi_head(read_analysis(t.folder))
    words = aligned_words(t, t.trace(SENTENCE), best)
    row, column = np.unravel_index(words.weights.argmax(), words.weights.shape)
    page = _open(1, name, language)
    claim = _claims(page)
    assert words.rows == "read"
    strongest = f"{100 * words.weights[row, column]:.0f}"
    for part in (words.targets[row].strip(), words.sources[column].strip(), f"{strongest}%"):
        assert part in claim.replace(" %", "%")
    header, _ = ribbons_of(page.app)
    marked = "".join(header["targets"][n].removeprefix("·") for n in header["marked"])
    assert marked == words.targets[row].strip()

    page = _open(2, name, language)
    sentences = page.control("five_minutes.order").options
    assert len(sentences) == 3
    for sentence in sentences:
        page.use({"five_minutes.order": sentence})
        words = aligned_words(t, t.trace(sentence), best)
        # Neighbouring words that look at the same word are one: "医" and "院" at "hospital".
        pieces = [
            (source, "".join(words.targets[n] for n in group).strip(" .?？"))
            for source, group in groupby(
                range(len(words.weights)), words.weights.argmax(axis=1).item
            )
        ]
        named = [
            tr(
                "five_minutes.order.claim",
                first=first,
                second=second,
                first_source=words.sources[first_source].strip(),
                second_source=words.sources[second_source].strip(),
            )
            for (first_source, first), (second_source, second) in pairwise(pieces)
            if second_source < first_source
        ]
        assert _claims(page) in named
        header, [grid] = page.grid("five_minutes.lines")
        assert header["head"] == 1  # the only head of the picture
        assert header["pale"]
        for n in header["marked"]:
            assert f"“{words.sources[n].strip()}”" in _claims(page)
        assert header["keysFirst"]
        assert escape(tr("five_minutes.order.pale")) in page.html
        np.testing.assert_allclose(grid[0], words.weights, atol=1e-4)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_pronoun_changes_with_the_last_word_and_patching_finds_the_head(
    language, shipped, files: Files
):
    tr = translator(language)
    t = _model(shipped, "")
    first, second = (t.trace(sentence) for sentence in ANIMAL_AND_STREET.sentences)
    best = best_awi_head(read_analysis(t.folder))
    chooser = find_choosing_head(t, ANIMAL_AND_STREET, (first, second), best)
    chosen = ("decoder_self", chooser.layer, chooser.head)
    page = _open(3, language=language)
    assert page.control("five_minutes.ending").value == ANIMAL_AND_STREET.endings[0]
    for ending, choice in zip(ANIMAL_AND_STREET.endings, chooser.choices, strict=True):
        page.use({"five_minutes.ending": ending})
        assert _claims(page) == tr(
            "five_minutes.choice.claim",
            ending=ending,
            pronoun=choice.pronoun,
            noun=choice.noun,
            percent=f"{100 * choice.weight:.0f}",
            head=name_of(chosen, tr),
        )
        assert f"<mark>{ending}</mark>" in page.html
        assert f"<mark>{choice.pronoun}</mark>" in page.html

    patches = patch_heads(t.model, (first, second))
    heads = all_heads(t.config)
    page = _open(4, language=language)
    most = heads[int(patches.scores.argmax())]
    beside = ("decoder_self", chooser.layer, chooser.head + 1)
    offered = [b.label for b in page.app.button if b.key.startswith("five_minutes.carry")]
    assert offered == [name_of(head, tr) for head in dict.fromkeys((most, chosen, beside))]
    strongest = int(patches.scores.argmax())
    assert f"{100 * patches.probability(strongest):.1f}%" in _claims(page)
    before = f"{100 * patches.probability(None):.1f}"
    n_heads = t.config.n_heads
    for n in (heads.index(("decoder_self", chooser.layer, chooser.head)), strongest, 0):
        cell = [0, *divmod(n, n_heads)]
        page.click("five_minutes.heads", cell)
        assert blob(page.component("five_minutes.heads").proto)[0]["clicked"] == cell
        after = f"{100 * patches.probability(n):.1f}"
        claim = _claims(page)
        assert f"{before}%" in claim
        assert f"{after}%" in claim
        assert f"<small>{before}%</small>" in page.html
        assert f"<small>{after}%</small>" in page.html
        share = f"{100 * patches.scores[heads.index(chosen)]:.0f}"
        told = tr("five_minutes.proof.chooser", head=name_of(chosen, tr), percent=share)
        assert (told in page.html) == (heads[n] != chosen)
        assert tr("five_minutes.proof.lead", word="il", rival="elle") in page.html
    [(_, scores)] = page.matrices("five_minutes.heads")
    np.testing.assert_allclose(scores.ravel(), patches.scores, atol=1e-3)
    files.name = "proof"
    np.testing.assert_allclose(files.column("heads", "restored"), patches.scores, atol=1e-3)
    assert lines_of(page, "proof").splitlines()[-4:-3] == ["scores = t.patch(trace, second)"]


def test_the_last_head_of_a_layer_is_offered_beside_the_head_before_it(shipped, monkeypatch):
    t = _model(shipped, "")
    last = ChoosingHead(layer=1, head=t.config.n_heads - 1, choices=the_choice(t).choices)
    monkeypatch.setattr("ui.five_minutes.pronoun.the_choice", lambda _: last)
    labels = [button.label for button in _open(4).app.button]
    for number in (last.head, last.head - 1):
        assert name_of(("decoder_self", 1, number), EN) in labels


@pytest.mark.parametrize(("nouns", "is_told"), [(("street",) * 2, True), (("a", "b"), False)])
def test_the_page_tells_if_the_encoder_links_the_pronoun_to_the_same_noun_twice(
    nouns, is_told, monkeypatch
):
    link = EncoderLink(layer=1, head=4, nouns=nouns, weights=(0.25, 0.5))
    monkeypatch.setattr("ui.five_minutes.pronoun.strongest_encoder_link", lambda *_: link)
    memory.cache_clear()
    name = name_of(("encoder_self", 1, 4), EN)
    said = {"pronoun": ANIMAL_AND_STREET.pronoun, "noun": nouns[0], "head": name}
    told = EN("five_minutes.choice.encoder", first="0.25", second="0.50", **said)
    assert (told in _open(3).html) is is_told
    memory.cache_clear()  # so that no other test gets this invented link between pronoun and noun


@pytest.mark.parametrize(("name", "language"), _IN_BOTH)
def test_the_other_steps_show_the_numbers_of_the_sentence(name, language, shipped):
    tr = translator(language)
    t = _model(shipped, name)
    trace = t.trace(SENTENCE)

    # 5. The weights of the chosen word
    page = _open(5, name, language)
    layer, head = best_awi_head(read_analysis(t.folder))
    page.use({"five_minutes.word": 1})
    [_, (_, weights), _] = page.matrices("five_minutes.keys")
    assert tr("five_minutes.vectors.scale", n=t.config.d_model // t.config.n_heads) in page.html
    name_of_head = name_of(("cross", layer, head), tr)
    assert tr("five_minutes.vectors.head", head=name_of_head) in page.html
    best_first = np.sort(trace.cross[layer, head, 1])[::-1][:4]
    np.testing.assert_allclose(np.sort(weights[:, 0])[::-1], best_first, atol=1e-5)
    assert f"{100 * weights.max():.0f}" in _claims(page)

    # 6. The mask
    page = _open(6, name, language)
    assert _claims(page) == tr("five_minutes.mask.on.claim", percent="0")
    assert tr("five_minutes.mask.on.read") in page.html
    page.use({"five_minutes.mask": "off"})
    [(described, shown)] = page.matrices("five_minutes.map")
    n_layers, n_heads = t.config.n_layers, t.config.n_heads
    assert described["caption"] == tr("two.side_mean", layer=n_layers, heads=n_heads)
    opened = weights_without_mask(t, trace)
    np.testing.assert_allclose(shown, opened[-1].mean(axis=0), atol=1e-5)
    share = f"{100 * share_of_later(shown):.0f}"  # that a visitor can add up on the screen
    assert _claims(page) == tr("five_minutes.mask.off.claim", percent=share)
    counted = tr("five_minutes.mask.off.read")
    assert counted in page.html
    later = np.triu(shown, k=1).sum(axis=1)
    assert f"{100 * later.mean():.0f}" != share  # so the page has to say which row does not count
    assert {"en": "last row", "zh": "最后一行"}[language] in counted

    # 7. The visitor guesses first
    page = _open(7, name, language)
    heads = all_heads(t.config)
    assert _claims(page) == tr("five_minutes.heads.question", n=len(heads))
    [(_, hidden)] = page.matrices("five_minutes.all_heads")
    assert np.isnan(hidden).all()
    page.click("five_minutes.all_heads", [0, 0, 1])
    assert blob(page.component("five_minutes.all_heads").proto)[0]["clicked"] == [0, 0, 1]
    changes = np.concatenate(list(change_without_each_head(t, trace)))
    [(_, shown)] = page.matrices("five_minutes.all_heads")
    np.testing.assert_allclose(shown.ravel(), changes, atol=1e-3)
    assert f"{100 * np.exp(changes.min()):.3g}%" in _claims(page)
    left = f"{100 * np.exp(changes[1]):.3g}"
    told = {"head": name_of(heads[1], tr), "left": left, "rank": 1 + sum(changes < changes[1])}
    assert tr("five_minutes.heads.guess", **told) in page.html
    page.press("five_minutes.again")
    assert _claims(page) == tr("five_minutes.heads.question", n=len(heads))
    page.press("five_minutes.reveal")  # without a guess
    [(_, shown)] = page.matrices("five_minutes.all_heads")
    np.testing.assert_allclose(shown.ravel(), changes, atol=1e-3)
    assert f"{100 * np.exp(changes.min()):.3g}%" in _claims(page)
    page.press("five_minutes.back")
    page.press("five_minutes.next")  # with the next class
    assert _claims(page) == tr("five_minutes.heads.question", n=len(heads))

    # 8. Positions
    page = _open(8, name, language)
    words = {"first": "dog bites man", "second": "man bites dog"}
    assert _claims(page) == tr("five_minutes.positions.different", **words)
    page.use({"five_minutes.positions": "off"})
    assert _claims(page) == tr("five_minutes.positions.same", **words)
    largest = page.pictures[tr("five_minutes.positions.title")]
    # each word has the same output at its other position
    assert np.allclose(largest.min(axis=1), 0, atol=1e-9)


def test_the_page_says_if_the_translation_needs_no_head(shipped, monkeypatch):
    changes = np.zeros(len(all_heads(_model(shipped, "").config)))
    monkeypatch.setattr("ui.five_minutes.heads.change_without_each_head", lambda *_: [changes])
    page = Page("five_minutes", step="7", sentence="She sleeps.")
    page.press("five_minutes.reveal").finished()
    assert _claims(page) == EN("five_minutes.heads.nothing")


def test_the_announced_time_is_that_of_the_tokens_read_without_each_head(shipped, monkeypatch):
    asked = {}
    monkeypatch.setattr(
        "ui.five_minutes.heads.show_work", lambda *_, **options: asked.update(options)
    )
    monkeypatch.setattr("ui.state.speed.speed_of", lambda _: Speed(1.0, 0.0))
    _open(7).press("five_minutes.reveal")
    t = _model(shipped, "")
    trace = t.trace(SENTENCE)
    n_heads = len(all_heads(t.config))
    assert asked["seconds"] == n_heads * (len(trace.src) + len(trace.tgt_tokens))


@pytest.mark.parametrize("page", ["gallery", "heads"])
@pytest.mark.usefixtures("shipped")
def test_the_pair_is_offered_if_a_head_chooses_the_pronoun(page):
    offer = translator("en")("five_minutes.choice.offer", first="il", second="elle")
    assert offer in Page(page).links
    assert not any("“il”" in link for link in Page(page, checkpoint="en-zh").links)


def test_a_text_that_cannot_be_read_gets_one_message_and_the_lesson_continues():
    page = _open(1).use({"choice.sentence": ""})
    assert page.html.count('role="alert"') == 1
    assert "claim" not in page.html.split("</style>")[-1]
    page.press("five_minutes.next")
    assert _claims(page)


@pytest.mark.parametrize("name", MODELS)
def test_the_lines_of_the_crossing_words_have_the_numbers_of_the_files(
    name, shipped, files: Files, run_lines
):
    page = _open(2, name)
    files.name = "order"
    [table] = files.tables()
    assert_same(run_lines(page, "order")["numbers"], files.numbers(table))
    layer, head = best_awi_head(read_analysis(_model(shipped, name).folder))
    about = files.about()
    assert (about["layer"], about["head"]) == (layer + 1, head + 1)


def test_the_lines_of_the_heads_come_after_the_guess_and_have_the_numbers_of_the_files(
    files, run_lines
):
    page = _open(7)
    assert lines_of(page, "heads") == ""
    page.click("five_minutes.all_heads", [0, 0, 0]).finished()
    files.name = "heads"
    numbers = run_lines(page, "heads")["numbers"]
    assert_same(numbers, files.column("heads", "log_prob_change"), largest=20.0)


def test_who_comes_back_to_a_step_finds_the_case_that_was_left():
    page = _open(3)
    page.use({"five_minutes.ending": "wide"})
    page.press("five_minutes.next")
    page.press("five_minutes.back")
    assert "“wide” decides" in _claims(page)
    page.press("five_minutes.back")
    page.press("five_minutes.next")  # the next class sees the first case
    assert "“tired” decides" in _claims(page)


def test_the_last_step_says_what_the_dot_before_a_piece_of_a_word_means():
    page = _open(8)
    assert EN("positions.joined") in page.text + page.html
