"""The translations whose time the benchmark of inference compares."""

from types import SimpleNamespace
from unittest.mock import Mock

import torch

from benchmarks import inference
from benchmarks.inference import SENTENCES, without_cache
from model import load


@torch.inference_mode()
def test_without_a_cache_the_same_tokens_are_written(shipped_checkpoint) -> None:
    t = load(shipped_checkpoint)
    sentence = SENTENCES[0]
    written = t.translate([sentence])[0].ids
    assert without_cache(t, t.tokenizer.encode_ids([sentence])[0], len(written)) == list(written)


def test_each_sentence_is_longer_than_the_one_before() -> None:
    n_words = [len(sentence.split()) for sentence in SENTENCES]
    assert n_words == sorted(set(n_words))


def test_marian_writes_as_many_tokens_and_the_medians_are_compared(monkeypatch, capsys) -> None:
    t = Mock(
        tokenizer=SimpleNamespace(
            special_ids={"pad_id": 0, "eos_id": 3}, encode_ids=lambda _: [[2, 8, 9, 3]]
        ),
        translate=Mock(return_value=[SimpleNamespace(ids=[5, 6, 7, 8, 3])]),
    )
    names: list[str] = []

    def in_turns(programs, runs):
        assert runs == 15
        programs["Marian with attentions"]()
        seconds = dict.fromkeys(programs, [1.0] * 3)
        return seconds | {
            "ours, translation and trace": [0.2, 0.1, 9.0],
            "Marian with attentions": [0.5, 0.1, 0.6],
        }

    peer = Mock()
    monkeypatch.setattr(inference, "load_transformer", lambda _: t)
    monkeypatch.setattr(inference, "marian", Mock(return_value=Mock(eval=lambda: peer)))
    monkeypatch.setattr(inference, "in_turns", in_turns)
    monkeypatch.setattr(inference, "report", lambda name, _: names.append(name))
    monkeypatch.setattr(inference, "SENTENCES", ("I see.",))
    monkeypatch.setattr(torch, "set_num_threads", threads := Mock())
    inference.main()
    threads.assert_called_once_with(1)  # as in the app
    assert names == ["inference, 4 tokens to 5"]
    assert capsys.readouterr().out == "Marian takes 2.50 times as long\n\n"
    [ids], asked = peer.generate.call_args
    assert ids.tolist() == [[2, 8, 9, 3]]
    assert asked.pop("attention_mask").tolist() == [[1, 1, 1, 1]]
    lengths = {"min_new_tokens": 5, "max_new_tokens": 5}
    greedy = {"do_sample": False, "num_beams": 1}
    maps = {"output_attentions": True, "return_dict_in_generate": True}
    assert asked == lengths | greedy | maps
