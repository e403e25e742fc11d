"""Lines of Python that compute what the page *From RNN* shows."""

from collections.abc import Mapping, Sequence

from ui.export.python_lines import (
    COUNTING,
    PythonLines,
    import_lines,
    literal,
    unsaved,
)

_LOAD = 'load(f"checkpoints/{name}")'


def lines_of_side_by_side(
    maps: Mapping[str, str], sentence: str, *, targets: Mapping[str, str | Sequence[int]]
) -> PythonLines:
    """Return the lines that trace a sentence with several models; ``numbers`` are by model.

    Args:
        maps: name of each model -> the Python expression of its map, in which ``trace`` is the
            model's trace; "None" for a model without a map.
        sentence: as typed.
        targets: name of the model -> the translation that it reads, as a text or as ids of tokens;
            {} if each model writes its own translation.
    """
    lines = [*import_lines("from model import load"), f"sentence = {literal(sentence)}"]
    lines += ["numbers = {}  # log-probabilities of the tokens, and the map", COUNTING]
    for name, map_of_trace in maps.items():
        given = targets.get(name)
        target = "" if given is None else f", target={literal(given)}"
        path = literal(f"checkpoints/{name}")
        lines += [
            f"trace = load({path}).trace(sentence{target})",
            f"numbers[{literal(name)}] = trace.log_probs, {map_of_trace}",
        ]
    return unsaved([*lines, "print(numbers)"])


def lines_of_contexts(names: Sequence[str], sentence: str, *, n: int) -> PythonLines:
    """Return the lines that get the context of each decoding step; ``numbers`` are by model.

    Args:
        names: of the models.
        sentence: as typed.
        n: how many numbers of a context are shown.
    """
    return unsaved(
        [
            *import_lines("from model import load"),
            f"traces = {{name: {_LOAD}.trace({literal(sentence)})",
            f"          for name in {literal([*names])}}}",
            f'numbers = {{name: trace.records["decoder.context"][:, :{n}]',
            "           for name, trace in traces.items()}",
            "print(numbers)",
        ]
    )


def _recurrent_opening(name: str, sentence: str, *imports: str) -> list[str]:
    """Return the lines that load a recurrent model and trace a sentence.

    Args:
        name: of the model.
        sentence: as typed.
        *imports: further lines that import.
    """
    return [
        *import_lines("from model import load", *imports),
        f"t = load({literal(f'checkpoints/{name}')})",
        f"trace = t.trace({literal(sentence)})",
    ]


def lines_of_forgetting(name: str, sentence: str) -> PythonLines:
    """Return the lines that measure what the last state keeps of each token.

    ``numbers`` has two arrays of shape (S,), "influence" and "similarity".

    Args:
        name: of the model.
        sentence: as typed.
    """
    names = "as_shares, influence_backwards, similarity_to_last"
    return unsaved(
        [
            *_recurrent_opening(name, sentence, f"from model.lessons.from_rnn import {names}"),
            "numbers = {",
            '    "influence": as_shares([*influence_backwards(t, trace)]),',
            '    "similarity": similarity_to_last(trace.states("forwards")).clip(0),',
            "}",
            "print(numbers)",
        ]
    )


def lines_of_units(name: str, sentence: str, *, cell: str, gate: str, n: int) -> PythonLines:
    """Return the lines that get a gate's most changing units; ``numbers`` are (tokens, units).

    Args:
        name: of the model.
        sentence: as typed.
        cell: a cell of the model.
        gate: one of its gates, or "state".
        n: how many units are shown.
    """
    values = (
        f"states({literal(cell)})"
        if gate == "state"
        else f"gates({literal(cell)})[{literal(gate)}]"
    )
    return unsaved(
        [
            *_recurrent_opening(name, sentence),
            f"units = trace.{values}  # (tokens, units)",
            f'shown = (-units.std(axis=0)).argsort(kind="stable")[:{n}]  # those that change most',
            "numbers = units[:, shown]",
            "print(shown, numbers)",
        ]
    )


def lines_of_gates(name: str, sentence: str, *, cell: str, gates: Sequence[str]) -> PythonLines:
    """Return the lines that average gates over their units.

    ``numbers`` maps the name of each gate to one mean per token.

    Args:
        name: of the model.
        sentence: as typed.
        cell: a cell of the model, as ``trace.gates`` names it.
        gates: the names of its gates.
    """
    return unsaved(
        [
            *_recurrent_opening(name, sentence),
            f"gates = trace.gates({literal(cell)})",
            f"numbers = {{name: gates[name].mean(axis=1) for name in {literal([*gates])}}}",
            "print(numbers)",
        ]
    )


def lines_of_lengths(measurement: str) -> PythonLines:
    """Return the lines that read BLEU by length; ``numbers`` are by model: one BLEU per length.

    Args:
        measurement: "by_length" for sentences of different lengths, "joined" for long texts that
            are made of joined sentences.
    """
    return unsaved(
        [
            *import_lines("from model.evaluation.comparison import read_comparison"),
            'comparison = read_comparison("checkpoints")',
            f"buckets = comparison[{literal(measurement)}]",
            'numbers = {name: [bucket["bleu"][name] for bucket in buckets]',
            '           for name in comparison["models"]}',
            'print([bucket["mean_words"] for bucket in buckets], numbers)',
        ]
    )
