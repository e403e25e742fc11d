"""The JavaScript model of the one file, in Node.js: every map equals PyTorch's."""

import base64
import json
import subprocess
from dataclasses import asdict
from itertools import product

import numpy as np
import pytest
import torch

from model import TranslationModel
from model.interventions.ablation import ablation_effect, ablations_of
from model.maps.contributions import from_source
from model.maps.opened_cell import open_cell
from model.maps.view import CELLS, UNITS, ViewOptions, attention_view
from model.one_file.vocabulary import pack_vocabulary
from model.one_file.weights import pack_weights, round_weights
from model.pictures.tokens import display
from model.pictures.web_bundle import bundle_script
from model.transformer.heads import KINDS, Head
from tests.conftest import tiny_model
from tests.node import NODE

SOURCE = "The black cats don't sleep."
CHOICES = [
    dict(zip(("cells", "unit", "rows"), choice, strict=True))
    for choice in product(CELLS, UNITS, ("read", "written"))
]
OFF: list[Head] = [("cross", 1, 0), ("cross", 1, 2), ("encoder_self", 0, 1), ("decoder_self", 1, 1)]
CELL = {"layer": 1, "head": 2, "row": 3, "column": 2}
_RUN = """
const told = JSON.parse(require("fs").readFileSync(0));
const answers = [];
globalThis.postMessage = (answer) => "soFar" in answer || answers.push(answer);
for (const data of [told.model, ...told.asks]) onmessage({ data });
const plain = (_, value) => (value instanceof Float32Array ? [...value] : value);
console.log(JSON.stringify(answers, plain));
"""


@pytest.fixture(scope="module", params=["pre", "post"])
def t(request, t, tokenizer) -> TranslationModel:
    """Return a model with the weights of the file, and with trained norms and biases."""
    model = tiny_model(tokenizer, norm=request.param, seed=1)
    for name, parameter in model.named_parameters():
        if name.endswith("norm.weight"):
            torch.nn.init.uniform_(parameter, 0.5, 1.5)
        if name.endswith("bias"):
            torch.nn.init.normal_(parameter, std=0.3)
    round_weights(model)
    return TranslationModel(t.folder, model, tokenizer, t.training)


@pytest.fixture(scope="module")
def answers(t: TranslationModel) -> list[dict]:
    """Return the results for each kind of map, then with ablated heads, then for an opened cell."""
    contents, weights = pack_weights(t.model)
    model = {
        "contents": contents,
        "config": asdict(t.config),
        "vocabulary": pack_vocabulary(t.tokenizer),
        "weights": base64.b64encode(weights).decode(),
    }
    forced = dict(enumerate(t.trace(SOURCE).tgt_ids[1:]))
    asked = {"n": 1, "text": SOURCE, "chosen": {}, "off": []}
    asks = [
        asked | {"options": CHOICES[0], "off": OFF, "chosen": forced},
        *(asked | {"options": choice} for choice in CHOICES),
    ]
    asks += [{"n": 1, "cell": {"kind": kind, **CELL}} for kind in KINDS]
    script = bundle_script("one_file/model/worker.js")
    message = json.dumps({"model": model, "asks": asks})
    done = subprocess.run(
        [NODE, "-e", script + _RUN], input=message, capture_output=True, text=True
    )
    assert done.stderr == ""
    return json.loads(done.stdout)


def test_maps_of_all_cells_units_and_rows_are_those_of_the_app(t, answers):
    trace = t.trace(SOURCE)
    for choice, answer in zip(CHOICES, answers[1:-3], strict=True):
        assert answer["text"] == trace.target_text
        for of_kind in answer["attentions"]:
            view = attention_view(
                t.model, t.tokenizer, trace, ViewOptions(kind=of_kind["kind"], **choice)
            )
            weights = np.reshape(of_kind["weights"], of_kind["shape"])
            np.testing.assert_allclose(weights[:, :-1], view.heads, atol=1e-5, rtol=1e-5)
            np.testing.assert_allclose(weights[:, -1], view.layers, atol=1e-5, rtol=1e-5)
            named = of_kind["queries"]
            assert named.get(choice["rows"], named["read"]) == list(display(view.query_tokens))
            assert of_kind["keys"] == list(display(view.key_tokens))


def test_shares_of_the_source_are_those_of_the_app(t, answers):
    shares = from_source(t.model, t.trace(SOURCE))
    np.testing.assert_allclose(answers[1]["fromSource"], shares, atol=1e-5)


def test_ablated_heads_give_zeros(t, answers):
    trace = t.trace(SOURCE)
    effect = ablation_effect(t, trace, ablations_of(t.config, OFF, "zero"))
    steps = zip(answers[0]["candidates"], trace.tgt_ids[1:], strict=True)
    p = [next(p for _, p, id in candidates if id == taken) for candidates, taken in steps]
    np.testing.assert_allclose(np.log(p), effect.log_probs, atol=1e-4)
    assert np.abs(effect.log_probs - trace.log_probs).max() > 1e-2


@pytest.mark.parametrize(("kind", "n"), [*zip(KINDS, (-3, -2, -1), strict=True)])
def test_an_opened_cell_has_the_numbers_of_its_head(t, answers, kind, n):
    cell, numbers = open_cell(t.trace(SOURCE), kind, **CELL), answers[n]["opened"]
    for name in ("query", "key", "weights"):
        np.testing.assert_allclose(numbers[name], getattr(cell, name), atol=1e-5, rtol=1e-5)
    scores = np.array(numbers["scores"], dtype=float)  # JSON has null in place of NaN
    expected = np.where(cell.visible, cell.scores, np.nan)
    np.testing.assert_allclose(scores, expected, atol=1e-5, rtol=1e-5)
