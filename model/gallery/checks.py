"""Check whether a head shows a phenomenon, with one function per kind of phenomenon.

The docstring of each function says what must be true of the head, and what the strength of the
evidence is. If it is not true, the function returns ``NOTHING``.
"""

from collections.abc import Sequence
from functools import cache, cached_property, partial

import numpy as np

from model.corpora.chinese import space_out
from model.faithfulness.occlusion import OcclusionCosts, occlusion_costs
from model.gallery.example import NOTHING, Candidate, Evidence
from model.heads.statistics import POSITIONAL
from model.interventions.ablation import HeadMeans, ablation_effect, ablations_of, read_head_means
from model.maps.measures import Cell, column_mass, sink_column
from model.maps.view import AttentionView, ViewOptions, attention_view
from model.trace.transformer import Trace
from model.transformer.heads import Head
from model.translation_model import TranslationModel

MIN_LINKS = 4  # fewest links that a head must find in a sentence to show that it aligns words
MIN_SUBWORDS = 3  # fewest subwords of a copied name: two would not look like a diagonal
# Thresholds of ``misleading``, which compares the largest cell of a row with the source token that
# matters most. The first is the largest share of rows in which both agree for the written token.
# The second is the smallest share in which both agree for the token just read.
MAX_HIT_SHARE = 0.2
MIN_READ_HIT_SHARE = 0.75
# largest change of a translation's log-probability, in nats, when a head that it does not need is
# removed
MAX_LOST = 0.05
_PUNCTUATION = str.maketrans(dict.fromkeys(".,;:!?'’，。、；：！？“”", " "))


class Scene:
    """A candidate with its traces in one model. Results that several heads need are cached.

    For use in one thread.

    Args:
        t: the model.
        candidate: a sentence and the words that a head may connect.
        trace: of the sentence, greedily translated by this model; None: it is computed.
    """

    def __init__(
        self, t: TranslationModel, candidate: Candidate, trace: Trace | None = None
    ) -> None:
        self.t = t
        self.candidate = candidate
        self.trace = trace or t.trace(candidate.sentence)
        # ViewOptions -> AttentionView
        self.view = cache(partial(attention_view, t.model, t.tokenizer, self.trace))

    @cached_property
    def second(self) -> Trace:
        """The trace of the second sentence."""
        return self.t.trace(self.candidate.second)

    @cached_property
    def means(self) -> HeadMeans | None:
        """The mean outputs of the heads; None if they were not measured."""
        return read_head_means(self.t)

    @cached_property
    def costs(self) -> OcclusionCosts:
        """The cost of hiding each source token."""
        return occlusion_costs(self.t, self.trace, "masked", max_set_size=1)


def linked(scene: Scene, head: Head) -> Evidence:
    """Each link is the largest cell of its row. The strength is the smallest of these cells.

    The cell of a link is that of the first occurrences of its two words.
    """
    view = _by_words(scene, head)
    cells = _link_cells(scene, view)
    if len(cells) < len(scene.candidate.links):
        return NOTHING
    return _weakest(view, head, cells)


def crossed(scene: Scene, head: Head) -> Evidence:
    """Like ``linked``, but for two adjacent words whose order in the source is reversed."""
    evidence = linked(scene, head)
    if len(evidence.cells) != 2:
        return NOTHING
    first, second = evidence.cells
    row, column = first
    return evidence if second == (row + 1, column - 1) else NOTHING


def repeated(scene: Scene, head: Head) -> Evidence:
    """Like ``linked``, but for a word that occurs twice, with a counterpart for each occurrence."""
    if len(scene.candidate.links) != 1:
        return NOTHING
    view = _by_words(scene, head)
    cells = _cells(view, *scene.candidate.links[0])
    return _weakest(view, head, cells) if len(cells) == 2 else NOTHING


def aligned(scene: Scene, head: Head) -> Evidence:
    """Like ``linked``, but with at least four links. The strength is the mean weight."""
    view = _by_words(scene, head)
    cells = _link_cells(scene, view)
    if len(cells) < MIN_LINKS or _weakest(view, head, cells) == NOTHING:
        return NOTHING
    weights = [_strongest(view, head, cell) for cell in cells]
    return Evidence(float(np.mean(weights)), tuple(cells))


def contrasted(scene: Scene, head: Head) -> Evidence:
    """Like ``linked``, and replacing one source word replaces one target word."""
    written_first, written_second = scene.candidate.changes
    evidence = linked(scene, head)
    if evidence == NOTHING or written_first not in words_of(scene.trace.target_text):
        return NOTHING
    second_words = words_of(scene.second.target_text)
    if written_second not in second_words or written_first in second_words:
        return NOTHING
    return evidence


def mistaken(scene: Scene, head: Head) -> Evidence:
    """Like ``linked``, but for a wrong word in a translation that lacks the correct word."""
    wrong, right = scene.candidate.changes
    written = words_of(scene.trace.target_text)
    if wrong not in written or right in written:
        return NOTHING
    return linked(scene, head)


def copied(scene: Scene, head: Head) -> Evidence:
    """Each subword of a copied name attends most to its source. Strength: the mean weight."""
    kind, layer, number = head
    view = scene.view(ViewOptions(kind=kind, rows="written"))
    name = scene.candidate.name
    rows = run_of(view.query_tokens, name)
    columns = run_of(view.key_tokens, name)
    if len(rows) < MIN_SUBWORDS or len(rows) != len(columns):
        return NOTHING
    cells = tuple(zip(rows, columns, strict=True))
    if any(_strongest(view, head, cell) == 0 for cell in cells):
        return NOTHING
    weights = view.heads[layer, number]
    return Evidence(float(np.mean([weights[cell] for cell in cells])), cells)


def sunk(scene: Scene, head: Head) -> Evidence:
    """One token with little meaning gets much of the attention. The strength is its share."""
    kind, layer, number = head
    view = scene.view(ViewOptions(kind=kind))
    weights = view.heads[layer, number]
    column = sink_column(weights, view.key_tokens)
    if column is None:
        return NOTHING
    cells = tuple((row, column) for row in range(len(weights)))
    return Evidence(float(column_mass(weights)[column]), cells)


def previous(scene: Scene, head: Head) -> Evidence:
    """Nearly all rows attend most to the previous token. The strength is their mean weight."""
    kind, layer, number = head
    weights = scene.view(ViewOptions(kind=kind)).heads[layer, number]
    on_previous = np.diagonal(weights, offset=-1)  # of every row except the first
    if not len(on_previous):  # an empty translation has a single row
        return NOTHING
    share = (weights[1:].argmax(axis=-1) == np.arange(len(on_previous))).mean()
    if share < POSITIONAL:
        return NOTHING
    cells = tuple((row + 1, row) for row in range(len(on_previous)))
    return Evidence(float(on_previous.mean()), cells)


def misleading(scene: Scene, head: Head) -> Evidence:
    """Rows attend to the source of the token just read, so their written token seems misaligned.

    What matters is the source token whose hiding costs the row's target token most. A row writes a
    token and has just read the one before. A head that looks at what belongs to the token read
    therefore seems wrong in a map whose rows are named by the token written: its labels are shifted
    by one row.

    The strength is how clear the map is: the mean of the largest weight of each row. Special tokens
    are left out, and so is EOS.
    """
    kind, layer, number = head
    columns = scene.costs.positions
    weights = scene.view(ViewOptions(kind=kind, rows="written")).heads[layer, number]
    inner = weights[:, columns]  # (T, number of hidden tokens)
    strongest = inner.argmax(axis=-1)  # (T,)
    costliest = scene.costs.each_hidden.argmax(axis=-1)  # (T - 1,), of each target token except EOS
    n_tokens = len(costliest)
    if not n_tokens:
        return NOTHING
    # Row t writes a token, and row t + 1 has read this token.
    hits = int((strongest[:-1] == costliest).sum())
    hits_read = int((strongest[1:] == costliest).sum())
    if hits > MAX_HIT_SHARE * n_tokens or hits_read < MIN_READ_HIT_SHARE * n_tokens:
        return NOTHING
    cells = tuple((row, columns[n]) for row, n in enumerate(strongest[:-1]))
    clarity = float(inner[:-1].max(axis=-1).mean())
    return Evidence(clarity, cells, hits=hits, hits_read=hits_read)


def spared(scene: Scene, head: Head) -> Evidence:
    """Without the head, the translation is unchanged and almost as probable.

    The strength is how clear the head's map is nevertheless: the mean of the largest weight of each
    row.
    """
    kind, layer, number = head
    text, lost = _without(scene, head)
    if text != scene.trace.target_text or abs(lost) > MAX_LOST:
        return NOTHING
    weights = scene.view(ViewOptions(kind=kind, rows="written")).heads[layer, number]
    return Evidence(float(weights.max(axis=-1).mean()), lost=lost)


def needed(scene: Scene, head: Head) -> Evidence:
    """Without the head, words of the translation change, not only its punctuation.

    The strength is the log-probability, in nats, that the first translation loses.
    """
    text, lost = _without(scene, head)
    if words_of(text) == words_of(scene.trace.target_text):
        return NOTHING
    return Evidence(lost, lost=lost)


def _without(scene: Scene, head: Head) -> tuple[str, float]:
    """Translate with the head's mean output; return the text and the lost log-probability.

    The loss is infinite where the mean outputs were not measured.
    """
    if scene.means is None:
        return scene.trace.target_text, float("inf")
    ablations = ablations_of(scene.t.config, [head], "mean", scene.means.means)
    effect = ablation_effect(scene.t, scene.trace, ablations)
    return effect.text, float(scene.trace.log_probs.sum() - effect.log_probs.sum())


def words_of(text: str) -> list[str]:
    """Return the words of a text without punctuation. Each Chinese character counts as a word.

    >>> words_of("Je n'ai pas faim, merci !"), words_of("我叫Tom。")
    (['Je', 'n', 'ai', 'pas', 'faim', 'merci'], ['我', '叫', 'Tom'])
    """
    return space_out(text).translate(_PUNCTUATION).split()


def run_of(tokens: Sequence[str], name: str) -> list[int]:
    """Return the positions of consecutive tokens that spell a name; [] if there are none.

    >>> run_of(["<bos>", " My", " Zer", "lina", "."], "Zerlina")
    [2, 3]
    """
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            if "".join(tokens[start:end]).strip() == name and tokens[start].strip():
                return list(range(start, end))
    return []


def _by_words(scene: Scene, head: Head) -> AttentionView:
    """Return the maps of the head's attention, by words. A decoder row is the word it writes."""
    return scene.view(ViewOptions(kind=head[0], rows="written", unit="words"))


def _link_cells(scene: Scene, view: AttentionView) -> list[Cell]:
    """Return the cell of each link whose two words occur, at their first occurrences."""
    cells = []
    for row_word, column_word in scene.candidate.links:
        cells += _cells(view, row_word, column_word)[:1]
    return cells


def _cells(view: AttentionView, row_word: str, column_word: str) -> list[Cell]:
    """Pair the occurrences of two words in order, and return the cell of each pair.

    Args:
        view: the maps, with a row and a column for each word.
        row_word: the word that labels the rows.
        column_word: the word that labels the columns.
    """
    rows = [n for n, token in enumerate(view.query_tokens) if token.strip() == row_word]
    columns = [n for n, token in enumerate(view.key_tokens) if token.strip() == column_word]
    return list(zip(rows, columns, strict=False))


def _strongest(view: AttentionView, head: Head, cell: Cell) -> float:
    """Return the weight of a cell if it is the largest of its row; otherwise 0.

    Args:
        view: the maps of the attention that the head belongs to.
        head: kind of attention, layer and head, both from 0.
        cell: row and column, from 0.
    """
    _, layer, number = head
    row, column = cell
    weights = view.heads[layer, number, row]  # (S,)
    return float(weights[column]) if weights.argmax() == column else 0.0


def _weakest(view: AttentionView, head: Head, cells: Sequence[Cell]) -> Evidence:
    """Return the smallest weight of some cells; NOTHING unless each is the largest of its row.

    Args:
        view: the maps of the attention that the head belongs to.
        head: kind of attention, layer and head, both from 0.
        cells: rows and columns, from 0; without cells, the result is NOTHING.
    """
    smallest = min((_strongest(view, head, cell) for cell in cells), default=0.0)
    return Evidence(smallest, tuple(cells)) if smallest > 0 else NOTHING
