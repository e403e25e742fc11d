"""From the recurrent bottleneck to attention: the Transformer beside what it replaced."""

from __future__ import annotations

from ui.frame.page import open_page
from ui.frame.pickers import view_picker
from ui.frame.sentence import ask_sentence
from ui.from_rnn.length import show_length
from ui.from_rnn.lineage import members, show_other_languages
from ui.from_rnn.side_by_side import show_side_by_side
from ui.from_rnn.states import show_gates, show_memory
from ui.state.address import SHARED
from ui.state.models import open_run
from ui.text.examples import REORDERED, SENTENCES

VIEWS = ("side", "memory", "gates", "length")
CHOICES = (*SHARED, "show")

tr = open_page("from_rnn")
run = open_run("from_rnn", CHOICES, VIEWS)

view = view_picker("from_rnn", VIEWS, tr)
address = run.address
present = members(address)
show_other_languages(present, address, tr)
if view == "length":
    show_length(present, tr)
else:
    ask_sentence(tr, (*REORDERED, *SENTENCES))
    match view:
        case "side":
            show_side_by_side(present, address, tr)
        case "memory":
            show_memory(present, address, tr)
        case _:
            show_gates(present, address, tr)
