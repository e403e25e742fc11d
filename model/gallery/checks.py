"""What a model does with a candidate in one head: a check for each kind of phenomenon."""

from collections.abc import Sequence
from functools import cache, cached_property, partial

import numpy as np

from model.corpora.chinese import apart
from model.faithfulness.occlusion import OcclusionCosts, occlusion_costs
from model.gallery.example import NOTHING, Candidate, Evidence
from model.heads.statistics import POSITIONAL
from model.interventions.ablation import HeadMeans, ablation_effect, ablations_of, read_head_means
from model.maps.measures import column_mass, sink_column
from model.maps.view import AttentionView, ViewOptions, attention_view
from model.trace.transformer import Trace
from model.transformer.heads import Head
from model.translation_model import TranslationModel

Cell = tuple[int, int]

_ENOUGH = 4  # links of a head that aligns
_DIAGONAL = 3  # subwords of a name: of two nobody sees that they are a diagonal
_HITS = 0.2  # share of the rows that point at what matters, up to which a map misleads
_FREE = 0.05  # nats that a whole translation may lose or gain without a head that is not needed
_SIGNS = str.maketrans(dict.fromkeys(".,;:!?'’，。、；：！？“”", " "))


class Scene:
    """A candidate as one model sees it; what several heads need is computed once, in one thread.

    ``trace`` is that of its sentence, greedily translated by this model; None: it is taken.
    ``view`` gives all maps of one kind of attention.
    """

    def __init__(
        self, t: TranslationModel, candidate: Candidate, trace: Trace | None = None
    ) -> None:
        self.t, self.candidate = t, candidate
        self.trace = trace or t.trace(candidate.sentence)
        self.view = cache(partial(attention_view, t.model, t.tokenizer, self.trace))

    @cached_property
    def second(self) -> Trace:
        """What the model does with the second sentence."""
        return self.t.trace(self.candidate.second)

    @cached_property
    def means(self) -> HeadMeans | None:
        """The mean outputs of the heads; None where they were not measured."""
        return read_head_means(self.t)

    @cached_property
    def costs(self) -> OcclusionCosts:
        """What it costs to hide each source token."""
        return occlusion_costs(self.t, self.trace, "masked", max_set_size=1)


def linked(scene: Scene, head: Head) -> Evidence:
    """The first words of every link: the row looks most at the column. The least weight of all."""
    view = _by_words(scene, head)
    cells = _links(scene, view)
    return _weakest(view, head, cells) if len(cells) == len(scene.candidate.links) else NOTHING


def crossed(scene: Scene, head: Head) -> Evidence:
    """As ``linked``, two words side by side that stand in the other order in the source."""
    found = linked(scene, head)
    match found.cells:
        case ((row, column), after) if after == (row + 1, column - 1):
            return found
    return NOTHING


def repeated(scene: Scene, head: Head) -> Evidence:
    """As ``linked``, a word that stands there twice: each time it looks at its own counterpart."""
    view = _by_words(scene, head)
    links = scene.candidate.links
    cells = _cells(view, *links[0]) if len(links) == 1 else []
    return _weakest(view, head, cells) if len(cells) == 2 else NOTHING


def aligned(scene: Scene, head: Head) -> Evidence:
    """As ``linked``, of the links that the translation has, four or more: the mean weight."""
    view = _by_words(scene, head)
    cells = _links(scene, view)
    if len(cells) < _ENOUGH or _weakest(view, head, cells) == NOTHING:
        return NOTHING
    return Evidence(float(np.mean([_strongest(view, head, cell) for cell in cells])), tuple(cells))


def contrasted(scene: Scene, head: Head) -> Evidence:
    """As ``linked``; and with a word of the sentence exchanged another word is written, too."""
    here, there = scene.candidate.changes
    found = linked(scene, head)
    if found == NOTHING or here not in words_of(scene.trace.target_text):
        return NOTHING
    second = words_of(scene.second.target_text)
    return found if there in second and here not in second else NOTHING


def mistaken(scene: Scene, head: Head) -> Evidence:
    """As ``linked``, for a word that is wrong, where the right one is nowhere."""
    wrong, right = scene.candidate.changes
    written = words_of(scene.trace.target_text)
    return linked(scene, head) if wrong in written and right not in written else NOTHING


def copied(scene: Scene, head: Head) -> Evidence:
    """Each subword of a name is written while the same one is looked at: the mean weight."""
    kind, layer, number = head
    view = scene.view(ViewOptions(kind=kind, rows="written"))
    name = scene.candidate.name
    rows, columns = run_of(view.query_tokens, name), run_of(view.key_tokens, name)
    if len(rows) < _DIAGONAL or len(rows) != len(columns):
        return NOTHING
    cells = tuple(zip(rows, columns, strict=True))
    if any(_strongest(view, head, cell) == 0 for cell in cells):
        return NOTHING
    weights = view.heads[layer, number]
    return Evidence(float(np.mean([weights[cell] for cell in cells])), cells)


def sunk(scene: Scene, head: Head) -> Evidence:
    """The share of the attention that goes to one token, though it says little."""
    view = scene.view(ViewOptions(kind=head[0]))
    weights = view.heads[head[1:]]
    column = sink_column(weights, view.key_tokens)
    if column is None:
        return NOTHING
    cells = tuple((row, column) for row in range(len(weights)))
    return Evidence(float(column_mass(weights)[column]), cells)


def previous(scene: Scene, head: Head) -> Evidence:
    """Nearly all rows look most at the token before their own: the mean weight there."""
    weights = scene.view(ViewOptions(kind=head[0])).heads[head[1:]]
    before = np.diagonal(weights, offset=-1)  # of every row but the first
    share = (weights[1:].argmax(axis=-1) == np.arange(len(before))).mean()
    if share < POSITIONAL:
        return NOTHING
    return Evidence(float(before.mean()), tuple((row + 1, row) for row in range(len(before))))


def misleading(scene: Scene, head: Head) -> Evidence:
    """Hardly a row points at the token whose hiding costs its word most: how clear the map is."""
    places, alone = scene.costs.positions, scene.costs.each_hidden
    weights = scene.view(ViewOptions(kind=head[0], rows="written")).heads[head[1:]]
    inner = weights[:-1, places]  # special tokens, and the row of the end, are left out
    hits = int((inner.argmax(axis=-1) == alone.argmax(axis=-1)).sum())
    if not len(inner) or hits > _HITS * len(inner):
        return NOTHING
    cells = tuple((row, places[n]) for row, n in enumerate(inner.argmax(axis=-1)))
    return Evidence(float(inner.max(axis=-1).mean()), cells, hits=hits)


def spared(scene: Scene, head: Head) -> Evidence:
    """Without the head the translation stays as it is, and as probable.

    The strength is how clear its map was nevertheless: the mean of the largest weight of each row.
    """
    text, lost = _without(scene, head)
    if text != scene.trace.target_text or abs(lost) > _FREE:
        return NOTHING
    weights = scene.view(ViewOptions(kind=head[0], rows="written")).heads[head[1:]]
    return Evidence(float(weights.max(axis=-1).mean()), lost=lost)


def needed(scene: Scene, head: Head) -> Evidence:
    """Without it other words are written, not only other signs: what the first lose, in nats."""
    text, lost = _without(scene, head)
    same = words_of(text) == words_of(scene.trace.target_text)
    return NOTHING if same else Evidence(lost, lost=lost)


def _without(scene: Scene, head: Head) -> tuple[str, float]:
    """The translation where the head gives its mean output, and the log-probability lost so.

    Where the mean outputs were not measured, it is infinite.
    """
    if scene.means is None:
        return scene.trace.target_text, float("inf")
    t, trace = scene.t, scene.trace
    effect = ablation_effect(t, trace, ablations_of(t.config, [head], "mean", scene.means.means))
    return effect.text, float(trace.log_probs.sum() - effect.log_probs.sum())


def words_of(text: str) -> list[str]:
    """The words without the signs between them; each Chinese character is one.

    >>> words_of("Je n'ai pas faim, merci !"), words_of("我叫Tom。")
    (['Je', 'n', 'ai', 'pas', 'faim', 'merci'], ['我', '叫', 'Tom'])
    """
    return apart(text).translate(_SIGNS).split()


def run_of(tokens: Sequence[str], name: str) -> list[int]:
    """Places of the tokens that follow each other and spell a name; empty where none do.

    >>> run_of(["<bos>", " My", " Zer", "lina", "."], "Zerlina")
    [2, 3]
    """
    for start in range(len(tokens)):
        for end in range(start + 1, len(tokens) + 1):
            if "".join(tokens[start:end]).strip() == name and tokens[start].strip():
                return list(range(start, end))
    return []


def _by_words(scene: Scene, head: Head) -> AttentionView:
    return scene.view(ViewOptions(kind=head[0], rows="written", unit="words"))


def _links(scene: Scene, view: AttentionView) -> list[Cell]:
    """The first cell of every link that there is."""
    return [cell for link in scene.candidate.links for cell in _cells(view, *link)[:1]]


def _cells(view: AttentionView, row: str, column: str) -> list[Cell]:
    """Where two words meet: the first of one with the first of the other, and so on."""
    rows = [n for n, token in enumerate(view.query_tokens) if token.strip() == row]
    columns = [n for n, token in enumerate(view.key_tokens) if token.strip() == column]
    return list(zip(rows, columns, strict=False))


def _strongest(view: AttentionView, head: Head, cell: Cell) -> float:
    """The cell's weight where nothing in its row is stronger, otherwise 0."""
    row, column = cell
    weights = view.heads[head[1:]][row]
    return float(weights[column]) if weights.argmax() == column else 0.0


def _weakest(view: AttentionView, head: Head, cells: Sequence[Cell]) -> Evidence:
    """Nothing where one of the rows looks elsewhere, or where there is none."""
    least = min((_strongest(view, head, cell) for cell in cells), default=0.0)
    return Evidence(least, tuple(cells)) if least > 0 else NOTHING
