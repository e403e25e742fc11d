"""A list is translated on the server's one bench: with progress, and a way to stop."""

from __future__ import annotations

from collections.abc import Sequence

from model import TranslationModel
from model.evaluation.sentence_list import Entry
from model.heads.statistics import OfHeads, Translated, over_sentences
from ui.many.results import show_results
from ui.server.work import Work, show_work
from ui.state.limits import sentence_tokens
from ui.text.translator import Translator


def show_translations(t: TranslationModel, entries: Sequence[Entry], tr: Translator) -> None:
    """A button, and below it what has been translated so far.

    Args:
        t: the model.
        entries: all lines, also those that cannot be translated.
        tr: the visitor's language.
    """
    sources = [entry.source for entry in entries if entry.reason is None]
    work: Work[Translated | OfHeads] = Work(
        "many",
        (t.version, tuple(sources)),
        lambda: over_sentences(t, sources, limit=sentence_tokens()),
        total=max(len(sources), 1),
        shared=False,
    )
    show_work(
        work,
        tr("many.start", n=len(sources)),
        lambda found, _: show_results(t, entries, found, tr),
        tr,
    )
