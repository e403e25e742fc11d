"""Step 1: a translation is written token by token, with ribbons to the source words."""

from model.heads.aligned_words import aligned_words
from model.maps.measures import clearest_row
from ui.explorer.chosen_tokens import chosen_tokens, continued
from ui.explorer.writing import show_writing
from ui.five_minutes.stage import Stage
from ui.frame.head_kinds import best_aligning_head
from ui.frame.pickers import ask_hub_choices, sentence_box, target_picker
from ui.state.models import PageRun, trace_of
from ui.text.numbers import percent
from ui.text.translator import Translator


def show_first_step(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Ask for the class's sentence, and show how its translation is written.

    Args:
        stage: the screen.
        run: the model and the sentence.
        tr: the visitor's language.
    """
    # 1. The control
    with stage.control:
        sentence_box(tr)
        target_picker(run.address.checkpoint, tr)
        ask_hub_choices(run, tr)

    # 2. The translation, with tokens that the visitor has chosen, if any
    t = run.model
    sentence = run.address.sentence
    chosen = chosen_tokens(run)
    trace = trace_of(t, sentence)
    if chosen:
        trace = trace_of(t, sentence, target=continued(t, sentence, chosen))

    # 3. The claim: the clearest link
    words = aligned_words(t, trace, best_aligning_head(t))
    row = None
    if len(words.weights):
        row, column = clearest_row(words.weights, words.targets, words.sources)
        stage.say(
            tr(
                f"five_minutes.writing.{words.rows}",
                row=words.targets[row].strip(),
                column=words.sources[column].strip(),
                percent=percent(float(words.weights[row, column])),
            )
        )

    # 4. The picture, in which this link stands out at the end
    with stage.picture:
        show_writing(trace, t, tr, chosen, marked_word=row)
