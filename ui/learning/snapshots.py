"""The snapshots of a model and their traces of a sentence, cached for all visitors.

Each function raises CheckpointError if a snapshot is damaged, removed or of a different model, and
InputError if a text is empty or too long.
"""

from collections.abc import Mapping, Sequence

from model import CheckpointError, TranslationModel
from model.checkpoint.fingerprint import Version, version
from model.checkpoint.snapshots import SNAPSHOTS, list_snapshots, load_snapshot
from model.heads.timeline import SENTENCES, Timeline, read_snapshots, timeline
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, Kind
from model.transformer.transformer import Transformer
from model.translation_model import require_paper
from ui.state.memory import remember
from ui.state.models import folder_of, transformers


def models_with_snapshots() -> list[str]:
    """Return the names of the Transformers with at least two snapshots."""
    return [name for name in transformers().values() if len(list_snapshots(folder_of(name))) > 1]


def open_snapshots(model: TranslationModel) -> Mapping[int, Transformer]:
    """Return the snapshots of a model by step, in ascending order.

    They are read again only when the folder of snapshots has changed.
    """

    def load() -> dict[int, Transformer]:
        steps = list_snapshots(model.folder)
        if not steps:  # models of the Hub never have snapshots
            return {}
        config = require_paper(model).config
        return {step: load_snapshot(model.folder, config, step) for step in steps}

    return remember("snapshots", _version(model), load)


def read_target(model: TranslationModel, final: Trace) -> Mapping[int, Trace]:
    """Trace the trained model's translation with each snapshot, by step.

    Args:
        model: the trained model.
        final: its trace of the sentence.

    Returns:
        Step to trace; empty if the trained model wrote nothing.
    """

    def read() -> dict[int, Trace]:
        snapshots = open_snapshots(model)
        traces = read_snapshots(model, list(snapshots.values()), final.source_text, final.tgt_ids)
        return dict(zip(snapshots, traces, strict=True))

    if not final.target_text.strip():
        return {}
    return remember("timelines", (_version(model), final.source_text, final.tgt_ids), read)


def write_own(model: TranslationModel, step: int, text: str) -> Trace:
    """Translate the sentence with the snapshot of one step.

    Args:
        model: the trained model.
        step: a step that has a snapshot.
        text: the sentence.
    """

    def trace() -> Trace:
        [own] = read_snapshots(model, [open_snapshots(model)[step]], text, None)
        return own

    return remember("timelines", (_version(model), step, text), trace)


def measure(model: TranslationModel) -> Mapping[Kind, Timeline]:
    """Return the timelines of all three attentions over the fixed sentences.

    All snapshots read the translations of the trained model. There is no timeline for a model that
    writes nothing.
    """

    def measured() -> dict[Kind, Timeline]:
        snapshots = list(open_snapshots(model).values())
        traces_of_pairs = []
        for sentence, hypothesis in zip(SENTENCES, model.translate(SENTENCES), strict=True):
            if model.decode(hypothesis).strip():  # an untrained model can write nothing
                target = [model.tokenizer.bos_id, *hypothesis.ids]
                traces_of_pairs.append(read_snapshots(model, snapshots, sentence, target))
        return timelines(traces_of_pairs)

    return remember("measures", _version(model), measured)


def timelines(traces_of_pairs: Sequence[Sequence[Trace]]) -> dict[Kind, Timeline]:
    """Return the timelines of all three attentions over some sentence pairs.

    Args:
        traces_of_pairs: for each pair, one trace for each snapshot.

    Returns:
        Attention to timeline; empty if there is no trace.
    """
    traces_of_snapshots = [list(traces) for traces in zip(*traces_of_pairs, strict=True)]
    if not traces_of_snapshots:
        return {}
    return {kind: timeline(traces_of_snapshots, kind) for kind in KINDS}


def _version(model: TranslationModel) -> Version:
    """Return a cache key that changes when a snapshot changes."""
    snapshots = model.folder / SNAPSHOTS
    try:
        snapshots.stat()
    except OSError as error:
        raise CheckpointError(
            f"The folder {snapshots} has been removed. Restore it, or reload the page."
        ) from error
    return version(snapshots)
