"""Step 2: word order differs between languages, so the lines of the aligning head cross."""

from contextlib import suppress

from model import InputError, TranslationModel
from model.gallery.example import candidates_for, has_candidates
from model.heads.aligned_words import aligned_words
from model.lessons.word_order import Crossing, crossing
from model.maps.measures import is_special_or_punctuation
from model.pictures.tokens import display
from ui.components.head_lines import head_lines
from ui.export.figure import about, figure
from ui.export.python_lines import lines_of_aligned_words
from ui.export.tables import Labels
from ui.five_minutes.stage import Stage, show_note
from ui.frame.controls import choose
from ui.frame.head_kinds import best_aligning_head
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.text.languages import sides
from ui.text.translator import Translator

_MAX_SENTENCES = 3  # more buttons would not fit into one line


def sentences_that_cross(t: TranslationModel) -> dict[str, Crossing]:
    """Return the gallery's sentences about word order in which this model's lines cross.

    Returns:
        Sentence to its clearest crossing, for at most ``_MAX_SENTENCES`` sentences.
    """
    if not has_candidates(t.languages):
        return {}
    source, target = t.languages

    def find() -> dict[str, Crossing]:
        sentences: dict[str, Crossing] = {}
        for candidate in candidates_for((str(source), str(target))):
            if candidate.phenomenon != "word_order" or len(sentences) == _MAX_SENTENCES:
                continue
            with suppress(InputError):  # this server's limit may be shorter than the sentence
                trace = trace_of(t, candidate.sentence)
                if clearest := crossing(aligned_words(t, trace, best_aligning_head(t))):
                    sentences[candidate.sentence] = clearest
        return sentences

    return remember("five_minutes.order", t.version, find)


def show_order(stage: Stage, run: PageRun, tr: Translator) -> None:
    """Let the visitor choose a sentence, and show the lines that cross.

    Args:
        stage: the screen.
        run: the model.
        tr: the visitor's language.
    """
    # 1. The control
    t = run.model
    crossings = sentences_that_cross(t)
    sentences = list(crossings)
    with stage.control:
        sentence = choose(
            tr("sentence.label"),
            sentences,
            key="five_minutes.order",
            default=sentences[0],
            label_visibility="collapsed",
            wrap=True,
        )

    # 2. The claim
    best = best_aligning_head(t)
    trace = trace_of(t, sentence)
    words = aligned_words(t, trace, best)
    shown = crossings[sentence]
    stage.say(
        tr(
            "five_minutes.order.claim",
            first="".join(words.targets[n] for n in shown.first).strip(),
            second="".join(words.targets[n] for n in shown.second).strip(),
            first_source=words.sources[shown.first_source].strip(),
            second_source=words.sources[shown.second_source].strip(),
        )
    )

    # 3. The picture
    layer = t.config.n_layers if best is None else best[0] + 1
    head = None if best is None else best[1] + 1
    combination = "mean" if best is None else "head"
    numbers = {"layer": layer, "head": head, "heads": t.config.n_heads}
    title = tr(f"map.title_{combination}", attention=tr("attention.cross"), **numbers)
    description = about(
        t,
        trace,
        attention="cross",
        layer=layer,
        head="mean" if head is None else head,
        measure="weights",
        rows=words.rows,
        unit="words",
    )
    labels = Labels(display(words.targets), display(words.sources), sides(t.languages, "cross"))
    python = lines_of_aligned_words(t, trace, best)
    special = [n for n, word in enumerate(words.sources) if is_special_or_punctuation(word)]
    with stage.picture, figure("order", tr, title=title, about=description, python=python) as fig:
        head_lines(
            words.weights[None],
            fig,
            labels,
            head=1,
            limit=1.0,
            tr=tr,
            key="five_minutes.lines",
            pale=special,
            marked=[shown.first_source, shown.second_source],
            keys_first=True,  # the source is read first, as in the claim
        )
    if special:
        with stage.picture:
            show_note(tr("five_minutes.order.pale"))
