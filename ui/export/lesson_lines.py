"""Lines of Python that compute the numbers of the lessons with this project's own library."""

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Literal, NamedTuple

from model import Trace, TranslationModel
from model.trace.residual_stream import Stack
from model.transformer.heads import Kind, attention_name
from ui.export.python_lines import (
    COUNTING,
    PythonLines,
    import_lines,
    literal,
    opening,
    unsaved,
)

_PRINT = "print(numbers)"

# Masks


def lines_of_batch(
    t: TranslationModel, sentences: Sequence[str], *, kind: Kind, layer: int, head: int, row: int
) -> PythonLines:
    """Return the lines that run a padded batch; ``numbers`` are scores and weights by name.

    Args:
        t: the model.
        sentences: of the batch.
        kind: which attention.
        layer: from 0.
        head: from 0.
        row: of the sentence in the batch, from 0.
    """
    record = f"{attention_name(kind, layer)}.{{name}}"
    return unsaved(
        [
            *opening(t, None, "from model.lessons.masks.padded_batch import padded_batch"),
            f"batch = padded_batch(t, {literal([*sentences])})",
            "print(batch.src_padding, batch.tgt_padding, batch.causal)  # the masks",
            COUNTING,
            f'numbers = {{name: batch.records[f"{record}"][{row}, {head}]',
            '           for name in ("scores", "masked_scores", "weights")}',
            _PRINT,
        ]
    )


def _self_mask(cells: Collection[tuple[int, int]], is_open: bool) -> tuple[str, str]:
    """Return the import and the expression of the decoder's mask.

    Args:
        cells: (query, key) of the cells that are flipped.
        is_open: whether the causal mask is removed.
    """
    first = "no_mask" if is_open else "causal_mask"
    mask = f"{first}(len(trace.tgt_tokens))"
    if not cells:
        return f"from model.transformer.masks import {first}", mask
    names = ", ".join(sorted((first, "flip")))
    return f"from model.transformer.masks import {names}", f"flip({mask}, {sorted(cells)})"


def lines_of_mask(
    t: TranslationModel, trace: Trace, *, cells: Collection[tuple[int, int]], is_open: bool
) -> PythonLines:
    """Return the lines that make the decoder's mask; ``numbers`` are True for a visible key.

    Args:
        t: the model.
        trace: of the sentence.
        cells: (query, key) of the cells that are flipped.
        is_open: whether the causal mask is removed.
    """
    import_line, mask = _self_mask(cells, is_open)
    return unsaved(
        [
            *opening(t, trace, import_line),
            f"numbers = {mask}[0, 0].numpy()  # True: the query (row) may attend to the key",
            _PRINT,
        ]
    )


def lines_of_masked_losses(
    t: TranslationModel, trace: Trace, *, cells: Collection[tuple[int, int]], is_open: bool
) -> PythonLines:
    """Return the lines that get each token's loss under two masks.

    ``numbers`` are (2, T): the losses under the causal mask, then under the edited mask.

    Args:
        t: the model.
        trace: of the sentence.
        cells: (query, key) of the cells that are flipped.
        is_open: whether the causal mask is removed.
    """
    import_line, mask = _self_mask(cells, is_open)
    return unsaved(
        [
            *opening(
                t,
                trace,
                "import numpy as np",
                "import torch",
                "from model.decoding.modified import teacher_forced_loss",
                import_line,
            ),
            f"mask = {mask}",
            "src = torch.tensor([[token.id for token in trace.src]])",
            "target = torch.tensor([trace.tgt_ids])",
            "losses = teacher_forced_loss(",
            "    t.model, src, target, self_mask=mask, pad_id=t.tokenizer.pad_id)",
            "numbers = np.stack([-trace.log_probs, losses.numpy()])  # causal mask, edited mask",
            _PRINT,
        ]
    )


def lines_of_visible_padding(
    t: TranslationModel,
    sentence: str,
    *,
    n_padding: int,
    hidden: Collection[int],
    layer: int,
    head: int,
) -> PythonLines:
    """Return the lines that add padding to a sentence; ``numbers`` are the weights of one head.

    Args:
        t: the model.
        sentence: as typed.
        n_padding: tokens of padding.
        hidden: columns that nothing may attend to, from 0.
        layer: from 0.
        head: from 0.
    """
    arguments = f"{literal(sentence)}, {n_padding}, hidden={sorted(hidden)}"
    return unsaved(
        [
            *opening(t, None, "from model.lessons.masks.padded_batch import padding_effect"),
            f"effect = padding_effect(t, {arguments})",
            COUNTING,
            f"numbers = effect.weights[{layer}, {head}]  # of the encoder; hidden columns are 0",
            "print(numbers, effect.share, effect.change, effect.translation)",
        ]
    )


def lines_of_cheating(task: str, seed: int, *, n_steps: int, n_rows: int) -> PythonLines:
    """Return the lines that train with and without the mask; ``numbers`` are the losses by mask.

    Args:
        task: what the two models learn.
        seed: of both trainings.
        n_steps: updates of each model.
        n_rows: sequences that the models write at the end.
    """
    names = "MASKS, CheatingExperiment, share_right"
    return unsaved(
        [
            *import_lines(
                f"from model.lessons.masks.cheating_experiment import {names}",
            ),
            f"experiment = CheatingExperiment({literal(task)}, seed={seed})",
            f"losses = [losses for losses in experiment.train({n_steps}) if losses]",
            f"written = experiment.write({n_rows})",
            "numbers = {mask: [each.loss[mask] for each in losses] for mask in MASKS}",
            "for mask in MASKS:  # the share of correct digits when a model writes by itself",
            "    rows = [row.by_itself[mask] for row in written]",
            "    print(mask, numbers[mask], share_right(rows, [row.target for row in written]))",
        ]
    )


# Positions


def lines_of_addition(t: TranslationModel, trace: Trace) -> PythonLines:
    """Return the lines that get the norms of embeddings and positions; ``numbers`` by name."""
    return unsaved(
        [
            *opening(t, trace, "from model.trace.residual_stream import norms"),
            'names = ("token_embedding", "position", "embedded")  # embedded is the sum',
            'numbers = {name: norms(trace.records[f"encoder.{name}"]) for name in names}',
            _PRINT,
        ]
    )


def lines_of_other_ways(
    *, n: int, d_model: int, n_learned: int, position: int, seed: int
) -> PythonLines:
    """Return the lines that make the matrices of three position methods; ``numbers`` by name.

    Args:
        n: number of positions.
        d_model: number of dimensions.
        n_learned: how many positions have a learned vector.
        position: whose rotation is drawn.
        seed: of the learned vectors, which are drawn at random.
    """
    return unsaved(
        [
            *import_lines(
                "import numpy as np",
                "from model.lessons.positions import rotation",
                "from model.transformer.positional import positional_encoding",
            ),
            f"learned = np.random.default_rng({seed}).normal(0.0, 0.4, ({n}, {d_model}))",
            "numbers = {",
            f'    "waves": positional_encoding({n}, {d_model}).numpy(),',
            f'    "learned": learned[:{n_learned}],  # a table has no later positions',
            f'    "rotation": rotation({position}, {d_model}).numpy(),',
            "}",
            _PRINT,
        ]
    )


def lines_of_relative_bias(t: TranslationModel, distance: int) -> PythonLines:
    """Return the lines that get the bias of T5 up to a distance: (H, 2 distance + 1)."""
    return unsaved(
        [
            *opening(t),
            f"numbers = t.model.relative_bias({distance})  # heads × distances from -{distance} on",
            _PRINT,
        ]
    )


def lines_of_waves(dimensions: Sequence[int], *, d_model: int, n: int, step: float) -> PythonLines:
    """Return the lines that compute some waves; ``numbers`` are by dimension.

    Args:
        dimensions: from 0.
        d_model: width of the encoding.
        n: number of positions.
        step: between two points, in positions.
    """
    return unsaved(
        [
            *import_lines("import torch", "from model.lessons.positions import wave"),
            f"places = torch.arange(0, {n - 1 + step / 2}, {step}, dtype=torch.float64)",
            f"numbers = {{dimension: wave(places, dimension, {d_model}).numpy()",
            f"           for dimension in {[*dimensions]}}}",
            _PRINT,
        ]
    )


def lines_of_wavelengths(d_model: int) -> PythonLines:
    """Return the lines that compute the wavelengths: (d_model / 2,)."""
    return unsaved(
        [
            *import_lines("from model.lessons.positions import wavelengths"),
            f"numbers = wavelengths({d_model}).numpy()  # in positions",
            _PRINT,
        ]
    )


def lines_of_helix(dimensions: Sequence[int], *, d_model: int, n: int) -> PythonLines:
    """Return the lines that get the sine and the cosine of one wave: (n, 2).

    Args:
        dimensions: of sine and cosine, from 0.
        d_model: width of the encoding.
        n: number of positions.
    """
    return unsaved(
        [
            *import_lines("from model.transformer.positional import positional_encoding"),
            f"numbers = positional_encoding({n}, {d_model})[:, {[*dimensions]}].numpy()",
            _PRINT,
        ]
    )


def lines_of_counter(
    pairs: Sequence[int], *, d_model: int, n: int, n_bits: int, signs: bool
) -> PythonLines:
    """Return the lines of Python that compute positions in binary and as sines.

    ``numbers`` holds "bits" and "sines".

    Args:
        pairs: numbers of the waves, the longest wave first. Wave i is dimensions 2i and 2i + 1.
        d_model: width of the encoding.
        n: number of positions.
        n_bits: of each binary number.
        signs: whether only the signs of the sines are shown.
    """
    sines = f"positional_encoding({n}, {d_model})[:, [2 * pair for pair in {[*pairs]}]]"
    return unsaved(
        [
            *import_lines(
                "from model.lessons.positions import bits",
                "from model.transformer.positional import positional_encoding",
            ),
            f"sines = {sines}",
            "numbers = {",
            f'    "bits": bits({n}, {n_bits}).flip(1).numpy(),',
            f'    "sines": sines{".sign()" if signs else ""}.numpy(),',
            "}",
            _PRINT,
        ]
    )


def lines_of_distance(d_model: int, *, n: int, position: int) -> PythonLines:
    """Return the lines that compute PE · PEᵀ and the formula of a row; ``numbers`` by name.

    Args:
        d_model: width of the encoding.
        n: number of positions.
        position: whose row is compared with the formula.
    """
    return unsaved(
        [
            *import_lines(
                "import torch", "from model.lessons.positions import similarity, similarity_at"
            ),
            "numbers = {",
            f'    "products": similarity({n}, {d_model}).numpy(),',
            f'    "formula": similarity_at(torch.arange({1 - n}.0, {n}.0), {d_model}).numpy(),',
            "}",
            f'print(numbers["products"][{position}], numbers["formula"])',
        ]
    )


def lines_of_rotation(
    dimensions: Sequence[int], *, d_model: int, position: int, shift: int
) -> PythonLines:
    """Return the lines that shift a position by a rotation; ``numbers`` by name.

    Args:
        dimensions: that are drawn.
        d_model: width of the encoding.
        position: before the shift.
        shift: in positions.
    """
    after = position + shift
    return unsaved(
        [
            *import_lines(
                "from model.lessons.positions import rotation",
                "from model.transformer.positional import positional_encoding",
            ),
            f"shown = {[*dimensions]}  # dimensions",
            "numbers = {",
            f'    "M_k": rotation({shift}, {d_model})[shown][:, shown].numpy(),',
            f'    "before": positional_encoding(1, {d_model}, first={position})[0, shown].numpy(),',
            f'    "after": positional_encoding(1, {d_model}, first={after})[0, shown].numpy(),',
            "}",
            'print(numbers["M_k"] @ numbers["before"] - numbers["after"])  # nearly 0',
        ]
    )


# Scaling


def lines_of_dimension(
    d_ks: Sequence[int], *, d_k: int, seed: int, n_draws: int, n_keys: int
) -> PythonLines:
    """Return the lines that measure softmaxes over products of random vectors.

    ``numbers`` has two measurements: False, of the products; True, of the products divided by
    √d_k.

    Args:
        d_ks: all lengths of the vectors, rising.
        d_k: the length for which one softmax is printed, too.
        seed: of the vectors.
        n_draws: number of queries.
        n_keys: keys of each query.
    """
    draws = f"n_keys={n_keys}, d_k={d_ks[-1]}"
    return unsaved(
        [
            *import_lines(
                "from model.lessons.scaling import dot_products, draw_vectors, sweep",
            ),
            f"q, k = draw_vectors({seed}, n_draws={n_draws}, {draws})",
            f"numbers = {{divide: sweep(q, k, {[*d_ks]}, divide=divide)",
            "           for divide in (False, True)}  # variance, entropy, gradient",
            f"q, k = draw_vectors({seed}, n_draws=1, {draws})",
            f"rows = {{divide: dot_products(q, k, {d_k}, divide=divide)[0].softmax(dim=-1).numpy()",
            "        for divide in (False, True)}  # one softmax",
            "print(numbers, rows)",
        ]
    )


class QuerySource(NamedTuple):
    """Where a query, and the keys that it may see, are in a trace."""

    t: TranslationModel
    trace: Trace
    kind: Kind
    layer: int  # from 0
    head: int  # from 0
    position: int  # of the query, from 0

    def lines(self, names: str) -> list[str]:
        """Return the lines that get the query and the named vectors: "k" or "kv"."""
        record = f"{attention_name(self.kind, self.layer)}."
        visible = f"[:{self.position + 1}]" if self.kind == "decoder_self" else ""
        lines = [f'q = torch.tensor(trace.records["{record}q"][{self.head}, {self.position}])']
        for name in names:
            vectors = f'trace.records["{record}{name}"][{self.head}]{visible}'
            lines.append(f"{name} = torch.tensor({vectors})")
        return [COUNTING, *lines]


def lines_of_temperature(
    source: QuerySource, temperatures: Sequence[float], *, at: int
) -> PythonLines:
    """Return the lines that get a query's weights at each temperature; ``numbers`` are (N, S).

    Args:
        source: of the query.
        temperatures: N powers of 2, whose exponents have equal distances.
        at: index of the chosen temperature, from 0.
    """
    first, last = (f"{math.log2(end):g}" for end in (temperatures[0], temperatures[-1]))
    return unsaved(
        [
            *opening(
                source.t,
                source.trace,
                "import torch",
                "from model.lessons.scaling import gradient_size, scaled_dot",
                "from model.maps.measures import entropy",
            ),
            *source.lines("k"),
            f"temperatures = torch.logspace({first}, {last}, {len(temperatures)}, base=2)[:, None]",
            "weights = (scaled_dot(q[None], k) / temperatures).softmax(dim=-1)",
            "numbers = weights.numpy()  # a row for each temperature",
            f"print(temperatures[{at}], numbers[{at}])",
            "print(entropy(numbers), gradient_size(weights))",
        ]
    )


def lines_of_scores(source: QuerySource, *, reach: int, hard: bool, seed: int) -> PythonLines:
    """Return the lines that try all score functions; ``numbers`` are the weights by name.

    Args:
        source: of the query.
        reach: keys that are seen to each side.
        hard: whether the best key gets all weight.
        seed: of the parameters.
    """
    return unsaved(
        [
            *opening(
                source.t,
                source.trace,
                "import torch",
                "from model.lessons.scaling import answer, draw_score_functions, window",
            ),
            *source.lines("kv"),
            f"mask = window(len(k), {source.position}, {reach})",
            f"functions = draw_score_functions({seed}, d_k=len(q), n_positions=len(k))",
            f"answers = {{name: answer(score, q, k, v, mask, hard={hard})",
            "           for name, score in functions.items()}  # weights, output, gradient",
            "numbers = {name: each.weights.numpy() for name, each in answers.items()}",
            "print(answers)",
        ]
    )


# Norms

StreamMeasure = Literal["norm", "added", "share", "cosine"]
# Measure -> the Python expression of its columns: a list with (T,) numbers for each sublayer.
_COLUMNS: Mapping[StreamMeasure, str] = {
    "norm": "[norms(steps[0].before), *(norms(step.after) for step in steps)]",
    "added": "[norms(step.added) for step in steps]",
    "share": "[step.share for step in steps]",
    "cosine": "[step.cosine for step in steps]",
}


def lines_of_stream(
    t: TranslationModel, trace: Trace, *, stack: Stack, measure: StreamMeasure, position: int
) -> PythonLines:
    """Return the lines that measure the residual stream; ``numbers`` are (T, sublayers).

    Args:
        t: the model.
        trace: of the sentence.
        stack: encoder or decoder.
        measure: what is measured at each sublayer.
        position: of the token whose way is drawn, from 0.
    """
    return unsaved(
        [
            *opening(
                t,
                trace,
                "import numpy as np",
                "from model.trace.residual_stream import additions, norms",
            ),
            f"steps = additions(trace, {literal(stack)})  # one for each sublayer",
            f"numbers = np.stack({_COLUMNS[measure]}, axis=1)",
            f"way = [(norms(step.before)[{position}], norms(step.added)[{position}])",
            "       for step in steps]  # of one token",
            "print(numbers, way)",
        ]
    )


def lines_of_feed_forward(
    t: TranslationModel, trace: Trace, *, stack: Stack, layer: int, position: int, n_units: int
) -> PythonLines:
    """Return the lines that get a token's strongest units; ``numbers`` are (T, units).

    Args:
        t: the model.
        trace: of the sentence.
        stack: encoder or decoder.
        layer: from 0.
        position: of the token, from 0.
        n_units: how many units.
    """
    names = "change_one_position, ffn_input, firing, strongest_units"
    return unsaved(
        [
            *opening(t, trace, f"from model.lessons.norms import {names}"),
            COUNTING,
            f'hidden = trace.records["{stack}.{layer}.ffn.hidden"]',
            f"numbers = hidden[:, strongest_units(hidden, {position}, {n_units})]",
            f"ffn = t.model.{stack}.blocks[{layer}].feed_forward",
            f"x = ffn_input(t.model, trace, {literal(stack)}, {layer})",
            f"changes = change_one_position(ffn, x, {position}, seed=0).numpy()",
            "print(numbers, firing(hidden), changes)",
        ]
    )


def lines_of_norms(
    seed: int, *, lengths: tuple[int, ...], n_padding: int, d_model: int
) -> PythonLines:
    """Return the lines that normalise a small batch; ``numbers`` are by norm.

    Args:
        seed: of the batch.
        lengths: of the sentences.
        n_padding: positions of padding.
        d_model: numbers at each position.
    """
    sizes = f"lengths={lengths}, n_padding={n_padding}, d_model={d_model}"
    return unsaved(
        [
            *import_lines("from model.lessons.norms import batch_norm, draw_batch, layer_norm"),
            f"x = draw_batch({seed}, {sizes}).flatten(0, 1)  # a row for each position",
            'numbers = {"layer": layer_norm(x).numpy(), "batch": batch_norm(x).numpy()}',
            "print(x, numbers)",
        ]
    )


def lines_of_padding_changes(t: TranslationModel, trace: Trace, *, most: int) -> PythonLines:
    """Return the lines that measure what 0, 1, ... positions of padding change; by norm.

    Args:
        t: the model.
        trace: of the sentence.
        most: the largest number of positions.
    """
    return unsaved(
        [
            *opening(t, trace, "from model.lessons.norms import padding_changes"),
            f"numbers = padding_changes(t, trace, most={most})  # with 0, 1, ... padding positions",
            _PRINT,
        ]
    )


def lines_of_untrained(
    wirings: Sequence[str], *, stack: Stack, depth: int, seed: int
) -> PythonLines:
    """Return the lines that measure untrained models; ``numbers`` are the gradients by wiring.

    Args:
        wirings: where the norms are: some of "pre", "post" and "none".
        stack: encoder or decoder.
        depth: layers of each stack.
        seed: of the weights.
    """
    return unsaved(
        [
            *import_lines("from model.lessons.norms import measure_start"),
            f"starts = {{wiring: measure_start(wiring, {depth}, {seed})[{literal(stack)}]",
            f"          for wiring in {literal([*wirings])}}}",
            "numbers = {wiring: start.gradients.numpy() for wiring, start in starts.items()}",
            "print(starts)  # gradients and spread of each layer",
        ]
    )


# Cost


def lines_of_complexities(lengths: Sequence[int], *, d: int, k: int, r: int) -> PythonLines:
    """Return the lines that compute table 1 of the paper; ``numbers`` are by measure and layer.

    Args:
        lengths: all n.
        d: width.
        k: kernel size of the convolution.
        r: positions that restricted attention sees.
    """
    return unsaved(
        [
            *import_lines("from model.lessons.cost import LAYER_TYPES, complexities"),
            f"lengths = {[*lengths]}",
            f"tables = [complexities(n=n, d={d}, k={k}, r={r}) for n in lengths]",
            "numbers = {measure: {layer: [getattr(table[layer], measure) for table in tables]",
            "                     for layer in LAYER_TYPES}",
            '           for measure in ("work", "steps", "path")}',
            _PRINT,
        ]
    )


def lines_of_attention_memory(t: TranslationModel, lengths: Sequence[int]) -> PythonLines:
    """Return the lines that count the bytes of the weights of one layer; ``numbers`` are in MB."""
    return unsaved(
        [
            *opening(t, None, "from model.lessons.cost import attention_bytes"),
            f"lengths = {[*lengths]}",
            "numbers = [attention_bytes(n_heads=t.config.n_heads, n=n) / 1e6 for n in lengths]",
            _PRINT,
        ]
    )


def lines_of_limit(t: TranslationModel, sentence: str, times: int) -> PythonLines:
    """Return the lines that count the tokens of a repeated text.

    ``numbers`` are the tokens of the text, and the most tokens that the model reads.

    Args:
        t: the model.
        sentence: as typed.
        times: how often it is repeated.
    """
    return unsaved(
        [
            *opening(t),
            f'text = " ".join([{literal(sentence)}] * {times})',
            "numbers = [len(t.tokenizer.encode(text)), t.config.max_length]",
            _PRINT,
        ]
    )


def lines_of_draft(t: TranslationModel, trace: Trace, n_bits: int) -> PythonLines:
    """Return the lines that translate with a draft; ``numbers`` are ids of tokens by name.

    Args:
        t: the model.
        trace: of the sentence.
        n_bits: of each weight of the draft's decoder.
    """
    return unsaved(
        [
            *opening(t, trace, "from model.lessons.drafts import translate_with_draft"),
            "src_ids = [token.id for token in trace.src]",
            f"drafted = translate_with_draft(t.model, t.tokenizer, src_ids, n_bits={n_bits})",
            'numbers = {"draft": drafted.draft, "exact": drafted.answers, "result": drafted.ids}',
            "print(drafted.n_kept, drafted.n_passes, *map(t.tokenizer.decode, numbers.values()))",
        ]
    )


# The whole machine


def lines_of_machine(t: TranslationModel) -> PythonLines:
    """Return the lines that count parameters; ``numbers`` maps the name of a box to its count."""
    return unsaved(
        [
            *opening(t, None, "from model.lessons.architecture import diagram_boxes"),
            "boxes = diagram_boxes(t.model)",
            "numbers = {box.name: box.n_parameters for box in boxes}  # shared matrices count once",
            "print(numbers, sum(box.n_parameters * box.repeats for box in boxes))",
        ]
    )
