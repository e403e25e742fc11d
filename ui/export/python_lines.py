"""Lines of Python that reproduce a figure with this project's own library."""

import json
from collections.abc import Callable, Sequence

from model import Trace, TranslationModel
from model.maps.view import Aggregate, Cells, Unit
from model.trace.tracing import InputError, read_sentence
from model.trace.transformer import Rows
from model.transformer.heads import Kind

# Function: the file name of a figure, without a suffix -> the lines that draw the figure.
PythonLines = Callable[[str], str]
# The first line: elsewhere, Python finds neither the library nor the models.
PLACE = "# For a notebook or a script in the project's folder, beside model/ and checkpoints/."
# A comment for lines in which a layer or a head has a number.
COUNTING = "# Layers and heads count from 0 here, and from 1 in the app."


def lines_of_map(
    t: TranslationModel,
    trace: Trace,
    *,
    kind: Kind,
    view: Aggregate,
    layer: int,
    head: int,
    cells: Cells = "weights",
    unit: Unit = "subwords",
    special: bool = True,
    rows: Rows = "written",
) -> PythonLines:
    """Return the lines that draw one map; ``numbers`` are its cells, (T, S).

    Args:
        t: the model.
        trace: of the sentence.
        kind, view, layer, head, cells, unit, special, rows: as for ``TranslationModel.plot``;
            layer and head from 0.
    """
    head_arguments = _head_arguments(view, layer, head)
    options = _options(kind, cells=cells, unit=unit, special=special, rows=rows)
    return _drawn(t, trace, "plot", [json.dumps(kind), *head_arguments, *options])


def lines_of_heads(
    t: TranslationModel,
    trace: Trace,
    *,
    kind: Kind,
    layer: int | None = None,
    cells: Cells = "weights",
    unit: Unit = "subwords",
    special: bool = True,
    rows: Rows = "written",
) -> PythonLines:
    """Return the lines that draw all heads; ``numbers`` are their cells, (layers, H, T, S).

    Args:
        t: the model.
        trace: of the sentence.
        kind, layer, cells, unit, special, rows: as for ``TranslationModel.plot_heads``; layer from
            0, None for all layers.
    """
    layer_argument = [] if layer is None else [f"layer={layer}"]
    options = _options(kind, cells=cells, unit=unit, special=special, rows=rows)
    return _drawn(t, trace, "plot_heads", [json.dumps(kind), *layer_argument, *options])


def lines_of_ribbons(
    t: TranslationModel, trace: Trace, *, view: Aggregate, layer: int, head: int, rows: Rows
) -> PythonLines:
    """Return the lines that draw a translation's ribbons as a map with the same numbers.

    Args:
        t: the model.
        trace: of the sentence.
        view: "head", or "mean" of the layer's heads.
        layer: from 0.
        head: from 0.
        rows: as for ``TranslationModel.plot``. With ``"read"`` the map has one more row at the
            beginning. That row has read only BOS, and it has no ribbons.
    """
    lines_as_map = lines_of_map(
        t, trace, kind="cross", view=view, layer=layer, head=head, rows=rows
    )
    note = "# The library draws ribbons as a map: the numbers are the same."
    without_first_row = "\nnumbers = numbers[1:]  # the row before the first token has no ribbons"
    return lambda stem: f"{note}\n{lines_as_map(stem)}{without_first_row if rows == 'read' else ''}"


def lines_of_two_maps(
    first: PythonLines, second: PythonLines, *, with_difference: bool
) -> PythonLines:
    """Return the lines that get the numbers of two maps, ``a`` and ``b``, and draw both.

    Args:
        first: the lines of one map.
        second: the lines of the other.
        with_difference: whether the cells of the two can be compared.
    """

    def lines(stem: str) -> str:
        parts = [first(f"{stem}_A"), "a = numbers", "", second(f"{stem}_B"), "b = numbers"]
        if with_difference:
            parts += ["", "difference = a - b"]
        return "\n".join(parts)

    return lines


def lines_of_ablation(
    t: TranslationModel, trace: Trace, *, heads: Sequence[str], mode: str
) -> PythonLines:
    """Return the lines that ablate heads; ``numbers`` are the change of each log-probability.

    Args:
        t: the model.
        trace: of the sentence.
        heads: their names, such as "cross 3.4".
        mode: as for ``TranslationModel.ablate``.
    """
    call = f"t.ablate(trace, {literal([*heads])}, mode={literal(mode)})"
    lines = [
        *opening(t, trace),
        "# Heads are named as in the app: layer 3, head 4 of the cross-attention is cross 3.4.",
        f"effect = {call}",
        "numbers = effect.log_probs - trace.log_probs  # of each token of the translation",
        "print(effect.text, numbers, effect.distance)",
    ]
    return unsaved(lines)


def lines_of_patching(t: TranslationModel, first: Trace, second: Trace) -> PythonLines:
    """Return the lines that patch one sentence into another; ``numbers`` are the heads' scores.

    Args:
        t: the model.
        first: the trace whose activations are patched in.
        second: the trace of the sentence that is read again.
    """
    lines = [
        *opening(t, first),
        f"second = {trace_call(t, second)}",
        "scores = t.patch(trace, second)",
        "# Layers and heads count from 0 here: [2, 3] is head 3.4 of the app.",
        "numbers = scores.heads  # by attention; see also scores.stream, scores.feed_forward",
        "print(numbers)",
    ]
    return unsaved(lines)


def lines_of_positions(t: TranslationModel, n: int, n_columns: int) -> PythonLines:
    """Return the lines that get the first n rows of the positional encoding.

    Args:
        t: the model.
        n: the number of rows: positions.
        n_columns: the number of columns: dimensions, the first ones.
    """
    lines = [
        *opening(t),
        f"numbers = t.model.src_embedding.positions[:{n}, :{n_columns}].numpy()",
        "print(numbers)",
    ]
    return unsaved(lines)


def lines_of_two_orders(
    t: TranslationModel, first: str, second: str, *, positions: bool
) -> PythonLines:
    """Return the lines that compare the encoder's outputs for two orders of the same words.

    ``numbers`` are the distances from each token of the first order (row) to each of the second.

    Args:
        t: the model.
        first: a sentence.
        second: the same words in another order.
        positions: whether the encoder gets its positional encoding.
    """
    sentences = f"{literal(first)}, {literal(second)}"
    lines = [
        *opening(t, None, "from model.lessons.positions import compare_orders"),
        f"result = compare_orders(t, {sentences}, positions={positions})",
        "numbers = result.distance.numpy()  # distances, first to second tokens",
        "moved = result.moved.numpy()  # distances, each token to itself in the second order",
        "print(numbers, moved)",
    ]
    return unsaved(lines)


def lines_of_attention(
    t: TranslationModel, trace: Trace, *, kind: Kind, layer: int, head: int
) -> PythonLines:
    """Return the lines that compute an attention step by step; ``numbers`` are by result.

    Args:
        t: the model.
        trace: of the sentence.
        kind: which attention.
        layer: from 0.
        head: from 0.
    """
    lines = [
        *opening(t, trace, "from model.lessons.qkv.walkthrough import attention_of, walk"),
        COUNTING,
        f"numbers = walk(attention_of(t.model, trace, {literal(kind)}, {layer}))",
        f'print(numbers["q"][0, {head}], numbers["k"][0, {head}], numbers["v"][0, {head}])',
        f'print(numbers["weights"][0, {head}])',
    ]
    return unsaved(lines)


def lines_of_aligned_words(
    t: TranslationModel, trace: Trace, best_head: tuple[int, int] | None
) -> PythonLines:
    """Return the lines that get the map of words of the best-aligning head, (T, S).

    Args:
        t: the model.
        trace: of the sentence.
        best_head: as for ``aligned_words``.
    """
    lines = [
        *opening(t, trace, "from model.heads.aligned_words import aligned_words"),
        COUNTING,
        f"words = aligned_words(t, trace, best_head={best_head})",
        "numbers = words.weights  # a row for each of words.targets, a column for words.sources",
        "print(words.targets, words.sources, numbers)",
    ]
    return unsaved(lines)


def lines_of_each_head(t: TranslationModel, trace: Trace) -> PythonLines:
    """Return the lines that ablate each head in turn; ``numbers`` are in order of ``all_heads``."""
    lines = [
        *opening(
            t,
            trace,
            "import numpy as np",
            "from model.interventions.leave_one_out import change_without_each_head",
            "from model.transformer.heads import all_heads",
        ),
        COUNTING,
        "numbers = np.concatenate([*change_without_each_head(t, trace)])  # of log p(translation)",
        "for head, change in zip(all_heads(t.config), numbers):",
        "    print(head, change)",
    ]
    return unsaved(lines)


def _drawn(t: TranslationModel, trace: Trace, method: str, arguments: Sequence[str]) -> PythonLines:
    """Return the lines that draw a picture and save it.

    Args:
        t: the model.
        trace: of the sentence.
        method: of the model.
        arguments: of this method after the trace, as Python.
    """
    lines = [
        *opening(t, trace),
        COUNTING,
        f"picture = t.{method}(trace, {', '.join(arguments)})",
        "numbers = picture.numbers  # with picture.rows and picture.columns as labels",
    ]
    return lambda stem: "\n".join([*lines, f"picture.save({literal(f'{stem}.pdf')})"])


def opening(t: TranslationModel, trace: Trace | None = None, *imports: str) -> list[str]:
    """Return the lines that import the library, load the model and trace the sentence.

    Args:
        t: the model.
        trace: of the sentence; None if the lines need no sentence.
        *imports: further lines that import.
    """
    lines = [*import_lines("from model import load", *imports), load_line(t)]
    return lines if trace is None else [*lines, f"trace = {trace_call(t, trace)}"]


def import_lines(*imports: str) -> list[str]:
    """Return where the lines run, and these imports, other libraries first, and an empty line."""
    others = sorted(line for line in imports if not line.startswith("from model"))
    own = sorted(line for line in imports if line.startswith("from model"))
    return [PLACE, *others, *([""] if others and own else []), *own, ""]


def unsaved(lines: Sequence[str]) -> PythonLines:
    """Return lines that write no file, so that they do not depend on its name."""
    text = "\n".join(lines)
    return lambda _: text


def load_line(t: TranslationModel) -> str:
    """Return the line that loads the model, with the languages and the prefix that were chosen."""
    line = f"t = load({literal(f'checkpoints/{t.name}')})"
    source, target, prefix = t.hub_choices
    if target is not None:
        line += f".with_languages({literal(source or '')}, {literal(target)})"
    if prefix is not None:
        line += f".with_prefix({literal(prefix)})"
    return line


def trace_call(t: TranslationModel, trace: Trace) -> str:
    """Return the Python call that traces this sentence with this translation."""
    arguments = [literal(trace.source_text)]
    if trace.target_origin != "generated":
        arguments.append(f"target={literal(_target(t, trace))}")
    elif trace.beam != 1:
        arguments.append(f"beam={trace.beam}")
    return f"t.trace({', '.join(arguments)})"


def _target(t: TranslationModel, trace: Trace) -> str | list[int]:
    """Return the given translation as text, or as ids if the text would be split differently.

    A model may have written subwords into which its text would not be split again.
    """
    try:
        tokens = read_sentence(t.model, t.tokenizer, trace.target_text, side="target")
    except InputError:
        tokens = []
    is_same = [token.id for token in tokens] == [*trace.tgt_ids]
    return trace.target_text if is_same else [*trace.tgt_ids]


def _head_arguments(view: Aggregate, layer: int, head: int) -> list[str]:
    """Return the arguments that select a layer and a head, or an aggregation of heads.

    Args:
        view: one head, or how heads are aggregated.
        layer: from 0.
        head: from 0.
    """
    match view:
        case "head":
            return [f"layer={layer}", f"head={head}"]
        case "mean":
            return [f"layer={layer}"]
        case "layers":
            return ['view="layers"']
    return [f"layer={layer}", f"view={literal(view)}"]


def _options(kind: Kind, *, cells: Cells, unit: Unit, special: bool, rows: Rows) -> list[str]:
    """Return the arguments that differ from their defaults.

    Args:
        kind: the attention.
        cells: what the cells show.
        unit: subwords or words.
        special: whether special tokens are drawn.
        rows: whether rows are labelled with the token written or read.
    """
    arguments = []
    if cells != "weights":
        arguments.append(f"cells={literal(cells)}")
    if unit != "subwords":
        arguments.append(f"unit={literal(unit)}")
    if not special:
        arguments.append("special=False")
    if rows != "written" and kind != "encoder_self":
        arguments.append(f"rows={literal(rows)}")
    return arguments


def literal(value: object) -> str:
    """Return texts, numbers, or lists of them, as Python literals: JSON has the same syntax."""
    return json.dumps(value, ensure_ascii=False)
