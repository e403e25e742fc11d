"""The snapshots of a model and what they make of a sentence, computed once for all visitors.

Each function raises CheckpointError where a snapshot is damaged, removed or another model's, and
InputError where a text is empty or too long.
"""

from collections.abc import Mapping, Sequence

from model import CheckpointError, TranslationModel
from model.checkpoint.fingerprint import Version, version
from model.checkpoint.snapshots import SNAPSHOTS, list_snapshots, load_snapshot
from model.heads.timeline import SENTENCES, Timeline, read_snapshots, timeline, weights_only
from model.trace.tracing import trace_pair
from model.trace.transformer import Trace
from model.transformer.heads import KINDS, Kind
from model.transformer.transformer import Transformer
from ui.state.memory import remember
from ui.state.models import folder_of, transformers


def models_with_snapshots() -> list[str]:
    """Names of the Transformers that have some; a single one shows no learning."""
    return [name for name in transformers().values() if len(list_snapshots(folder_of(name))) > 1]


def open_snapshots(t: TranslationModel) -> Mapping[int, Transformer]:
    """Step to model, in order."""

    def load() -> dict[int, Transformer]:
        return {step: load_snapshot(t.folder, t.config, step) for step in list_snapshots(t.folder)}

    return remember("snapshots", _version(t), load)


def read_target(t: TranslationModel, final: Trace) -> Mapping[int, Trace]:
    """Step to trace of the snapshot that reads what the trained model wrote; empty if nothing."""

    def read() -> dict[int, Trace]:
        snapshots = open_snapshots(t)
        traces = read_snapshots(t, list(snapshots.values()), final.source_text, final.tgt_ids)
        return dict(zip(snapshots, traces, strict=True))

    key = _version(t), final.source_text, final.tgt_ids
    return remember("timelines", key, read) if final.target_text.strip() else {}


def write_own(t: TranslationModel, step: int, text: str) -> Trace:
    """The trace of one snapshot that translates the sentence itself."""

    def trace() -> Trace:
        return weights_only(trace_pair(Trace, open_snapshots(t)[step], t.tokenizer, text))

    return remember("timelines", (_version(t), step, text), trace)


def measure(t: TranslationModel) -> Mapping[Kind, Timeline]:
    """The timeline of all three attentions over the fixed sentences, as the model translates them.

    Empty for a model that writes nothing.
    """

    def measured() -> dict[Kind, Timeline]:
        snapshots = list(open_snapshots(t).values())
        pairs = []
        for sentence, hypothesis in zip(SENTENCES, t.translate(SENTENCES), strict=True):
            if t.decode(hypothesis).strip():  # a model that has learned nothing writes nothing
                ids = [t.tokenizer.bos_id, *hypothesis.ids]
                pairs.append(read_snapshots(t, snapshots, sentence, ids))
        return timelines(pairs)

    return remember("measures", _version(t), measured)


def timelines(pairs: Sequence[Sequence[Trace]]) -> dict[Kind, Timeline]:
    """The timeline of all three attentions over some pairs, each as all snapshots read it."""
    traces = [list(of_step) for of_step in zip(*pairs, strict=True)]
    return {kind: timeline(traces, kind) for kind in KINDS} if traces else {}


def _version(t: TranslationModel) -> Version:
    """Another one once a snapshot has changed."""
    snapshots = t.folder / SNAPSHOTS
    try:
        snapshots.stat()
    except OSError as error:
        raise CheckpointError(
            f"The folder {snapshots} has been removed. Restore it, or reload the page."
        ) from error
    return version(snapshots)
