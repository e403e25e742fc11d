"""The measurements of heads over a corpus, against slow loops over their definitions."""

import shutil
from collections import Counter, defaultdict
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from msgspec.structs import astuple, replace

from benchmarks.reconcile_alignments import agreement, reconciled
from model.alignment.error_rate import (
    METHODS,
    alignment_error_rate,
    error_rates,
    strongest_links,
    word_maps,
)
from model.alignment.gold import AlignedPair, read_alignments
from model.analyse import evenly_spaced_sentences, main
from model.corpora.batches import make_batch
from model.heads.analysis import (
    by_kind,
    gradient_importance,
    mean_log_prob,
    random_order,
    removal_order,
)
from model.heads.analysis_card import add_to_card
from model.heads.analysis_file import read_analysis
from model.heads.statistics import ROW_MEASURES, head_statistics
from model.interventions.ablation import ablations_of
from model.maps.measures import is_special_or_punctuation
from model.nn.hooks import HeadAblation, Hooks
from model.trace.transformer import AttentionMaps
from model.transformer.heads import KINDS, all_heads, attention_name
from model.transformer.masks import padding_mask

pytestmark = pytest.mark.usefixtures("short_texts")

PAIRS = {
    "I see a cat.": ["Je vois un chat."],
    "The black cat does not sleep.": ["Le chat noir ne dort pas."],
    "Good evening!": ["Bonsoir !"],
}


@pytest.fixture(scope="module")
def traces(t):
    return [t.trace(source, target=targets[0]) for source, targets in PAIRS.items()]


@pytest.fixture(scope="module")
def id_pairs(t):
    ids = t.tokenizer.encode_ids
    return [(ids([s])[0], ids([r[0]])[0]) for s, r in PAIRS.items()]


@pytest.mark.parametrize("kind", KINDS)
def test_statistics_follow_their_definitions(traces, kind):
    statistics = head_statistics(traces)[kind]
    for layer, head in ((0, 0), (1, 2)):
        measures: dict[str, list[float]] = defaultdict(list)
        offsets, possible = Counter(), Counter()
        for trace in traces:
            maps = trace.attention(kind)
            for i, row in enumerate(maps.weights[layer, head].astype(float)):
                visible = row[: i + 1] if kind == "decoder_self" else row
                if len(visible) == 1:
                    continue
                keys = list(zip(row, maps.key_tokens, strict=True))
                measures["entropy"].append(-sum(w * np.log(w) for w in row if w > 0))
                if maps.query_tokens[i] != "<eos>":
                    measures["confidence"].append(max(w for w, key in keys if key != "<eos>"))
                little = [w for w, key in keys if is_special_or_punctuation(key)]
                measures["sink_mass"].append(sum(little))
                measures["distance"].append(sum(w * abs(j - i) for j, w in enumerate(row)))
                offsets[int(row.argmax()) - i] += 1
                possible.update(j - i for j in range(len(visible)))
        measured = statistics[layer][head]
        assert set(measures) == set(ROW_MEASURES)
        for name, values in measures.items():
            assert getattr(measured, name) == pytest.approx(np.mean(values), abs=1e-10)
        assert measured.offset_share == max(offsets.values()) / possible[measured.offset]
        assert offsets[measured.offset] == max(offsets.values())
        assert measured.positional == (measured.offset_share >= 0.9)


def _statistics(kind, weights, tokens):
    maps = AttentionMaps(np.array([[weights]]), tokens[: len(weights)], tokens)
    [[head]] = head_statistics([SimpleNamespace(attention=lambda _: maps)], [kind])[kind]
    return head


def test_statistics_of_small_maps_are_those_counted_by_hand():
    # the first token has no token before it, so it attends to itself
    back = np.eye(5)[[0, 0, 1, 2, 3]]
    head = _statistics("encoder_self", back, ("<bos>", " a", " b", " c", "<eos>"))
    assert (head.offset, head.offset_share, head.positional) == (-1, 1, True)
    assert (head.confidence, head.entropy) == (1, 0)
    head = _statistics("decoder_self", [[1.0]], ("<bos>",))  # the translation is empty
    assert not any(astuple(head))
    assert _statistics("cross", [[0.2, 0.5, 0.3]], ("<bos>", " a", "<eos>")).offset_share > 0


def _loss(t, pair, ablations):
    batch = make_batch([pair], t.tokenizer.pad_id)
    with torch.inference_mode():
        mask = padding_mask(batch.src, t.tokenizer.pad_id)
        logits = t.model(batch.src, batch.tgt, mask, hooks=Hooks(ablations=ablations))
    log_probs = logits[0].log_softmax(-1)
    return -sum(row[label].item() for row, label in zip(log_probs, batch.labels[0], strict=True))


def test_importance_is_the_derivative_of_the_loss(t, id_pairs):
    importance = gradient_importance(t, id_pairs)
    step = 1e-5
    for kind, layer, head in (("encoder_self", 0, 1), ("decoder_self", 1, 0), ("cross", 1, 2)):
        slopes = []
        for pair in id_pairs:
            losses = []
            for gate in (1 + step, 1 - step):
                gates = torch.ones(t.config.n_heads, dtype=torch.float64)
                gates[head] = gate
                losses.append(_loss(t, pair, {attention_name(kind, layer): HeadAblation(gates)}))
            slopes.append(abs(losses[0] - losses[1]) / (2 * step))
        assert importance[kind, layer, head] == pytest.approx(np.mean(slopes), rel=1e-6)


def test_mean_log_prob_counts_every_token_once(t, id_pairs):
    ablations = ablations_of(t.config, [("cross", 0, 1), ("encoder_self", 1, 0)], "zero")
    n_tokens = sum(len(target) - 1 for _, target in id_pairs)
    expected = -sum(_loss(t, pair, ablations) for pair in id_pairs) / n_tokens
    assert mean_log_prob(t, id_pairs, ablations, batch_size=2) == pytest.approx(expected, abs=1e-10)


def test_removal_orders_contain_every_head_once(t):
    heads = all_heads(t.config)
    assert len(heads) == 3 * 2 * 3
    values = {head: float(n % 5) for n, head in enumerate(heads)}
    order = removal_order(values)
    assert [values[head] for head in order] == sorted(values.values())
    assert sorted(random_order(t.config)) == sorted(heads) != random_order(t.config)
    assert by_kind(t.config, values)["cross"][1][2] == values["cross", 1, 2]


def _pair(sure, possible=()):
    return AlignedPair("a b c", "x y z", frozenset(sure), frozenset(sure) | frozenset(possible))


def test_the_alignment_error_rate_is_that_computed_by_hand():
    """The aligner makes 4 links; 3 links are sure. Of its 4 links 2 are sure and 3 are possible.

    So the rate is 1 - (2 + 3) / (4 + 3) = 2/7 (Och and Ney 2003).
    """
    pair = _pair({(0, 0), (1, 1), (2, 2)}, {(0, 1)})
    links = frozenset({(0, 0), (1, 1), (0, 1), (1, 2)})
    assert alignment_error_rate([(links, pair)]) == pytest.approx(2 / 7)
    assert alignment_error_rate([(pair.sure, pair)]) == 0
    nothing = frozenset({(2, 0)})
    assert alignment_error_rate([(nothing, pair)]) == 1
    # the numbers of all pairs are added first: (2 + 3) / (4 + 3 + 1 + 3)
    together = [(links, pair), (nothing, pair)]
    assert alignment_error_rate(together) == pytest.approx(1 - 5 / 11)


def test_links_of_two_annotators_are_compared_and_combined():
    first, second = _pair({(0, 0), (1, 1)}), _pair({(0, 0)}, {(2, 2)})
    assert agreement([first], [second]) == pytest.approx(2 * 1 / (2 + 2))
    nothing = _pair({})
    assert agreement([first], [first]) == agreement([nothing], [nothing]) == 1
    both = reconciled(first, second)
    assert both.sure == {(0, 0)}
    assert both.possible == {(0, 0), (1, 1), (2, 2)}
    with pytest.raises(ValueError, match="not the same pairs"):
        agreement([first], [AlignedPair("other", "x", frozenset(), frozenset())])


def test_each_target_word_is_linked_to_its_largest_weight():
    weights = np.array([[0.1, 0.9], [0.6, 0.4], [0.2, 0.8]])
    assert strongest_links(weights) == {(1, 0), (0, 1), (1, 2)}


def test_error_rates_are_computed_for_all_heads_and_layers(t):
    links = frozenset((i, i) for i in range(5))
    pair = AlignedPair("I see a cat.", "Je vois un chat.", links, links)
    rates = error_rates(t, [pair, pair])
    assert set(rates) == set(METHODS)
    heads, layers = map(np.array, astuple(rates["weights AWI"]))
    assert heads.shape == (2, 3)
    assert layers.shape == (2,)
    trace = t.trace(pair.source, target=pair.target)
    links = strongest_links(word_maps(t, trace, trace.cross[1], "read", pair)[2])
    assert heads[1, 2] == pytest.approx(alignment_error_rate([(links, pair)]))
    links = strongest_links(word_maps(t, trace, trace.cross[0].mean(axis=0), "read", pair))
    assert layers[0] == pytest.approx(alignment_error_rate([(links, pair)]))


def test_alignments_are_read_and_a_wrong_line_is_named(tmp_path):
    file = tmp_path / "a.tsv"
    file.write_text("# guideline\nI see.\tJe vois.\t0-0 1-1\t1-0\n\nHi.\tSalut.\t0-0\t\n", "utf-8")
    first, second = read_alignments(file)
    assert first.sure == {(0, 0), (1, 1)}
    assert first.possible == first.sure | {(1, 0)}
    assert second.possible == {(0, 0)}
    for line in ("a\tb\t0-0", "a\tb\t0:0\t", "a\tb\tx-1\t"):
        file.write_text(f"a\tb\t0-0\t\n{line}\n", "utf-8")
        with pytest.raises(ValueError, match=r"line 2 of .* should be source TAB target"):
            read_alignments(file)


def test_the_command_writes_every_part_of_an_analysis(tiny_checkpoint, tmp_path, capsys):
    folder = Path(shutil.copytree(tiny_checkpoint, tmp_path / "tiny"))
    pairs = tmp_path / "pairs.tsv"
    pairs.write_text("".join(f"{s}\t{r[0]}\n" for s, r in PAIRS.items()), "utf-8")
    links = tmp_path / "links.tsv"
    links.write_text("I see.\tJe vois.\t0-0 1-1 2-2\t\n", "utf-8")
    arguments = ["--checkpoint", str(folder), "--pairs", str(pairs), "--alignments", str(links)]
    assert main(["heads", *arguments, "--sentences", "2"]) == 0
    analysis = read_analysis(folder)
    assert analysis.sentences == 2
    assert str(tmp_path) not in (folder / "analysis.json").read_text("utf-8")
    assert np.shape(analysis.importance.lost_bleu["cross"]) == (2, 3)
    assert [p.removed for p in analysis.pruning.random][::16] == [0, 18]
    starts = {curve[0].bleu for curve in astuple(analysis.pruning)}
    ends = {curve[-1].bleu for curve in astuple(analysis.pruning)}
    # all removal orders start with all heads and end with none
    assert len(starts) == len(ends) == 1
    assert np.shape(analysis.alignment.rates["norms AWI"].heads) == (2, 3)
    assert "analysis.json" in capsys.readouterr().out
    card = (folder / "README.md").read_text("utf-8") + "\n## Own words\n\nKept.\n"
    (folder / "README.md").write_text(card, "utf-8")
    add_to_card(folder, replace(analysis, sentences=1234))
    again = (folder / "README.md").read_text("utf-8")
    assert again.count("## Heads") == card.count("## Heads") == 1
    assert again.startswith(card[: card.index("## Heads")])
    assert again.endswith("\n\n## Own words\n\nKept.\n")
    assert "1,234" in again


def test_a_sample_is_taken_from_the_whole_corpus():
    references = {str(n): ["x"] for n in range(100)}
    assert list(evenly_spaced_sentences(references, 3)) == ["0", "50", "99"]
    assert len(evenly_spaced_sentences(references, 500)) == 100
