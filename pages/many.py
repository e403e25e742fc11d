"""Many sentences at once: translations, scores and head statistics for a list."""

from ui.frame.page import lesson_model, open_page
from ui.frame.pickers import ask_hub_choices
from ui.many.sentence_list import ask_list, show_translations

with open_page("many") as (tr, run):
    if t := lesson_model(run, tr):
        ask_hub_choices(run, tr)
        if entries := ask_list(tr):
            show_translations(t, entries, tr)
