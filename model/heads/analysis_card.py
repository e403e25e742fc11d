"""Write the results of an analysis as a section of a checkpoint's README."""

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import asdict

from model.alignment.cross_validation import Alignment, BothWays, best_head, best_layer, best_of_all
from model.alignment.error_rate import METHODS, Method
from model.files.json_file import MAX_JSON_BYTES
from model.files.regular_file import exists, read_regular
from model.files.replacing import write_text
from model.heads.analysis_file import Analysis, Pruning, Syntax
from model.heads.statistics import MIN_SHARE, HeadStatistics
from model.transformer.heads import Kind

_TITLE = "## Heads"
_SHARES = (0, 25, 50, 75)  # percent of the heads removed
# the word before layer and head in the name of a head
_NAMES: dict[Kind, str] = {"encoder_self": "encoder", "decoder_self": "decoder", "cross": "cross"}


def add_to_card(folder: Path, analysis: Analysis) -> None:
    """Write the section into the checkpoint's ``README.md``, in place of an older section."""
    path = folder / "README.md"
    text = read_regular(path, MAX_JSON_BYTES).decode() if exists(path) else f"# {folder.name}\n"
    before, _, older_section = text.partition(f"\n{_TITLE}\n")
    _, heading, after = older_section.partition("\n## ")
    write_text(path, f"{before.rstrip()}\n\n{section(analysis)}\n{heading}{after}")


def section(analysis: Analysis) -> str:
    """Return the results as Markdown: positional heads, sinks, syntax, pruning, alignment."""
    parts = [_TITLE, f"Measured on {analysis.sentences:,} held-out sentences."]
    if analysis.command:
        parts = [
            _TITLE,
            f"Measured on {analysis.sentences:,} held-out sentences:",
            f"    {analysis.command}",
        ]
    parts += [_positional_heads(analysis), _sinks(analysis)]
    if analysis.syntax:
        parts.append(_syntax(analysis.syntax))
    parts.append(_pruning(analysis.pruning))
    if analysis.alignment:
        parts.append(_alignment(analysis.alignment))
    return "\n\n".join(parts)


def _named_heads(analysis: Analysis) -> list[tuple[str, HeadStatistics]]:
    """Return the name of every head, such as "encoder 2.1", with its statistics."""
    return [
        (f"{name} {layer}.{head}", statistics)
        for kind, name in _NAMES.items()
        for layer, heads in enumerate(analysis.statistics[kind], start=1)
        for head, statistics in enumerate(heads, start=1)
    ]


def _positional_heads(analysis: Analysis) -> str:
    heads = [
        f"{name} ({statistics.offset:+d}, {100 * statistics.offset_share:.0f} %)"
        for name, statistics in _named_heads(analysis)
        if statistics.positional
    ]
    return (
        "Positional heads, as layer.head, with the most frequent offset of their strongest key and "
        f"its share of the rows: {_list(heads)}."
    )


def _sinks(analysis: Analysis) -> str:
    heads = [
        f"{name} ({100 * statistics.sink_mass:.0f} %)"
        for name, statistics in _named_heads(analysis)
        if statistics.sink_mass > MIN_SHARE
    ]
    return (
        "Heads with more than half of their attention on special tokens and punctuation: "
        f"{_list(heads)}."
    )


def _list(heads: Sequence[str]) -> str:
    return ", ".join(heads) or "none"


def _syntax(syntax: Syntax) -> str:
    heads = []
    for name, relation in asdict(syntax.relations).items():
        words = name.replace("_", " to ")  # "verb to object"
        for layer, shares in enumerate(relation.heads, start=1):
            for head, share in enumerate(shares, start=1):
                if relation.like[layer - 1][head - 1]:
                    heads.append(
                        f"encoder {layer}.{head} ({words}: {100 * share:.0f} %, best rule "
                        f"{100 * relation.baseline:.0f} %)"
                    )
    return (
        f"Syntax-like heads, in {syntax.sentences} sentences with marked words: they look from "
        "one word of the relation to the other at least 10 % more often than the best rule "
        f"“always n words away”: {_list(heads)}."
    )


def _pruning(curves: Pruning) -> str:
    names = {"gradient": "least gradient first", "removal": "least loss first", "random": "random"}
    rows = ["| heads removed |" + "".join(f" {share} % |" for share in _SHARES)]
    rows.append("|---" * (len(_SHARES) + 1) + "|")
    for order, name in names.items():
        curve = getattr(curves, order)
        last = len(curve) - 1
        points = [curve[round(last * share / 100)] for share in _SHARES]
        rows.append(f"| {name} |" + "".join(f" {point.bleu:.1f} |" for point in points))
    title = "BLEU (greedy, the same sentences) with heads removed in three orders:"
    return "\n".join([title, "", *rows])


def _alignment(alignment: Alignment) -> str:
    columns = ["cross-attention by", "best head", "best layer"]
    if alignment.human:
        columns += ["best head, by people", "best layer, by people"]
    rows = [_row(method, alignment) for method in METHODS]
    if alignment.baseline:
        name = f"{alignment.baseline.aligner}, trained on the corpus"
        rows.append([name, f"{100 * alignment.baseline.error_rate:.1f} %"])
    lines = [
        f"| {' | '.join(columns)} |",
        "|---" * len(columns) + "|",
        *(_table_line(row, len(columns)) for row in rows),
    ]
    return (
        f"Alignment error rate on {alignment.pairs} pairs aligned word by word "
        "(`benchmarks/alignments`: by language models, after a guideline), smaller is better. "
        "AWO: the row that writes a word; AWI: the row that reads it; norms: ‖α f(x)‖; "
        "contributions: each token's share of the layer's output. "
        f"{_how_chosen(alignment)}\n\n" + "\n".join(lines)
    )


def _table_line(cells: Sequence[str], n_columns: int) -> str:
    """Return one line of a Markdown table; missing cells at its end stay empty."""
    empty = [""] * (n_columns - len(cells))
    return "|" + "|".join(f" {cell} " if cell else " " for cell in (*cells, *empty)) + "|"


def _how_chosen(alignment: Alignment) -> str:
    """Say on which pairs heads and layers were chosen, and on which they were judged."""
    if alignment.halves is None:
        return "The best head and layer are chosen on the same pairs."
    choice = best_of_all(alignment)
    methods = " and ".join(dict.fromkeys(METHODS[indices[0]] for indices in choice.indices))
    text = (
        "Head and layer are chosen on one half of the pairs and evaluated on the other half; the "
        "table gives the mean of both directions. If the method is chosen in this way, too "
        f"({methods}), the rate is {100 * choice.rate:.1f} %."
    )
    if alignment.human:
        human = alignment.human
        text += (
            f" By people: the rates on {human.pairs} pairs of {human.corpus}, aligned by people."
        )
    return text


def _row(method: Method, alignment: Alignment) -> list[str]:
    """Return the table's row of a method: the rates of the best head and of the best layer."""
    head = best_head(alignment, method)
    layer = best_layer(alignment, method)
    cells = [method, _rate(head.rate, head.names), _rate(layer.rate, layer.names, "layer ")]
    if alignment.human:
        by_people = alignment.human.error_rates[method]
        cells.append(_rate_by_people(by_people["best head"]))
        cells.append(_rate_by_people(by_people["best layer"], "layer "))
    return cells


def _rate_by_people(both_ways: BothWays, prefix: str = "") -> str:
    """Return a rate on pairs that people aligned, with the heads or layers that were chosen."""
    names = dict.fromkeys(direction["place"] for direction in both_ways["both ways"])
    return _rate(both_ways["on the other half"], [*names], prefix)


def _rate(rate: float, names: Sequence[str], prefix: str = "") -> str:
    """Return an error rate with the heads or layers that reach it: "24.5 % (layer 3, 4)".

    Args:
        rate: the error rate, from 0 to 1.
        names: the heads or the layers.
        prefix: the text before the names.
    """
    return f"{100 * rate:.1f} % ({prefix}{', '.join(names)})"
