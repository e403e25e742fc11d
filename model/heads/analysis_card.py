"""What an analysis found, as a section of a checkpoint's README."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import asdict

from model.alignment.cross_validation import Alignment, BothWays, best_head, best_layer, best_of_all
from model.alignment.error_rate import METHODS, Method
from model.files.json_file import LARGEST
from model.files.regular_file import is_there, read_regular
from model.files.replacing import write_text
from model.heads.analysis_file import Analysis, Pruning, Syntax
from model.transformer.heads import Kind

_TITLE = "## Heads"
_SHARES = (0, 25, 50, 75)  # percent of the heads removed
_NAMES: dict[Kind, str] = {"encoder_self": "encoder", "decoder_self": "decoder", "cross": "cross"}


def add_to_card(folder: Path, analysis: Analysis) -> None:
    """Put the section into the checkpoint's ``README.md``: where an older one stands, or last."""
    path = folder / "README.md"
    text = read_regular(path, LARGEST).decode() if is_there(path) else f"# {folder.name}\n"
    before, _, older = text.partition(f"\n{_TITLE}\n")
    _, heading, after = older.partition("\n## ")
    write_text(path, f"{before.rstrip()}\n\n{section(analysis)}\n{heading}{after}")


def section(analysis: Analysis) -> str:
    """Positional heads and sinks, syntax, pruning, and alignment as far as they were measured."""
    on = f"Measured on {analysis.sentences:,} held-out sentences"
    heads = [
        (f"{name} {layer}.{head}", one)
        for kind, name in _NAMES.items()
        for layer, of_layer in enumerate(analysis.statistics[kind], start=1)
        for head, one in enumerate(of_layer, start=1)
    ]
    positional = (
        f"{name} ({one.offset:+d}, {100 * one.offset_share:.0f} %)"
        for name, one in heads
        if one.positional
    )
    sinks = (f"{name} ({100 * one.sink_mass:.0f} %)" for name, one in heads if one.sink_mass > 0.5)
    parts = [
        _TITLE,
        *([f"{on}:", f"    {analysis.command}"] if analysis.command else [f"{on}."]),
        "Positional heads, as layer.head, with the offset at which their strongest key stands and "
        f"how often: {', '.join(positional) or 'none'}.",
        "Heads with more than half of their attention on special tokens and punctuation: "
        f"{', '.join(sinks) or 'none'}.",
        _syntax(analysis.syntax) if analysis.syntax else "",
        _pruning(analysis.pruning),
        _alignment(analysis.alignment) if analysis.alignment else "",
    ]
    return "\n\n".join(filter(None, parts))


def _syntax(found: Syntax) -> str:
    heads = [
        f"encoder {layer}.{head} ({name.replace('_', ' to ')}: {100 * share:.0f} %, best fixed "
        f"distance {100 * relation.baseline:.0f} %)"
        for name, relation in asdict(found.relations).items()
        for layer, shares in enumerate(relation.heads, start=1)
        for head, share in enumerate(shares, start=1)
        if relation.like[layer - 1][head - 1]
    ]
    return (
        f"Syntax-like heads, in {found.sentences} sentences with marked words: from a word they "
        "look at the other word of the relation at least 10 % more often than the most "
        f"frequent distance would: {', '.join(heads) or 'none'}."
    )


def _pruning(curves: Pruning) -> str:
    names = {"gradient": "least gradient first", "removal": "least loss first", "random": "random"}
    rows = ["| heads removed |" + "".join(f" {share} % |" for share in _SHARES)]
    rows.append("|---" * (len(_SHARES) + 1) + "|")
    for order, name in names.items():
        curve = getattr(curves, order)
        points = [curve[round((len(curve) - 1) * share / 100)] for share in _SHARES]
        rows.append(f"| {name} |" + "".join(f" {point.bleu:.1f} |" for point in points))
    title = "BLEU (greedy, the same sentences) with heads removed in three orders:"
    return "\n".join([title, "", *rows])


def _alignment(alignment: Alignment) -> str:
    rows = [_row(method, alignment) for method in METHODS]
    by_people = alignment.human is not None
    if baseline := alignment.baseline:
        name, rate = f"{baseline.aligner}, trained on the corpus", 100 * baseline.error_rate
        rows.append(f"| {name} | {rate:.1f} % | |{'  |  |' * by_people}")
    of_people = " best head, by people | best layer, by people |" * by_people
    table = "\n".join(rows)
    return f"""\
Alignment error rate on {alignment.pairs} pairs aligned word by word \
(`benchmarks/alignments`: by language models, after a guideline), smaller is better. \
AWO: the row that writes a word; AWI: the row that reads it; norms: ‖α f(x)‖; \
contributions: their share of the layer's output. \
{_how_chosen(alignment)}

| cross-attention by | best head | best layer |{of_people}
|---|---|---|{"---|---|" * by_people}
{table}"""


def _how_chosen(alignment: Alignment) -> str:
    if alignment.halves is None:
        return "The best is chosen on the same pairs."
    choice = best_of_all(alignment)
    methods = " and ".join(dict.fromkeys(METHODS[place[0]] for place in choice.places))
    said = (
        "Head and layer are chosen on one half of the pairs and judged on the other, the mean of "
        f"both ways; with the reading chosen so, too ({methods}): {100 * choice.rate:.1f} %."
    )
    if human := alignment.human:
        said += f" By people: the same on {human.pairs} pairs of {human.corpus}."
    return said


def _row(method: Method, alignment: Alignment) -> str:
    head, layer = best_head(alignment, method), best_layer(alignment, method)
    cells = [_cell(head.rate, head.names), _cell(layer.rate, layer.names, "layer ")]
    if human := alignment.human:
        found = human.error_rates[method]
        cells += [_by_people(found["best head"]), _by_people(found["best layer"], "layer ")]
    return f"| {method} | {' | '.join(cells)} |"


def _by_people(found: BothWays, kind: str = "") -> str:
    places = dict.fromkeys(way["place"] for way in found["both ways"])
    return _cell(found["on the other half"], [*places], kind)


def _cell(rate: float, places: Sequence[str], kind: str = "") -> str:
    return f"{100 * rate:.1f} % ({kind}{', '.join(places)})"
