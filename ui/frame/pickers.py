"""The controls that several pages share. Their values do not depend on the language."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import streamlit as st

from model import TranslationModel
from model.checkpoint.checkpoint import explain_other_folders
from model.corpora.which_language import LANGUAGES
from model.hub.tokenizer import HubTokenizer
from model.lessons.qkv.classroom import N_HEADS
from model.nn.attention_model import AttentionConfig
from model.transformer.heads import KINDS
from ui.frame.controls import (
    LabelVisibility,
    OnChange,
    choose,
    offer,
    select,
    type_sentence,
    type_text,
)
from ui.state.address import BEAMS
from ui.state.limits import target_characters
from ui.state.messages import without_folders
from ui.state.models import (
    PageRun,
    checkpoint_names,
    checkpoints_folder,
    is_hub_model,
    languages_of,
    open_model,
    transformers,
)
from ui.state.visitor import visitor, widget_key
from ui.text.examples import FIRST_SENTENCES, SENTENCES
from ui.text.languages import language_names
from ui.text.markup import paragraph
from ui.text.translator import Translator

T = TypeVar("T")
_LANGUAGE_WIDTH = 210  # pixels of a list of languages
_ATTENTION_LIST_WIDTH = 290  # pixels
_MAX_OTHER_FOLDERS = 5  # below the list of checkpoints
_PREFIX_CHARACTERS = 200  # of the longest text before a sentence


def choose_named(
    name: str,
    options: Sequence[T],
    tr: Translator,
    *,
    key: str = "",
    default: T | None = None,
    label: str = "",
    format_func: Callable[[T], str] | None = None,
    label_visibility: LabelVisibility = "visible",
    wrap: bool | None = None,
    help: str | None = None,
) -> T:
    """Let the visitor choose one of a few options whose texts are in the locale files.

    Args:
        name: their texts are ``<name>.label`` and ``<name>.<option>``.
        options: as for ``choose``; none of them is None.
        tr: in the visitor's language.
        key: as for ``choose``; empty: the name.
        default: as for ``choose``; None: the first option.
        label, format_func: used instead of these texts.
        label_visibility, wrap, help: as for ``choose``.
    """
    return choose(
        label or tr(f"{name}.label"),
        options,
        key=key or name,
        default=options[0] if default is None else default,
        format_func=format_func or (lambda option: tr(f"{name}.{option}")),
        label_visibility=label_visibility,
        wrap=wrap,
        help=help,
    )


def choose_field(
    name: str,
    options: Sequence[T],
    tr: Translator,
    *,
    label: str = "",
    format_func: Callable[[T], str] | None = None,
    label_visibility: LabelVisibility = "visible",
    wrap: bool | None = None,
    help: str | None = None,
    on_change: OnChange = "rerun",
    args: tuple[Any, ...] = (),
) -> T:
    """Show a control with which the visitor sets one field of the page's address (URL).

    Args:
        name: of the field; the texts are as for ``choose_named``.
        options: the values that it can have.
        tr: in the visitor's language.
        label, format_func: as for ``choose_named``.
        label_visibility, wrap, help, on_change, args: as for ``choose``.
    """
    return choose(
        label or tr(f"{name}.label"),
        options,
        key=widget_key(name),
        default=visitor().field(name),
        format_func=format_func or (lambda option: tr(f"{name}.{option}")),
        label_visibility=label_visibility,
        wrap=wrap,
        help=help,
        on_change=on_change,
        args=args,
    )


def sentence_box(tr: Translator) -> None:
    """Show the box where the visitor types a sentence."""
    type_sentence(
        tr("sentence.label"),
        key=widget_key("sentence"),
        default=visitor().field("sentence"),
        placeholder=tr("sentence.placeholder"),
    )


def ask_sentence(
    tr: Translator, sentences: Sequence[str] = SENTENCES
) -> st.delta_generator.DeltaGenerator:
    """Show the sentence box with examples beside it; return its row, for more controls."""
    row = st.container(key="question", horizontal=True, vertical_alignment="center")
    with row:
        sentence_box(tr)
        offer(
            tr("examples.label"),
            sentences,
            key="example",
            take=lambda sentence: visitor().set({"sentence": sentence}),
            placeholder=tr("examples.placeholder"),
            width=190,
            label_visibility="collapsed",
        )
    return row


def example_chips(tr: Translator) -> None:
    """Show the examples as buttons that are all visible."""
    with st.container(key="chips", horizontal=True, gap="xsmall"):
        st.caption(tr("examples.chips"))
        for n, sentence in enumerate(FIRST_SENTENCES):
            st.button(
                sentence,
                key=f"chip.{n}",
                on_click=visitor().set,
                args=({"sentence": sentence},),
            )


def ask_translation(tr: Translator) -> None:
    """Ask for the checkpoint, the decoding method, and the visitor's own translation."""
    names = checkpoint_names()
    with st.container(horizontal=True):
        select(
            tr("settings.checkpoint"),
            ["", *names[1:]],
            key=widget_key("checkpoint"),
            default=visitor().field("checkpoint"),
            format_func=lambda name: _marked(name or next(iter(names), ""), tr),
            help=tr("settings.checkpoint_help"),
        )
        beams = {n: tr("settings.beam_of", beam=n) for n in BEAMS} | {1: tr("settings.greedy")}
        select(
            tr("settings.beam"),
            BEAMS,
            key=widget_key("beam"),
            default=visitor().field("beam"),
            format_func=beams.__getitem__,
        )
    _explain_other_folders(tr)
    type_text(
        tr("settings.target"),
        key=widget_key("target"),
        default=visitor().field("target"),
        longest=target_characters(),
        help=tr("settings.target_help"),
        placeholder=tr("settings.target_placeholder"),
    )


def _marked(checkpoint: str, tr: Translator) -> str:
    """Return the name of a checkpoint; of a model of the Hub, this is said."""
    is_marked = checkpoint and is_hub_model(checkpoint)
    return tr("settings.of_hub", name=checkpoint) if is_marked else checkpoint


def _explain_other_folders(tr: Translator) -> None:
    """Say of each folder beside the checkpoints that cannot be chosen what it is."""
    sentences = explain_other_folders(checkpoints_folder(), _MAX_OTHER_FOLDERS)
    if sentences:
        texts = [tr("settings.other_folders"), *map(without_folders, sentences)]
        st.html("".join(paragraph(text, kind="guide hint") for text in texts))


def checkpoints_by_target(preferred: str) -> dict[str, str]:
    """Return the code of each target language -> the name of a Transformer, as in an address.

    Args:
        preferred: the name, as in an address, that is taken if several models write its language;
            otherwise a model of this project is taken before one of the Hub.
    """
    names = transformers()
    targets = dict[str, str]()
    languages = languages_of(names.values())

    def rank(name_in_address: str) -> tuple[bool, bool]:
        is_other = name_in_address != preferred
        return is_other, is_other and is_hub_model(names[name_in_address])

    for name_in_address in sorted(names, key=rank):
        _, target = languages[names[name_in_address]]
        if target in LANGUAGES:
            targets.setdefault(target, name_in_address)
    return targets


def target_picker(checkpoint: str, tr: Translator) -> None:
    """Ask for the target language, if there are several. Each of them has its own Transformer.

    The language of a model of the Hub has the model's name beside it.

    Nothing is shown for a checkpoint that is not one of ``checkpoints_by_target``.
    """
    targets = checkpoints_by_target(checkpoint)
    if len(targets) > 1 and checkpoint in targets.values():
        checkpoints = transformers()
        named = {}
        for target, name in sorted(targets.items()):
            language = tr(f"language.{target}")
            model = checkpoints[name]
            is_of_hub = is_hub_model(model)
            named[name] = tr("target.of", language=language, model=model) if is_of_hub else language
        choose(
            tr("target.label"),
            [*named],
            key=widget_key("checkpoint"),
            default=visitor().field("checkpoint"),
            format_func=named.__getitem__,
            label_visibility="collapsed",
        )


def ask_hub_choices(run: PageRun, tr: Translator) -> None:
    """Ask for the languages of a multilingual model, and for the prefix of T5."""
    if run.config is None or not isinstance(run.model.tokenizer, HubTokenizer):
        return
    tokenizer = open_model(run.address.checkpoint).tokenizer  # with its own languages and prefix
    assert isinstance(tokenizer, HubTokenizer)
    source, target = tokenizer.language_pair
    if not tokenizer.target_languages and not tokenizer.takes_prefix:
        return
    with st.container(key="hub_choices", horizontal=True, vertical_alignment="bottom"):
        _language_picker("source_language", tokenizer.source_languages, source, tr)
        _language_picker("target_language", tokenizer.target_languages, target, tr)
        if tokenizer.takes_prefix:
            type_text(
                tr("prefix.label"),
                key=widget_key("prefix"),
                default=visitor().field("prefix"),
                longest=_PREFIX_CHARACTERS,
                help=tr("prefix.help"),
                placeholder=tokenizer.prefix.strip() or tr("prefix.none"),
            )


def _language_picker(name: str, codes: Sequence[str], own: str | None, tr: Translator) -> None:
    """Ask for one language in a searchable list; show nothing if the list is empty.

    Args:
        name: of the field: ``source_language`` or ``target_language``.
        codes: of the languages, as the model names them.
        own: the language that the model was opened with; links leave it out.
        tr: the visitor's language.
    """
    if not codes:
        return
    names = {
        "" if code == own else code: name_of_language
        for code, name_of_language in language_names(tuple(codes), tr.language).items()
    }
    select(
        tr(f"{name}.label"),
        [*names],
        key=widget_key(name),
        default=visitor().field(name),
        format_func=names.__getitem__,
        width=_LANGUAGE_WIDTH,
    )


def view_picker(run: PageRun, tr: Translator) -> str:
    """Ask for one of the page's views, whose texts are ``<page>.view_<view>``."""
    first, *others = run.views
    view: str = choose(
        tr("lesson.view"),
        ["", *others],
        key=widget_key("show"),
        default=visitor().field("show"),
        format_func=lambda name: tr(f"{run.page}.view_{name or first}"),
        wrap=True,
        label_visibility="collapsed",
    )
    return view or first


def attention_picker(tr: Translator) -> None:
    """Ask for one of the three attentions."""
    choose_field("attention", KINDS, tr, wrap=True, label_visibility="collapsed")


def attention_list(tr: Translator) -> None:
    """Ask for one of the three attentions in a drop-down list, on a page with many buttons."""
    select(
        tr("attention.label"),
        KINDS,
        key=widget_key("attention"),
        default=visitor().field("attention"),
        format_func=lambda kind: tr(f"attention.{kind}"),
        label_visibility="collapsed",
        width=_ATTENTION_LIST_WIDTH,
    )


def place_picker(config: AttentionConfig | None, tr: Translator) -> None:
    """Ask for layer and head; without ``config``, ask for a head of the classroom example."""
    if config is not None:
        choose_place("layer", config.n_layers, tr)
    choose_place("head", N_HEADS if config is None else config.n_heads, tr)


def head_picker(t: TranslationModel, tr: Translator) -> None:
    """Ask for one head: its attention, its layer and its number."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        attention_picker(tr)
        place_picker(t.config, tr)


def choose_place(
    name: str,
    highest: int,
    tr: Translator,
    *,
    key: str = "",
    default: int | None = None,
    wrap: bool | None = None,
) -> int:
    """Let the visitor choose a layer or a head.

    Args:
        name: of the field: ``layer``, ``head``, ``second_layer`` or ``second_head``.
        highest: how many there are.
        tr: in the visitor's language.
        key: of a value of the page, if the control must not change the field.
        default: the number shown at first; None: the field's.
        wrap: as for ``choose``.

    Returns:
        Its number, from 1.
    """
    return choose(
        tr(f"{name}.label"),
        range(1, highest + 1),
        key=key or widget_key(name),
        default=min(visitor().field(name), highest) if default is None else default,
        wrap=wrap,
    )
