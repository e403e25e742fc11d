"""A trace that was pickled, copied or saved has the same numbers and is read-only."""

import copy
import json
import pickle
from dataclasses import fields

import numpy as np
import pytest
from safetensors import safe_open
from safetensors.numpy import save_file

from model import RecurrentTrace, load, load_trace
from tests.conftest import save_recurrent

pytestmark = pytest.mark.usefixtures("short_texts")


def saved_and_loaded(trace, folder):
    return load_trace(trace.save(folder / "a.safetensors"))


WAYS = {
    "pickled": lambda trace, _: pickle.loads(pickle.dumps(trace)),
    "copied": lambda trace, _: copy.copy(trace),
    "copied deeply": lambda trace, _: copy.deepcopy(trace),
    "saved": saved_and_loaded,
}


def assert_equal(again, trace):
    """Check that every field is equal and that no array can be written to."""
    assert type(again) is type(trace)
    for field in fields(trace):
        if field.name not in ("records", "log_probs"):
            assert getattr(again, field.name) == getattr(trace, field.name)
    assert again.records.keys() == trace.records.keys()
    for name, array in {**trace.records, "log_probs": trace.log_probs}.items():
        same = again.log_probs if name == "log_probs" else again.records[name]
        assert (same.dtype, same.tolist()) == (array.dtype, array.tolist())
        with pytest.raises(ValueError, match="read-only"):
            same[...] = 0
    with pytest.raises(TypeError):
        again.records["logits"] = trace.log_probs


@pytest.mark.parametrize("options", WAYS)
def test_a_trace_is_read_back_unchanged(options, trace, tmp_path):
    again = WAYS[options](trace, tmp_path)
    assert_equal(again, trace)
    assert again.plot("cross").svg == trace.plot("cross").svg


@pytest.mark.parametrize("options", WAYS)
def test_a_trace_of_a_recurrent_model_is_read_back_unchanged(options, tokenizer, tmp_path):
    save_recurrent(tmp_path, tokenizer)
    trace = load(tmp_path / "en-fr-bahdanau").trace("I see a cat.", target="Je vois.")
    again = WAYS[options](trace, tmp_path)
    assert isinstance(again, RecurrentTrace)
    assert_equal(again, trace)


def test_a_file_without_a_trace_is_refused(trace, tmp_path):
    path = trace.save(tmp_path / "a.safetensors")
    with safe_open(path, "np") as file:
        header = json.loads(file.metadata()["trace"])
        arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    weights = "records.encoder.0.self.weights"
    damaged = {
        "another kind": (header | {"kind": "Model"}, arrays),
        "no header": (None, arrays),
        "a token too few": (header | {"tgt_tokens": header["tgt_tokens"][1:]}, arrays),
        "no log-probabilities": (header, {weights: arrays[weights]}),
        "a map of another sentence": (header, arrays | {weights: arrays[weights][:, 1:].copy()}),
        "a map of one number": (header, arrays | {weights: np.zeros(1, np.float32)}),
    }
    for values, tensors in damaged.values():
        save_file(tensors, path, {"trace": json.dumps(values)} if values else None)
        with pytest.raises(ValueError, match=r"is not a saved trace .*: write it with trace\.save"):
            load_trace(path)
    path.write_bytes(b"torn")
    with pytest.raises(ValueError, match="is not a saved trace"):
        load_trace(path)
    with pytest.raises(FileNotFoundError):
        load_trace(tmp_path / "nowhere")


@pytest.mark.parametrize("text", [["I see.", "You see."], ("a",), None, 3])
def test_an_impossible_sentence_gets_a_message_with_a_remedy(text, t):
    with pytest.raises(TypeError, match=r"one sentence, not a .* \[t\.trace\(text\) for text in"):
        t.trace(text)


def test_a_single_text_is_not_accepted_as_a_list_of_sentences(t):
    with pytest.raises(TypeError, match=r"a list of sentences: t\.translate\(\[text\]\)"):
        t.translate("I see.")
