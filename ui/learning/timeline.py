"""The timeline: what the model was like at each of the steps that were kept."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from model import Trace, TranslationModel
from model.maps.measures import most_decided
from model.pictures.tokens import display
from model.trace.next_tokens import perplexity
from model.transformer.heads import KINDS, Kind
from ui.components.attention_grid import attention_grid
from ui.export.figure import About, about, figure
from ui.export.tables import Labels, map_table
from ui.frame.controls import pick, slide_and_play
from ui.frame.page import problems_told
from ui.frame.pickers import ask_sentence, choose_named
from ui.frame.picture import Side, show_heatmap, show_two, why_apart
from ui.learning.measures import show_measures
from ui.learning.snapshots import models_with_snapshots, open_snapshots, read_target, write_own
from ui.server.log import fragment
from ui.state.address import Address, one_based
from ui.state.link import picked
from ui.state.models import open_model, trace_of
from ui.text.languages import sides
from ui.text.markup import alert, gloss
from ui.text.translator import Translator

_PLACE, _NONE_PICKED = "learning.place", (0, 0)
_NONE = "none"


def show_timeline(address: Address, tr: Translator) -> None:
    """The visitor's sentence at every step; or a word on how to get snapshots."""
    names = models_with_snapshots()
    if not names:
        st.html(alert(tr("learning.no_snapshots")))
        return
    with ask_sentence(tr):
        name = _pick_model(names, address, tr)
    with problems_told(tr):
        t = open_model(name)
        with st.spinner(tr("learning.reading")):
            open_snapshots(t)
        final = trace_of(t, address.sentence)
        how = {"key": "learning.attention", "default": "cross", "label_visibility": "collapsed"}
        kind: Kind = choose_named("attention", KINDS, tr, wrap=True, **how)
        place = _place(t, final, kind)
        _show_steps(t, final, kind, place, tr)
        show_measures(t, final, kind, place, tr)


def _pick_model(names: list[str], address: Address, tr: Translator) -> str:
    first = address.checkpoint if address.checkpoint in names else names[0]
    if len(names) == 1:
        return first
    label, key = tr("learning.model"), "learning.model"
    return pick(label, names, default=first, key=key, label_visibility="collapsed", width=190)


def _place(t: TranslationModel, final: Trace, kind: Kind) -> tuple[int, int]:
    """Layer and head from 0: the ones picked, at first the most decided of the trained model."""
    layer, head = map(int, picked(_PLACE, _NONE_PICKED))
    if not (layer and head):
        return most_decided(final.attention(kind).weights)
    return min(layer, t.config.n_layers) - 1, min(head, t.config.n_heads) - 1


@dataclass(frozen=True)
class _Step:
    """One step of the training, with a trace of the sentence by the model as it was then."""

    t: TranslationModel
    step: int
    trace: Trace
    kind: Kind

    def about(self, **which: int | str) -> About:
        """What its pictures show; ``which`` layer and head."""
        origin = "final" if self.trace.target_origin == "given" else self.trace.target_origin
        what = about(self.t, self.trace, attention=self.kind, measure="weights", **which)
        return {**what, "step": self.step, "target_origin": origin}


@fragment
def _show_steps(
    t: TranslationModel, final: Trace, kind: Kind, place: tuple[int, int], tr: Translator
) -> None:
    """A slider over the snapshots, to play too; only this part of the page is drawn again."""
    with problems_told(tr):
        steps = list(open_snapshots(t))
        step = slide_and_play(
            tr("learning.step"),
            steps,
            default=steps[0],
            key=f"learning.step.{t.name}.{len(steps)}",
            tr=tr,
            format_func=lambda step: f"{step:,}",
        )
        own = write_own(t, step, final.source_text)
        text = own.target_text or tr("translation.empty")
        st.html(gloss(tr("learning.written_at", step=f"{step:,}"), text, lang=t.languages[1]))
        read = read_target(t, final)
        forced = read.get(step)
        at_the_end = final.target_text or tr("translation.empty")
        st.html(gloss(tr("learning.final"), at_the_end, lang=t.languages[1]))
        cut = [tr("translation.truncated")] if own.truncated else []
        st.caption(" ".join([*cut, *_scores(t, step, forced, tr)]))
        large, glance = st.columns([3, 2], gap="large")
        with glance:
            whose = ("final", "own")
            reads = choose_named("learning.target", whose, tr, wrap=True) if forced else "own"
            trace = forced if forced and reads == "final" else own
            second = _pick_second_step(t, steps, tr)
            first = _Step(t, step, trace, kind)
            _show_grid(first, place, tr)
        with large:
            st.header(_title(kind, place, tr), anchor=False)
            if second is None:
                _show_map(first, place, tr)
            else:
                other = read[second] if trace is forced else write_own(t, second, own.source_text)
                _show_two_steps(first, _Step(t, second, other, kind), place, tr)


def _scores(t: TranslationModel, step: int, forced: Trace | None, tr: Translator) -> list[str]:
    found = [line["dev_bleu"] for line in t.history if line["step"] == step and "dev_bleu" in line]
    scores = [tr("learning.bleu_at", bleu=f"{bleu:.1f}") for bleu in found]
    if forced:
        scores.append(tr("learning.perplexity", n=f"{perplexity(forced):,.1f}"))
    return scores


def _pick_second_step(t: TranslationModel, steps: Sequence[int], tr: Translator) -> int | None:
    """Which step stands beside the one on the slider; None: none, as at first."""
    chosen = pick(
        tr("learning.beside"),
        [_NONE, *steps],
        default=_NONE,
        key=f"learning.beside.{t.name}.{len(steps)}",
        format_func=lambda step: tr("learning.beside_none") if step == _NONE else f"{step:,}",
        width=230,
    )
    return chosen if isinstance(chosen, int) else None


def _title(kind: Kind, place: tuple[int, int], tr: Translator) -> str:
    return tr("map.title_head", attention=tr(f"attention.{kind}"), **one_based(*place))


def _show_map(at: _Step, place: tuple[int, int], tr: Translator) -> None:
    one, title = _side(at, place, tr), _title(at.kind, place, tr)
    causal, weight_title = at.kind == "decoder_self", tr("map.weights")
    with figure("timeline", tr, title=title, about=at.about(**one_based(*place))) as fig:
        fig.numbers(lambda: {"weights": map_table(one.map, one.labels, corner="weights")})
        show_heatmap(one.map, fig, one.labels, weight_title=weight_title, causal=causal)


def _show_two_steps(first: _Step, second: _Step, place: tuple[int, int], tr: Translator) -> None:
    """One head as it was at two steps."""
    what = {**first.about(**one_based(*place)), "second_step": second.step}
    what["measure"] = ["weights", "weight_difference"]
    if second.trace.target_text != first.trace.target_text:
        what["second_target"] = second.trace.target_text
    a, b = (_side(at, place, tr) for at in (first, second))
    with figure("timeline", tr, title=_title(first.kind, place, tr), about=what) as fig:
        apart = why_apart(a, b, tr, tr("learning.beside_try"))
        show_two(a, b, fig, tr, causal=first.kind == "decoder_self", apart=apart)


def _side(at: _Step, place: tuple[int, int], tr: Translator) -> Side:
    maps, languages = at.trace.attention(at.kind, rows="written"), sides(at.t.languages, at.kind)
    return Side(
        tr("learning.side", step=f"{at.step:,}"),
        maps.weights[place],
        Labels(display(maps.query_tokens), display(maps.key_tokens), languages),
        text=at.trace.target_text or tr("translation.empty"),
        language=at.t.languages[1],
    )


def _show_grid(at: _Step, place: tuple[int, int], tr: Translator) -> None:
    st.header(tr("grid.title"), anchor=False)
    st.caption(tr("grid.hint"))
    title = tr("grid.of", attention=tr(f"attention.{at.kind}"))
    with figure("grid", tr, title=title, about=at.about(layer="all", head="all")) as fig:
        attention_grid(
            at.trace.attention(at.kind, rows="written").weights,
            fig,
            _side(at, place, tr).labels,
            **one_based(*place),
            limit=1.0,
            tr=tr,
            key="learning.grid",
            on_pick=_open_head,
        )


def _open_head(layer: int, head: int) -> None:
    st.session_state[_PLACE] = layer, head
    st.rerun()  # the curves, outside of the fragment, show the picked head too
