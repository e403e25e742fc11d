"""Many sentences at once: a list in, translations, scores and statistics of all heads out."""

from __future__ import annotations

from ui.frame.lesson import lesson_model
from ui.frame.page import open_page
from ui.many.ask import ask_list
from ui.many.work import show_translations
from ui.state.address import SHARED
from ui.state.models import open_run

tr = open_page("many")
run = open_run("many", SHARED)

if (t := lesson_model(run, tr)) and (entries := ask_list(tr)):
    show_translations(t, entries, tr)
