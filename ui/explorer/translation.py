"""The translation on the page: large, token by token, and as it is written."""

import math
from collections.abc import Mapping
from functools import partial
from itertools import chain

import streamlit as st
import torch

from model import Trace, TranslationModel
from model.checkpoint.fingerprint import Version
from model.corpora.plain_text import normalise
from model.corpora.which_language import language_of
from model.decoding.greedy import continue_from
from model.evaluation.uncopied_words import uncopied_words
from model.maps.contributions import from_source
from model.one_file.export import one_file
from model.pictures.tokens import display
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.tokenizers.tokenizer import code_asked
from model.tokenizers.unknown import is_mostly_unknown, unknown_signs
from model.trace.base import BaseTrace
from model.trace.next_tokens import decoding_steps, perplexity
from model.translation_model import AnyTranslationModel
from ui.components.ribbons import ribbons
from ui.export.figure import about, figure, offer_file
from ui.export.provenance import decoded
from ui.export.tables import Labels
from ui.frame.head_kinds import best_aligning_head, sound_analysis
from ui.frame.page import PAGES, problems_told
from ui.state.address import LONGEST, Address
from ui.state.codecs import Clicked, ClickedValue
from ui.state.memory import remember
from ui.state.models import PageRun, Written, trace_of
from ui.state.visitor import visitor
from ui.text.languages import languages_in_words
from ui.text.markup import alert, gloss, paragraph, subwords, translation
from ui.text.translator import Translator

Chosen = Mapping[int, int]  # place in the target, from 0 -> id of a token
_DRAWN = "drawn"
_CHOSEN = "writing.chosen"
_MOST_CHOSEN = 8
_WORDS = ("play", "pause", "position", "speed", "hint", "map", "weights", "rivals", "unread")
_FILLED = ("told", "from_source")  # in the browser


def translate(
    run: PageRun, tr: Translator, *, with_tokens: bool = False, chosen: Chosen | None = None
) -> Trace | None:
    """Show the translation and return its trace; None, and a sentence, where it has no heads.

    ``with_tokens`` shows each token that was written, too, with its probability; ``chosen`` are
    tokens that the visitor has put in the place of the model's own.
    """
    with problems_told(tr):
        t, address = run.any_model, run.address
        target = target_of(t, address)
        if chosen and isinstance(t, TranslationModel):
            target = continued(t, address.sentence, chosen)
        trace = trace_of(t, address.sentence, target=target, beam=address.beam)
        text = trace.target_text or tr("translation.empty")
        beam = trace.beam if trace.target_origin == "generated" else None
        origin = " · ".join(decoded(trace.target_origin, beam, tr))
        if there := [str(place + 1) for place in chosen or () if place < len(trace.next_tokens)]:
            origin = tr("writing.chosen", places=", ".join(there))
        lang, label = t.languages[1], tr("subwords.label")
        written = translation(text, origin, lang=lang)
        if with_tokens and isinstance(trace, Trace):
            probabilities = trace.log_probs.tolist()
            written += subwords(trace.next_tokens, probabilities, label=label, lang=lang)
        st.html(written)
        if trace.truncated:
            st.html(alert(tr("translation.truncated")))
        show_doubts(t, trace, tr)
        if isinstance(trace, Trace):
            return trace
        st.page_link(PAGES["from_rnn"], label=tr("translation.recurrent"))
    return None


def show_doubts(t: AnyTranslationModel, trace: BaseTrace, tr: Translator) -> None:
    """A quiet word where a text was read otherwise than typed, or the model has not learned it."""
    of, reads = trace.source_text, t.languages[0]
    plain = normalise(of)
    if plain != " ".join(of.split()):
        st.html(gloss(tr("translation.read_as"), plain, lang=reads))
    asked, codes = code_asked(plain), t.tokenizer.codes
    if codes and asked not in codes:
        said = tr("translation.unknown_code", code=asked) if asked else tr("translation.no_code")
        st.html(gloss(said, " ".join(codes), lang=None))
    language = remember("languages", of, lambda: language_of(of)) if reads else None
    alike = (reads, language) == ("ja", "zh")  # a text without kana may be both
    if language not in (None, reads) and not alike:
        st.caption(tr("translation.looks_like", language=tr(f"language.{language}")))
    elif is_mostly_unknown(t.tokenizer, trace.src, of):
        st.caption(tr("translation.unknown_signs"))
    elif signs := unknown_signs(t.tokenizer, trace.src, of):
        st.html(gloss(tr("translation.new_signs"), " ".join(signs), lang=None))
    elif trace.target_origin == "generated":
        if words := uncopied_words(plain, trace.target_text):
            st.html(gloss(tr("translation.not_copied"), " ".join(words), lang=None))
        if perplexity(trace) > (t.perplexity_p99 or math.inf):
            st.caption(tr("translation.unsure"))
    if "\ufffd" in trace.target_text and "\ufffd" not in trace.source_text:
        st.caption(tr("translation.no_character"))


def look_inside(of: tuple[Version, str], text: str, ids: tuple[int, ...]) -> None:
    """Make a translation that was drawn the one that the whole page shows.

    Its ids, BOS first, are kept beside its text: read again as a text it could be cut into other
    subwords, more than the model takes, and it could be too long for the box. ``of`` is the version
    of the model that wrote it, and the sentence.
    """
    text = text[:LONGEST]
    st.session_state[_DRAWN] = (*of, text), ids
    visitor().set({"target": text})


def target_of(t: AnyTranslationModel, address: Address) -> Written:
    """The target as it is to be read: the ids of one that was drawn, otherwise the text."""
    drawn, ids = st.session_state.get(_DRAWN, (None, ()))
    shown = t.version, address.sentence, address.target
    return ids if drawn == shown else address.target


def chosen_tokens(run: PageRun) -> Chosen:
    """What the visitor has put in the place of the model's own tokens, for this sentence."""
    config = run.config

    def is_possible(clicked: ClickedValue) -> bool:
        numbers = [int(number) for number in clicked]
        positions, ids = numbers[::2], numbers[1::2]
        if not clicked:
            return True
        if config is None:
            return False
        in_order = positions == sorted(set(positions))
        return in_order and max(positions) < config.max_length and max(ids) < config.vocab_size

    codec = Clicked((), lengths=range(2, 2 * _MOST_CHOSEN + 1, 2), is_possible=is_possible)
    of = (run.address.checkpoint, run.address.sentence)
    clicked = [int(entry) for entry in visitor().get(_CHOSEN, codec, of=of)]
    return dict(zip(clicked[::2], clicked[1::2], strict=True))


def continued(t: TranslationModel, sentence: str, chosen: Chosen) -> tuple[int, ...]:
    """The ids that the model writes around chosen ones, BOS first; InputError as ``trace_of``."""
    src = trace_of(t, sentence).src

    def write() -> tuple[int, ...]:
        ids = torch.tensor([[token.id for token in src]], device=t.model.device)
        found = continue_from(t.decoder, ids, chosen, **t.tokenizer.special_ids)
        return (t.tokenizer.bos_id, *found.ids)

    return remember("continued", (t.version, sentence, tuple(chosen.items())), write)


def show_writing(trace: Trace, t: TranslationModel, tr: Translator, chosen: Chosen) -> None:
    """The translation, written again word by word, and where it looks.

    A click on another candidate of a token lets the model go on from there.
    """

    def choose(place: int, id: int) -> None:
        """What was chosen after it is written anew."""
        before = [pair for pair in chosen.items() if pair[0] < place][: _MOST_CHOSEN - 1]
        visitor().set({_CHOSEN: tuple(chain.from_iterable([*before, (place, id)]))})

    if chosen:
        st.button(
            tr("writing.back"), key="writing.back", on_click=visitor().set, args=({_CHOSEN: ()},)
        )
    head = best_aligning_head(t)
    seen = decoding_steps(trace, t.tokenizer, reading_head=head)
    layer, number = (t.config.n_layers, "mean") if head is None else (head[0] + 1, head[1] + 1)
    where = {"layer": layer, "head": number, "heads": t.config.n_heads}
    names = languages_in_words(t, tr)
    view = "mean" if head is None else "head"
    title = tr(f"map.title_{view}", attention=tr("attention.cross"), **where)
    what = about(
        t, trace, attention="cross", layer=layer, head=number, measure="weights", rows=seen.rows
    )
    of = (t.version, trace.source_text, trace.tgt_ids)
    shares = remember("from_source", of, lambda: from_source(t.model, trace))
    analysis = sound_analysis(t)
    little = analysis.faithfulness.low_source_share if analysis and analysis.faithfulness else None
    with figure("ribbons", tr, title=title, about=what) as fig:
        words = {name: tr(f"writing.{name}") for name in _WORDS}
        ribbons(
            seen,
            fig,
            Labels(display(trace.src_tokens), display(trace.next_tokens), t.languages),
            story=" ".join([t.name, trace.source_text, *map(str, chosen.values())]),
            texts=words | names | {name: tr.texts[f"writing.{name}"] for name in _FILLED},
            key="ribbons",
            from_source=shares,
            little=little,
            on_choose=choose,
        )
        notes = [tr(f"writing.{seen.rows}", **where, **names), tr("writing.source")]
        if little is not None and min(shares[:-1], default=1) < little:
            notes.append(tr("writing.little"))
        st.caption(" ".join(notes))


def show_model(t: TranslationModel, tr: Translator) -> None:
    """In one line its languages, its size, and BLEU on the dev set where that was measured."""
    measured = [entry["dev_bleu"] for entry in t.history if "dev_bleu" in entry]
    facts = tr(
        "model.facts",
        name=t.name,
        **languages_in_words(t, tr),
        layers=t.config.n_layers,
        heads=t.config.n_heads,
        parameters=f"{t.n_parameters / 1e6:.1f}",
    )
    score = tr("model.score", bleu=f"{measured[-1]:.1f}") if measured else ""
    st.html(paragraph(facts + score, kind="model"))
    if isinstance(t.tokenizer, ByteLevelTokenizer):
        analysis = sound_analysis(t)

        def page() -> bytes:
            return str(one_file([(t, analysis)])).encode()

        make = partial(remember, "one_file", t.version, page)
        megabytes = 1.4 * t.n_parameters / 1e6  # 8-bit weights as base64, and the scripts
        label = tr("one_file.take", size=f"{megabytes:.0f}")
        offer_file(label, make, f"{t.name}.html", key="take_home", help=tr("one_file.help"))
