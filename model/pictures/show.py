"""Show attention from any other program: an array of weights with labels.

In a notebook: ``from model import show``, then ``show(weights, rows, columns)``.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from model.arrays import Array, read_only
from model.pictures.offline_page import ENGLISH, VERSION, AttentionData, OfflinePage, offline_page
from model.pictures.selected_map import select_map
from model.pictures.tokens import display
from model.tokenizers.tokenizer import SPECIALS

MAX_CELLS = 10_000_000  # a page of 53 MB; twice as many make a browser stop
_TOLERANCE = 1e-3  # rounding in float16 and bfloat16 moves a weight slightly beyond its range
_BEGINS_WORD = ("▁", "Ġ")  # how SentencePiece and byte-level BPE write the space before a word
_NO_WEIGHTS = (
    'there are no weights: load the model with attn_implementation="eager", and call it with '
    "output_attentions=True"
)


def show(
    weights: Any,
    rows: Sequence[str],
    columns: Sequence[str] | None = None,
    *,
    name: str = "Attention",
    layer: int | None = None,
    head: int | None = None,
) -> OfflinePage:
    """Build a page with the attention maps of any model. The page makes no requests.

    A notebook shows it: one map or the lines of a layer, and all heads. ``save`` writes it as a
    file that opens offline.

    Args:
        weights: (layers, heads, T, S), (heads, T, S) or (T, S), in [0, 1]: weights after the
            softmax, as an array of NumPy, PyTorch or others. Or what a Hugging Face model returns
            as ``cross_attentions``, ``encoder_attentions`` or ``attentions``, for one sentence:
            a tensor (1, heads, T, S) for each layer. Or the same for each step of ``generate``.
        rows: T labels, such as the tokens of the translation.
        columns: S labels, such as the tokens of the source; None for the labels of the rows.
        name: what the maps are called.
        layer: that is shown first, from 0; None for the last. Titles count from 1.
        head: that is shown first, from 0; None for the mean of all heads of the layer.

    Returns:
        The page.

    Raises:
        ValueError: weights and labels do not fit each other, a weight is not in [0, 1], or there
            is no such layer or head.

    >>> page = show([[0.75, 0.25], [0.5, 0.5]], ["Bon", "soir"], ["Good", "evening"])
    >>> page.save("evening.html")  # doctest: +SKIP
    """
    maps = as_maps(weights)
    labels_of_rows = _labels(rows, "rows")
    labels_of_columns = labels_of_rows if columns is None else _labels(columns, "columns")
    _check_labels(maps, len(labels_of_rows), len(labels_of_columns))

    attention = AttentionData(
        kind="cross",
        weights=maps,
        queries={"written": labels_of_rows},
        keys=labels_of_columns,
        sides=("target", "source"),
    )
    selected = select_map([attention], "cross", layer=layer, head=head, rows="written")
    n_layers, n_heads, n_rows, n_columns = maps.shape
    size = f"layers: {n_layers} · heads: {n_heads} · {n_rows} rows, {n_columns} columns"
    return offline_page(
        name,
        "",
        [attention],
        start={"kind": "cross", "layer": selected.layer, "head": selected.head, "rows": "written"},
        origin=size,
        notice="",
        tokens=(),
        facts={ENGLISH["offline.version"]: f"{ENGLISH['app.name']} {VERSION}"},
        card="",
        languages=(None, None),
        words={
            **ENGLISH,
            "attention.cross": name,
            "offline.one_map": name,
            "translation.empty": "",
            "map.rows.cross.written": "Rows: queries. Columns: keys.",
        },
        language="en",
    )


def as_maps(weights: Any) -> Array:
    """Return attention weights as (layers, heads, T, S) float32; see ``show``.

    Raises:
        ValueError: these are not attention weights of one sentence.
    """
    # 1. Stack the layers, and join the steps of a generation
    if hasattr(weights, "cross_attentions"):
        raise ValueError(
            "this is the whole output of a model: give one of its attentions, such as "
            "output.cross_attentions"
        )
    if weights is None:
        raise ValueError(_NO_WEIGHTS)
    if isinstance(weights, list | tuple) and weights and _is_list_of_tensors(weights[0]):
        maps = _join_steps([_stacked(step) for step in weights])
    else:
        maps = _stacked(weights)

    # 2. Add the missing axes
    if maps.ndim == 5:
        if maps.shape[1] != 1:
            raise ValueError(
                f"there are {maps.shape[1]} sentences in this batch: give the weights of one, such "
                "as [layer[:1] for layer in weights]"
            )
        maps = maps[:, 0]
    if not 2 <= maps.ndim <= 4 or 0 in maps.shape:
        raise ValueError(
            f"weights have the shape (layers, heads, rows, columns), (heads, rows, columns) or "
            f"(rows, columns), not {maps.shape}"
        )
    maps = maps.reshape((1,) * (4 - maps.ndim) + maps.shape)

    # 3. Check the numbers
    if maps.size > MAX_CELLS:
        raise ValueError(
            f"these weights have {maps.size:,} cells, and at most {MAX_CELLS:,} are drawn: give "
            "some of the layers or heads, such as weights[:2]"
        )
    if not np.isfinite(maps).all():
        raise ValueError("a weight is NaN or infinite: give the weights after the softmax")
    low, high = float(maps.min()), float(maps.max())
    if low < -_TOLERANCE or high > 1 + _TOLERANCE:
        raise ValueError(
            f"weights are from 0 to 1, and these are from {low:.3g} to {high:.3g}: give them after "
            "the softmax"
        )
    return read_only(maps.clip(0, 1))


def _is_list_of_tensors(value: object) -> bool:
    """Return whether this may be a step of a generation, and no list of matrices, rows or numbers.

    A step holds a tensor with four axes for each layer.
    """
    return isinstance(value, list | tuple) and bool(value) and getattr(value[0], "ndim", 0) > 2


def _stacked(weights: Any) -> Array:
    """Stack an array, or a list of arrays with equal shapes, into one float32 array."""
    if isinstance(weights, list | tuple) and any(layer is None for layer in weights):
        raise ValueError(_NO_WEIGHTS)
    try:
        if isinstance(weights, list | tuple):
            return np.stack([_as_array(layer) for layer in weights])
        return _as_array(weights)
    except (RuntimeError, TypeError, ValueError) as error:
        raise ValueError(
            "weights are an array of numbers, or a list of arrays of equal shape, one for each "
            f"layer; these are not ({error})"
        ) from error


def _as_array(weights: Any) -> Array:
    """Convert an array of any library on any device to float32."""
    if hasattr(weights, "detach"):  # of PyTorch; NumPy knows no bfloat16
        weights = weights.detach().float().cpu()
    return np.asarray(weights, dtype=np.float32)


def _join_steps(steps: Sequence[Array]) -> Array:
    """Join the steps of a generation. Each has shape (layers, 1, heads, rows of the step, S).

    A step of self-attention sees more keys than the one before; keys that a step does not see get
    the weight 0.
    """
    n_columns = max(step.shape[-1] for step in steps)
    if any(step.ndim != 5 for step in steps):
        raise ValueError(
            "each step of a generation has a tensor (1, heads, 1, columns) for each layer, and "
            f"here one has the shape {steps[0].shape[1:]}"
        )
    padded = [np.pad(step, [(0, 0)] * 4 + [(0, n_columns - step.shape[-1])]) for step in steps]
    return np.concatenate(padded, axis=3)


def _labels(tokens: Sequence[str], axis: str) -> tuple[str, ...]:
    """Return the visible labels of one axis. A middle dot marks a token inside a word."""
    if isinstance(tokens, str):
        raise ValueError(f"{axis} is one text: give a list of tokens, such as text.split()")
    texts = [str(token) for token in tokens]
    marked = any(text.startswith(_BEGINS_WORD) and len(text) > 1 for text in texts)
    if marked:
        texts = [f" {text[1:]}" if text.startswith(_BEGINS_WORD) else text for text in texts]
    else:  # with a space before it, a text has no middle dot
        texts = [text if text in SPECIALS or not text else f" {text}" for text in texts]
    return display(texts)


def _check_labels(maps: Array, n_rows: int, n_columns: int) -> None:
    """Raise ValueError unless each row and each column of the maps has one label.

    Args:
        maps: (..., rows, columns).
        n_rows: number of labels of the rows.
        n_columns: number of labels of the columns.

    Raises:
        ValueError: the numbers differ; the message says if rows and columns are swapped.
    """
    shape = maps.shape[-2:]
    if shape == (n_rows, n_columns):
        return
    if shape == (n_columns, n_rows):
        raise ValueError(
            f"the maps have {shape[0]} rows and {shape[1]} columns: rows and columns are swapped, "
            "give show(weights, columns, rows)"
        )
    raise ValueError(
        f"the maps have {shape[0]} rows and {shape[1]} columns, but there are labels for {n_rows} "
        f"rows and {n_columns} columns: give one label for each"
    )
