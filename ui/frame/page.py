"""The frame of every page: language, menu and error messages."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import streamlit as st
from streamlit import net_util

from model import CheckpointError, InputError, Trace, TranslationModel
from model.files.checkpoint_error import NoHeadsError, NotOfThePaperError
from model.files.format_table import FileFormat
from model.hub.model import HubTransformer
from model.translation_model import require_paper
from ui.components.page_styles import PAGE_STYLES
from ui.components.tools import tools
from ui.frame.address_code import show_address_code
from ui.frame.controls import choose
from ui.frame.paper_path import show_code, show_place_in_model
from ui.frame.pickers import ask_hub_choices, ask_sentence, view_picker
from ui.frame.projector import PROJECTOR_CONTROLS
from ui.frame.try_this import show_try
from ui.server.page_slots import page_slot
from ui.server.work import leave_other_pages
from ui.state.address import SHARED
from ui.state.language import SWITCH, read_language
from ui.state.link import receive_link
from ui.state.messages import without_folders
from ui.state.models import PageRun, is_hub_model, open_run, trace_of, transformers
from ui.state.presenting import tell_presenting
from ui.state.tour import begin_tour, page_of_tour
from ui.state.visitor import visitor
from ui.text.languages import translation_or_note
from ui.text.markup import (
    alert,
    current_place,
    escape_markdown,
    gloss,
    paragraph,
    slide_title,
)
from ui.text.translator import LANGUAGES, Translator, translator

# Order of the pages for a newcomer: one sentence, then the whole model, then how it works.
ONE_SENTENCE = ("gallery", "explorer", "experiments")
MODEL = ("heads", "many", "learning", "from_rnn")
LESSONS = ("qkv", "masks", "positions", "scaling", "norms", "cost", "architecture")
FIVE_MINUTES = "five_minutes"  # comes first among the lessons, and has no number
# Groups of pages. Each group has one menu entry and its own bar of links.
_GROUPS = {"model": MODEL, "lessons": (FIVE_MINUTES, *LESSONS)}
_ALL = (*ONE_SENTENCE, *MODEL, FIVE_MINUTES, *LESSONS)
# Panels of the explorer whose pictures do not say what to see in them.
_PANELS_WITH_CLAIM = ("map", "steps", "compare", "beam", "space")
# Pages whose pictures have titles of their own.
_TITLED = ("gallery", FIVE_MINUTES)
PAGES = {"welcome": "app.py"} | {name: f"pages/{name}.py" for name in _ALL}


@contextmanager
def open_page(
    name: str, fields: Sequence[str] = SHARED, views: Sequence[str] = ()
) -> Iterator[tuple[Translator, PageRun]]:
    """Draw the frame of a page, wait for a free slot, and read the visitor's choices.

    Args:
        name: a key of ``PAGES``.
        fields: the fields of the address that the page has controls for.
        views: the page's views, the first one first; none where it has only one.

    Yields:
        The visitor's language, and what this run looks at.
    """
    with page_slot(name):
        # 1. Go to another page if a tour has requested it
        if (page := page_of_tour(name)) != name:
            st.switch_page(PAGES[page])

        # 2. Set the browser's title and icon. Also prevent Streamlit from asking an external host
        # for this machine's address. Otherwise it asks when a page of another origin requests a
        # connection, and no visitor is served until the answer or the timeout. There is no setting
        # to switch this off. A server that needs its address sets ``browser.serverAddress``.
        net_util._external_ip = "127.0.0.1"
        receive_link(name)
        tr = translator(read_language())
        leave_other_pages(name)
        st.set_page_config(
            page_title=f"{tr(f'page.{name}')} · {tr('app.name')}",
            page_icon="🔎",
            layout="wide",
            menu_items={"About": tr("app.about")},
        )

        # 3. The frame
        _show_menu(name, tr)
        _show_bar(name, tr)

        # 4. Read the visitor's choices
        run = open_run(name, fields, views)
        _show_slide_title(run, tr)
        yield tr, run

        # 5. For a class, show the address of the view
        show_address_code(tr)


def _show_menu(name: str, tr: Translator) -> None:
    """Show the links to all pages, the tools, the languages and the heading of this page."""
    with st.container(key="menu", horizontal=True, vertical_alignment="center"):
        brand = paragraph(tr("app.name"), kind="brand")
        st.html(f'<style>@import "{PAGE_STYLES}";</style>{brand}', width="content")
        # The links and the tools: in a narrow window, one row that scrolls
        with st.container(key="menu-row", horizontal=True, vertical_alignment="center"):
            for page in ("welcome", *ONE_SENTENCE):
                _show_link(page, tr(f"page.{page}"), is_current=page == name)
            for group, pages in _GROUPS.items():
                _show_link(pages[0], tr(f"page.{group}"), is_current=name in pages)
            with st.container(key="tools", horizontal=True, gap="xsmall", width="content"):
                keys = tr("tools.keys_start") if name == "welcome" else tr("tools.keys")
                tools(tr, PROJECTOR_CONTROLS, keys=keys, on_present=tell_presenting)
                st.button(tr("link.reset"), key="reset", on_click=visitor().reset)
                st.button(tr("tour.name"), key="tour.begin", on_click=begin_tour)
        choose(
            tr("language.switch"),
            LANGUAGES,
            key=SWITCH,
            default=tr.language,
            format_func=lambda language: translator(language)("language.own_name"),
            label_visibility="collapsed",
        )
        st.html(f"<h1>{tr(f'heading.{name}')}</h1>", width="content")


def _show_slide_title(run: PageRun, tr: Translator) -> None:
    """Write the title that the page has on a projector, where its menu and heading are hidden.

    It says what to see in the picture. Pages whose picture has a title of its own get none, and so
    do the panels of the explorer that need no claim.
    """
    if run.page in _TITLED:
        return
    if run.page == "explorer":
        panel = run.address.panel
        if panel not in _PANELS_WITH_CLAIM:
            return
        claim = tr(f"explorer.slide_{panel}")
        about = ""
    elif run.views:
        view = run.address.show or run.views[0]
        claim = tr(f"{run.page}.slide_{view}")
        about = tr(f"{run.page}.view_{view}")
    else:
        claim = tr(f"slide.{run.page}")
        about = ""
    with st.container(key="slide-title"):
        st.html(slide_title(claim, about))


def _show_bar(name: str, tr: Translator) -> None:
    """Show the links to all pages of this page's group, if it belongs to a group."""
    for pages in _GROUPS.values():
        if name not in pages:
            continue
        with st.container(key="bar", horizontal=True, vertical_alignment="center", gap="small"):
            for page in pages:
                label = tr(f"page.{page}")
                if page in LESSONS:  # lessons have an order
                    label = tr("lesson.bar", n=LESSONS.index(page) + 1, page=label)
                _show_link(page, label, is_current=page == name)


@contextmanager
def lesson(
    name: str, fields: Sequence[str] = SHARED, views: Sequence[str] = ()
) -> Iterator[tuple[Translator, PageRun, str]]:
    """Open a lesson page: its idea, its picture, its code, and the link to the next lesson.

    On a wide screen the idea and the code are at the right of the picture, so that all are on one
    screen. Only the picture of the whole machine keeps the full width: web/app/lesson.css.

    Args:
        name: one of ``LESSONS``.
        fields: the fields of the address that the page has controls for.
        views: the page's views, the first one first; none where it has only one.

    Yields:
        The visitor's language, what this run looks at, and the chosen view ("" without views).
    """
    with open_page(name, fields, views) as (tr, run), st.container(key="lesson"):
        # 1. The idea and its formula
        with st.container(key="idea"):
            show_place_in_model(name, tr)
            st.markdown(tr.section(name, "idea"))

        # 2. The page itself, and the link to the next lesson
        with st.container(key="lesson-picture"):
            yield tr, run, view_picker(run, tr) if views else ""
            if following := LESSONS[LESSONS.index(name) + 1 :]:
                label = tr("lesson.next", page=tr(f"page.{following[0]}"))
                st.page_link(PAGES[following[0]], label=label)

        # 3. One experiment to try, and the code behind the page
        with st.container(key="lesson-try"):
            show_try(name, tr)
        with st.container(key="lesson-code"):
            show_code(name, tr)


def lesson_sentence(run: PageRun, tr: Translator, *, paper: bool = False) -> Trace | None:
    """Draw the sentence box; return the trace of the sentence's greedy translation, or None.

    Args:
        run: the model and the choices.
        tr: the visitor's language.
        paper: whether only a model of this project will do, as for ``lesson_model``.
    """
    ask_sentence(tr)
    if not paper:
        ask_hub_choices(run, tr)
    t = lesson_model(run, tr, paper=paper)
    return show_greedy(t, run.address.sentence, tr) if t else None


def show_greedy(t: TranslationModel, sentence: str, tr: Translator) -> Trace | None:
    """Show the greedy translation of a sentence in one line.

    Args:
        t: the model.
        sentence: as typed.
        tr: the visitor's language.

    Returns:
        Its trace; None, after a message, if it cannot be translated.
    """
    with show_problems(tr):
        trace = trace_of(t, sentence)
        text, language = translation_or_note(trace.target_text, t.languages[1], tr)
        st.html(gloss(tr("lesson.translation"), text, lang=language))
        return trace
    return None


def lesson_model(run: PageRun, tr: Translator, *, paper: bool = False) -> TranslationModel | None:
    """Return the model of a page without a sentence; None, and the reason shown, if unusable.

    Args:
        run: the model and the choices.
        tr: the visitor's language.
        paper: whether only a model of this project will do, because the page shows its parts.
    """
    with show_problems(tr):
        if paper:
            require_paper(run.model)
        if isinstance(run.model.model, HubTransformer):
            st.caption(tr("lesson.of_the_hub", name=escape_markdown(run.model.name)))
            if run.model.model.has_relative_bias:
                st.caption(tr("lesson.of_t5"))
        return run.model
    return None


def problem_sentence(problem: InputError | CheckpointError, tr: Translator) -> str:
    """Return one sentence with the problem and its remedy, in the visitor's language."""
    if isinstance(problem, InputError):
        return tr(f"input.{problem.reason}", n=f"{problem.n:,}", limit=f"{problem.limit:,}")
    return without_folders(problem)


def format_sentence(file_format: FileFormat, tr: Translator) -> str:
    """Return one sentence that says what a file is, and what to do, in the visitor's language."""
    return tr(
        "format_fault",
        format=tr(f"format.{file_format.name}"),
        remedy=tr(f"format_remedy.{file_format.remedy_name}"),
    )


@contextmanager
def show_problems(tr: Translator) -> Iterator[None]:
    """Show an InputError or CheckpointError of the enclosed block as one sentence."""
    try:
        yield
    except NotOfThePaperError:
        st.html(alert(tr("translation.not_of_the_paper")))
        _offer_transformer(tr)
    except NoHeadsError:
        st.page_link(PAGES["from_rnn"], label=tr("translation.recurrent"))
        _offer_transformer(tr)
    except (InputError, CheckpointError) as problem:
        st.html(alert(problem_sentence(problem, tr)))


def _offer_transformer(tr: Translator) -> None:
    """Show a button that selects the first Transformer of this project, if there is one."""
    own = {
        name_in_address: name
        for name_in_address, name in transformers().items()
        if not is_hub_model(name)
    }
    for name_in_address, name in [*own.items()][:1]:
        st.button(
            tr("translation.transformer", name=name),
            key="problem.transformer",
            on_click=visitor().set,
            args=({"checkpoint": name_in_address},),
        )


def show_links_to_pages(tr: Translator) -> None:
    """Draw a box for each section of the app, with a link and a sentence about it."""
    first_pages = {  # section -> the page that its link opens
        FIVE_MINUTES: FIVE_MINUTES,
        "explorer": "explorer",
        "experiments": "experiments",
        "model": MODEL[0],
        "lessons": LESSONS[0],
    }
    with st.container(key="doors", horizontal=True):
        for section, page in first_pages.items():
            with st.container(border=True, width=250, gap="xxsmall"):
                st.page_link(PAGES[page], label=tr("door.open", page=tr(f"page.{section}")))
                st.caption(tr(f"door.{section}"))


def _show_link(page: str, label: str, *, is_current: bool) -> None:
    """Show a link of the menu; the current page is not a link.

    Args:
        page: the name of the page.
        label: in the language of the visitor.
        is_current: whether the visitor is on this page.
    """
    if is_current:
        st.html(current_place(label), width="content")
    else:
        st.page_link(PAGES[page], label=label)
