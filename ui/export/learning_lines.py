"""Lines of Python that read the snapshots and the history of a training."""

from collections.abc import Sequence

from model import Trace, TranslationModel
from model.transformer.heads import Kind
from ui.export.python_lines import (
    COUNTING,
    PythonLines,
    import_lines,
    literal,
    opening,
    trace_call,
    unsaved,
)


def lines_of_snapshot(
    t: TranslationModel,
    final: Trace,
    step: int,
    *,
    own: bool,
    kind: Kind,
    head: tuple[int, int] | None = None,
) -> PythonLines:
    """Return the lines that read a sentence with one snapshot; ``numbers`` are its weights.

    Args:
        t: the trained model.
        final: its trace of the sentence.
        step: the training step at which the snapshot was saved.
        own: whether the snapshot reads its own translation, and not that of the trained model.
        kind: which attention.
        head: layer and head, from 0; None for all heads.
    """
    text = literal(final.source_text)
    target = (
        "None  # the snapshot translates by itself" if own else f"{trace_call(t, final)}.tgt_ids"
    )
    index = "" if head is None else f"[{head[0]}, {head[1]}]"
    return unsaved(
        [
            *opening(
                t,
                None,
                "from model.checkpoint.snapshots import load_snapshot",
                "from model.heads.timeline import read_snapshots",
            ),
            f"snapshot = load_snapshot(t.folder, t.config, {step})",
            f"target = {target}",
            f"[trace] = read_snapshots(t, [snapshot], {text}, target)",
            COUNTING,
            f'numbers = trace.attention({literal(kind)}, rows="written").weights{index}',
            "print(trace.target_text, numbers)",
        ]
    )


def lines_of_measures(
    t: TranslationModel, sentences: Sequence[str] | None, *, kind: Kind, measure: str
) -> PythonLines:
    """Return the lines of Python that measure all heads at all snapshots: (N, layers, heads).

    Args:
        t: the trained model.
        sentences: that all snapshots read; None for the fixed ones of the library.
        kind: which attention.
        measure: a field of ``Timeline``.
    """
    names = (
        "SENTENCES, read_snapshots, timeline" if sentences is None else "read_snapshots, timeline"
    )
    return unsaved(
        [
            *opening(
                t,
                None,
                "from model.checkpoint.snapshots import list_snapshots, load_snapshot",
                f"from model.heads.timeline import {names}",
            ),
            "steps = list_snapshots(t.folder)",
            "snapshots = [load_snapshot(t.folder, t.config, step) for step in steps]",
            f"sentences = {'SENTENCES' if sentences is None else literal([*sentences])}",
            "traces = [read_snapshots(t, snapshots, text, t.trace(text).tgt_ids)",
            "          for text in sentences]",
            f"numbers = timeline([*zip(*traces)], {literal(kind)}).{measure}",
            "print(steps, numbers)",
        ]
    )


def lines_of_curve(names: Sequence[str], *, x: str, factor: float, y: str) -> PythonLines:
    """Return the lines that read a curve of some trainings; ``numbers`` are (x, y) by name.

    Args:
        names: of the trainings.
        x: field of the history for the horizontal axis.
        factor: by which each number of this field is multiplied.
        y: field of the history for the vertical axis.
    """
    point = f'(line["{x}"]{"" if factor == 1 else f" * {factor!r}"}, line["{y}"])'
    return unsaved(
        [
            *import_lines("from pathlib import Path", "from model.training.runs import read_run"),
            f'runs = [read_run(Path("checkpoints") / name) for name in {literal([*names])}]',
            f"numbers = {{run.name: [{point} for line in run.history",
            f'                      if "{x}" in line and "{y}" in line] for run in runs}}',
            "print(numbers)",
        ]
    )
