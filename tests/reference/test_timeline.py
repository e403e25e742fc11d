"""Every measure of the timeline against its definition, in slow loops over rows."""

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from model import Trace, TranslationModel
from model.heads.statistics import head_statistics
from model.heads.timeline import name_cells, read_snapshots, since, timeline
from model.maps.measures import most_decided
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.transformer.heads import KINDS, Kind
from model.transformer.transformer import Transformer
from tests.conftest import tiny_model

PAIRS = (
    ("Tom sees Paul.", "Tom voit Paul."),
    ("I see a cat.", "Je vois un chat."),
    ("Tom knows Tom and Paul.", "Tom connaît Paul."),
)


@pytest.fixture(scope="module")
def model(pairs) -> TranslationModel:
    """Return an untrained model with a vocabulary in which each name is one token."""
    texts = [text for pair in (*pairs, *9 * PAIRS) for text in pair]
    tokenizer = ByteLevelTokenizer.train(texts, vocab_size=433)
    return TranslationModel(Path(), tiny_model(tokenizer).double(), tokenizer, {})


def changed(model: TranslationModel, seed: int) -> Transformer:
    """Return another model of this size. Its scores are large, so that its maps are sharp."""
    torch.manual_seed(seed)
    other = Transformer(model.config).double().eval()
    with torch.no_grad():
        for name, p in other.named_parameters():
            if ".w_q." in name:
                p.mul_(9)
    return other


@pytest.fixture(scope="module")
def traces(model) -> list[list[Trace]]:
    """Return the traces of all pairs by three snapshots. The last snapshot is the model itself."""
    snapshots = [changed(model, 1), changed(model, 2), model.model]
    by_pair = [read_snapshots(model, snapshots, *pair) for pair in PAIRS]
    return [list(now) for now in zip(*by_pair, strict=True)]


def rows_of(traces: Sequence[Trace], kind: Kind, layer: int, head: int) -> list[np.ndarray]:
    """Return every row with at least two visible keys, cut to these keys."""
    rows = []
    for trace in traces:
        for i, row in enumerate(trace.attention(kind).weights[layer, head]):
            rows.append(row[: i + 1] if kind == "decoder_self" else row)
    return [row for row in rows if len(row) > 1]


@pytest.mark.parametrize("kind", KINDS)
def test_entropy_follows_its_definition(traces, kind):
    now = timeline(traces, kind)
    assert now.entropy.shape == (3, 2, 3)
    for n, layer, head in np.ndindex(now.entropy.shape):
        rows = rows_of(traces[n], kind, layer, head)
        shares = [-sum(w * math.log(w) for w in row if w > 0) / math.log(len(row)) for row in rows]
        assert now.n_rows == len(rows)
        assert now.entropy[n, layer, head] == pytest.approx(np.mean(shares), abs=1e-10)
        statistics = head_statistics(traces[n])[kind][layer][head]
        assert now.positional[n, layer, head] == statistics.offset_share


@pytest.mark.parametrize("kind", KINDS)
def test_agreement_is_the_share_of_rows_with_the_same_largest_weight(traces, kind):
    agreement = timeline(traces, kind).agreement
    for n, layer, head in np.ndindex(agreement.shape):
        now, last = (rows_of(some, kind, layer, head) for some in (traces[n], traces[-1]))
        same = [a.argmax() == b.argmax() for a, b in zip(now, last, strict=True)]
        assert agreement[n, layer, head] == pytest.approx(np.mean(same), abs=1e-12)
    assert (agreement[-1] == 1).all()
    assert agreement[:-1].max() < 1


def test_without_a_row_that_has_a_choice_there_is_no_mean(model):
    """An empty translation: the only row of the decoder sees only BOS."""
    target = (model.tokenizer.bos_id, model.tokenizer.eos_id)
    [empty] = read_snapshots(model, [model.model], "I see a cat.", target)
    now = timeline([[empty]], "decoder_self")
    assert now.n_rows == 0
    assert np.isnan(now.entropy).all()
    assert np.isnan(now.agreement).all()


def test_names_that_occur_once_are_found_and_repeated_ones_are_not(traces):
    """Tom and Paul in the first pair. In the third only Paul, because Tom occurs twice."""
    last = traces[-1]
    places = name_cells(last)
    positions = [
        (pair, last[pair].next_tokens[row].strip(), last[pair].src_tokens[token].strip())
        for pair, row, token in places
    ]
    assert [(pair, name) for pair, name, _ in positions] == [(0, "Tom"), (0, "Paul"), (2, "Paul")]
    assert all(written == read for _, written, read in positions)


def test_the_weight_on_a_name_is_from_the_row_that_writes_the_name(traces):
    measured = timeline(traces, "cross")
    assert measured.n_names == 3
    for n, layer, head in np.ndindex(measured.names.shape):
        weights = []
        for pair, name in ((0, " Tom"), (0, " Paul"), (2, " Paul")):
            trace = traces[n][pair]
            row = trace.next_tokens.index(name)
            weights.append(trace.cross[layer, head, row, trace.src_tokens.index(name)])
        assert measured.names[n, layer, head] == pytest.approx(sum(weights) / 3, abs=1e-10)
    np.testing.assert_array_equal(timeline(traces[-1:], "cross").names, measured.names[-1:])
    # Pairs without a name give no weight, and neither does self-attention.
    nameless = timeline([[now[1]] for now in traces], "cross")
    assert nameless.n_names == 0
    assert np.isnan(nameless.names).all()
    assert np.isnan(timeline(traces, "encoder_self").names).all()


def test_all_snapshots_read_the_same_target(model, traces):
    for now in traces:
        assert [trace.target_text for trace in now] == [target for _, target in PAIRS]
        assert {trace.target_origin for trace in now} == {"given"}
    whole = model.trace(*PAIRS[0][:1], target=PAIRS[0][1])
    np.testing.assert_array_equal(traces[-1][0].cross, whole.cross)
    np.testing.assert_array_equal(traces[-1][0].log_probs, whole.log_probs)
    assert set(traces[-1][0].records) < set(whole.records)


def test_a_measure_stays_high_from_the_step_after_which_it_is_never_low():
    values = [0.9, 0.95, 1.0], [0.1, 0.9, 1.0], [0.9, 0.9, 0.1], [math.nan] * 2
    assert [since(np.array(row), 0.9) for row in values] == [0, 1, None, None]


def test_the_head_with_the_largest_weights_is_the_most_decided_one():
    weights = np.full((2, 3, 4, 5), 0.2)
    weights[1, 2, :, 3] = 0.6
    assert most_decided(weights) == (1, 2)
