"""Every architecture trains, translates and is scored by the same commands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from model import CheckpointError, RecurrentTranslationModel, evaluate, load, translate
from model.data.batches import Batch
from model.recurrent.config import RECURRENT_ARCHS
from model.trace.recurrent import recurrent_names
from model.train import main
from model.training.trainer import Training
from model.translation_model import load_transformer
from tests.conftest import PAIRS

SIZES = "--vocab-size 300 --d-model 16 --d-hidden 22 --token-budget 300 --steps 12 --warmup 3"
HOW = "--eval-every 6 --save-every 5 --threads 1 --device cpu --precision float32"


def options(folder: Path, *more: str) -> list[str]:
    return ["--corpus", str(PAIRS), "--out", str(folder), *f"{SIZES} {HOW}".split(), *more]


@pytest.fixture(scope="module", params=RECURRENT_ARCHS)
def checkpoint(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkpoints") / f"tiny-{request.param}"
    assert main(options(folder, "--arch", request.param)) == 0
    return folder


def test_a_trained_folder_has_everything(checkpoint: Path) -> None:
    arch = checkpoint.name.removeprefix("tiny-")
    config = json.loads((checkpoint / "config.json").read_text())
    assert config["architecture"]["arch"] == arch
    command = config["training"]["command"]
    assert f"--arch {arch} " in command
    assert "--d-model 16 " in command
    assert "--d-hidden 22 " in command
    assert "--n-heads" not in command  # a Transformer's
    assert config["training"]["steps"] == 12
    card = (checkpoint / "README.md").read_text()
    assert "A recurrent encoder-decoder" in card
    assert "GRU cells, d_hidden 22, d_model 16" in card


def test_loaded_and_traced(checkpoint: Path) -> None:
    t = load(checkpoint)
    assert isinstance(t, RecurrentTranslationModel)
    trace = t.trace("The cat sleeps.", target="Le chat dort.")
    assert set(trace.records) == set(recurrent_names(t.config))
    n_src, n_tgt = len(trace.src), len(trace.next_tokens)
    if t.config.arch == "seq2seq":
        assert trace.alignment is None
        assert trace.parts == ("forwards", "decoder")
    else:
        assert trace.alignment is not None
        assert trace.alignment.shape == (n_tgt, n_src)
        np.testing.assert_allclose(trace.alignment.sum(axis=1), 1, atol=1e-6)
    assert trace.states("forwards").shape == (n_src, 22)
    assert trace.states("decoder").shape == (n_tgt, 22)
    gates = trace.gates("decoder")
    assert set(gates) == {"reset", "update", "candidate"}
    assert all(gate.shape == (n_tgt, 22) for gate in gates.values())
    assert not trace.log_probs.flags.writeable


@pytest.mark.parametrize("beam", ["1", "3"])
def test_translated_by_the_command(
    checkpoint: Path, beam: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--checkpoint", str(checkpoint), "--beam", beam, "--json", "The cat sleeps."]
    assert translate.main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["source_tokens"][0] == "<bos>"
    assert len(found["log_probs"]) == len(found["target_tokens"])
    assert "decoder.s" in found["shapes"]


def test_scored_by_the_command(checkpoint: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--checkpoint", str(checkpoint), "--pairs", str(PAIRS), "--json"]
    assert evaluate.main(words) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["checkpoint"] == checkpoint.name
    assert found["sentences"] > 50


def test_killed_and_resumed(
    checkpoint: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train_step = Training.train_step

    def dying(training: Training, batch: Batch) -> float:
        if training.progress.step == 7:
            raise RuntimeError("killed")
        return train_step(training, batch)

    arguments = options(tmp_path, "--arch", checkpoint.name.removeprefix("tiny-"))
    with monkeypatch.context() as patch:
        patch.setattr(Training, "train_step", dying)
        with pytest.raises(RuntimeError, match="killed"):
            main(arguments)
    assert main([*arguments, "--resume"]) == 0
    whole = (checkpoint / "model.safetensors").read_bytes()
    assert (tmp_path / "model.safetensors").read_bytes() == whole


def test_it_is_no_transformer(checkpoint: Path) -> None:
    with pytest.raises(CheckpointError, match=r"recurrent model without heads. Pick a Transformer"):
        load_transformer(checkpoint)


def test_options_of_another_architecture_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(options(tmp_path / "a", "--arch", "luong", "--n-heads", "4")) == 1
    assert "--n-heads does not apply to --arch luong" in capsys.readouterr().err
    assert main(options(tmp_path / "b")) == 1
    assert "--d-hidden does not apply to --arch transformer" in capsys.readouterr().err
    assert main(options(tmp_path / "c", "--arch", "luong", "--cell", "elman")) == 1
    assert "cell must be one of ('rnn', 'lstm', 'gru')" in capsys.readouterr().err


def test_an_unknown_architecture_in_a_folder(checkpoint: Path, tmp_path: Path) -> None:
    for path in checkpoint.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    config = json.loads((tmp_path / "config.json").read_text())
    config["architecture"]["arch"] = "mamba"
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(CheckpointError, match="unknown architecture 'mamba'"):
        load(tmp_path)
