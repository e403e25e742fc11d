"""Steps 3 and 4: the head that chooses a pronoun, and a proof by activation patching."""

from contextlib import suppress
from dataclasses import replace

import streamlit as st

from model import InputError, Trace, TranslationModel
from model.lessons.pronouns import (
    ANIMAL_AND_STREET,
    ChoosingHead,
    HeadPatches,
    find_choosing_head,
    patch_heads,
    strongest_encoder_link,
)
from model.pictures.tokens import display
from model.tokenizers.byte_level.pre_tokenizer import words_in
from model.transformer.heads import Head, all_heads
from ui.components.matrices import show_matrices
from ui.export.figure import about, figure
from ui.export.python_lines import lines_of_map, lines_of_patching
from ui.export.tables import Table
from ui.five_minutes.stage import WIDEST_BESIDE, Stage, largest_cell, show_note
from ui.frame.all_heads import matrix_of_heads, name_of, table_of_heads
from ui.frame.controls import choose
from ui.frame.head_kinds import best_aligning_head
from ui.frame.page import FIVE_MINUTES, PAGES
from ui.state.address import EXPLORER, Address, encode, one_based
from ui.state.codecs import Clicked, ClickedValue
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.state.visitor import visitor
from ui.text.markup import attended_words, changed_words, probability_bars
from ui.text.numbers import percent
from ui.text.translator import Translator

_PAIR = ANIMAL_AND_STREET
_CARRIED = "five_minutes.carried"  # key of the head whose output is patched


def _traces(t: TranslationModel) -> tuple[Trace, Trace]:
    """Return the traces of the two sentences of the pronoun pair, from the cache if possible."""
    first, second = _PAIR.sentences
    return trace_of(t, first), trace_of(t, second)


def the_choice(t: TranslationModel) -> ChoosingHead | None:
    """Return the head that chooses the pronoun; None if this model has none.

    None also if this server's limit is shorter than the two sentences.
    """
    with suppress(InputError):
        return remember(
            "five_minutes.choice",
            t.version,
            lambda: find_choosing_head(t, _PAIR, _traces(t), best_aligning_head(t)),
        )
    return None


def _chooser(t: TranslationModel) -> tuple[ChoosingHead, Head]:
    """Return the head that chooses the pronoun: what it attends to, and where it is in the model.

    Call this only in steps that need such a head; the lesson leaves them out if there is none.
    """
    chooser = the_choice(t)
    assert chooser is not None
    return chooser, ("decoder_self", chooser.layer, chooser.head)


def offer_pair(run: PageRun, tr: Translator) -> None:
    """Show a link to step 3 of the lesson, if a head of the page's model chooses the pronoun."""
    if run.config is None:  # the page already shows the error of the model
        return
    chooser = the_choice(run.model)
    if chooser is None:
        return
    first, second = (choice.pronoun for choice in chooser.choices)
    label = tr("five_minutes.choice.offer", first=first, second=second)
    address = Address(checkpoint=run.address.checkpoint, step=3)
    st.page_link(
        PAGES[FIVE_MINUTES], label=label, query_params=encode(address, ("checkpoint", "step"))
    )


def link_to_head(run: PageRun) -> tuple[str, dict[str, str]]:
    """Return a link to the explorer that shows the head's map: the page and its parameters."""
    chooser, _ = _chooser(run.model)
    address = Address(
        sentence=_PAIR.sentences[0],
        checkpoint=run.address.checkpoint,
        attention="decoder_self",
        view="head",
        rows="written",
        unit="words",
        **one_based(chooser.layer, chooser.head),
    )
    return "explorer", encode(address, EXPLORER)


def link_to_pair(run: PageRun) -> tuple[str, dict[str, str]]:
    """Return a link to the experiments that shows both sentences: the page and its parameters."""
    first, second = _PAIR.sentences
    address = Address(sentence=first, second=second, checkpoint=run.address.checkpoint, show="pair")
    return "experiments", encode(address, ("sentence", "second", "checkpoint", "show"))


def show_choice(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Let the visitor change the last word; show the head's attention when it writes the pronoun.

    Args:
        stage: the screen.
        run: the model.
        tr: the visitor's language.
    """
    # 1. The control
    t = run.model
    chooser, place = _chooser(t)
    with stage.control:
        ending = choose(
            tr("five_minutes.choice.ending"),
            _PAIR.endings,
            key="five_minutes.ending",
            default=_PAIR.endings[0],
            label_visibility="collapsed",
        )
    n = _PAIR.endings.index(ending)
    trace = _traces(t)[n]
    choice = chooser.choices[n]

    # 2. The claim
    numbers = one_based(chooser.layer, chooser.head)
    stage.say(
        tr(
            "five_minutes.choice.claim",
            ending=ending,
            pronoun=choice.pronoun,
            noun=choice.noun,
            percent=percent(choice.weight),
            head=name_of(place, tr),
        )
    )

    # 3. The picture: both texts, with the words that the head can attend to
    source_language, target_language = t.languages
    source = words_in(trace.source_text)
    target = words_in(trace.target_text)
    title = tr("map.title_head", attention=tr("attention.decoder_self"), **numbers)
    description = about(
        t, trace, attention="decoder_self", measure="weights", rows="written", **numbers
    )
    words = display(choice.words)
    with stage.picture:
        st.html(
            changed_words("", source, _places(source, ending), lang=source_language)
            + changed_words("", target, _places(target, choice.pronoun), lang=target_language)
        )
        python = lines_of_map(
            t, trace, kind="decoder_self", view="head", layer=chooser.layer, head=chooser.head
        )
        with figure("choice", tr, title=title, about=description, python=python) as fig:
            st.html(
                attended_words(words, choice.weights.tolist(), choice.pronoun, lang=target_language)
            )
            fig.draws(lambda: {"weights": Table.of(word=words, weight=choice.weights.tolist())})
        _show_encoder(t, tr)


def _places(words: list[str], marked: str) -> list[int]:
    """Return the positions of a word in a list of words, ignoring spaces around words."""
    return [n for n, word in enumerate(words) if word.strip() == marked]


def show_proof(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Let the visitor patch one head from the first sentence into the second.

    Args:
        stage: the screen.
        run: the model.
        tr: the visitor's language.
    """
    # 1. Patch each head, and cache the result for all visitors
    t = run.model
    chooser, choosing_head = _chooser(t)
    patches = remember("five_minutes.patches", t.version, lambda: patch_heads(t.model, _traces(t)))
    heads = all_heads(t.config)
    strongest = heads[int(patches.scores.argmax())]
    carried = _carried(heads, strongest)
    n = heads.index(carried)
    word, rival = (choice.pronoun for choice in chooser.choices)
    first_ending, second_ending = _PAIR.endings

    # 2. The control: a few heads by name, any other head by a click in the picture. First the one
    # that the picture shows best, then the one of the step before
    offered = list(dict.fromkeys([strongest, choosing_head, *_beside(heads, choosing_head)]))
    with stage.control:
        for number, head in enumerate(offered):
            st.button(
                name_of(head, tr),
                key=f"five_minutes.carry.{number}",
                type="primary" if head == carried else "secondary",
                on_click=_carry,
                args=(head,),
            )

    # 3. The claim
    before = patches.probability(None)
    after = patches.probability(n)
    texts = {"first": first_ending, "second": second_ending, "word": word, "rival": rival}
    stage.say(
        tr(
            "five_minutes.proof.claim",
            head=name_of(carried, tr),
            before=f"{100 * before:.1f}",
            after=f"{100 * after:.1f}",
            **texts,
        )
    )

    # 4. The picture
    with stage.result:
        bars = {
            tr("five_minutes.proof.before", **texts): before,
            tr("five_minutes.proof.after", head=name_of(carried, tr), **texts): after,
        }
        st.html(probability_bars(bars, word, rival, lang=t.languages[1]))
        if strongest != carried:
            names = {"head": name_of(carried, tr), "strongest": name_of(strongest, tr)}
            show_note(tr("five_minutes.proof.strongest", **names))
        if choosing_head != carried:
            score = float(patches.scores[heads.index(choosing_head)])
            names = {"head": name_of(choosing_head, tr), "percent": percent(score)}
            show_note(tr("five_minutes.proof.chooser", **names))
        show_note(tr("five_minutes.proof.lead", **texts))
    with stage.picture:
        _show_heads(heads, n, patches, t, texts, tr)


def _show_heads(
    heads: list[Head],
    carried: int,
    patches: HeadPatches,
    t: TranslationModel,
    texts: dict[str, str],
    tr: Translator,
) -> None:
    """Draw the score of every head. A click chooses the head to patch.

    Args:
        heads: all heads, in the order of the cells.
        carried: the patched head, as an index of ``heads``.
        patches: the score of every head.
        t: the model and its tokenizer.
        texts: the placeholders of the title: both endings, the pronoun and its rival.
    """
    first, second = _traces(t)
    title = tr("five_minutes.proof.title", **texts)
    matrix = replace(matrix_of_heads(patches.scores, title, t.config, tr, limit=1.0), sparse=True)
    description = about(
        t, first, second_sentence=second.source_text, measure="restored", word=texts["word"]
    )
    n_heads = t.config.n_heads

    def click(_: int, row: int, column: int) -> None:
        """Patch the clicked head.

        Args:
            _: number of the matrix; there is only one.
            row: row of the clicked cell, from 0.
            column: its column, from 0.
        """
        _carry(heads[row * n_heads + column])

    python = lines_of_patching(t, first, second)
    with figure("proof", tr, title=title, about=description, python=python) as fig:
        show_matrices(
            [matrix],
            fig,
            key="five_minutes.heads",
            clicked=(0, *divmod(carried, n_heads)),
            on_click=click,
            largest=largest_cell(3 * t.config.n_layers, numbered=True),
            widest=WIDEST_BESIDE,
        )
        fig.numbers(lambda: {"heads": table_of_heads(heads, restored=patches.scores.tolist())})


def _show_encoder(t: TranslationModel, tr: Translator) -> None:
    """Name the encoder head with the strongest link from the pronoun to a noun, and this noun.

    Nothing is shown if the head looks at a different noun in each sentence.
    """
    link = remember(
        "five_minutes.encoder",
        t.version,
        lambda: strongest_encoder_link(t, _PAIR, _traces(t)),
    )
    if link is None or len(set(link.nouns)) > 1:
        return
    show_note(
        tr(
            "five_minutes.choice.encoder",
            pronoun=_PAIR.pronoun,
            noun=link.nouns[0],
            first=f"{link.weights[0]:.2f}",
            second=f"{link.weights[1]:.2f}",
            head=name_of(("encoder_self", link.layer, link.head), tr),
        )
    )


def _carried(heads: list[Head], default: Head) -> Head:
    """Return the head to patch: the one that the visitor has chosen, otherwise ``default``."""
    by_value: dict[ClickedValue, Head] = {
        (kind, layer + 1, number + 1): (kind, layer, number) for kind, layer, number in heads
    }
    kind, layer, number = default
    codec = Clicked((kind, layer + 1, number + 1), is_possible=by_value.__contains__)
    return by_value[visitor().get(_CARRIED, codec)]


def _carry(head: Head) -> None:
    """Choose the head to patch. Called on a click."""
    kind, layer, number = head
    visitor().set({_CARRIED: (kind, layer + 1, number + 1)})


def _beside(heads: list[Head], head: Head) -> list[Head]:
    """Return one more head of the same layer for comparison; [] if there is none."""
    kind, layer, number = head
    beside = [(kind, layer, number + 1), (kind, layer, number - 1)]
    return [other for other in beside if other in heads][:1]
