"""Options that model.train refuses because they would need too much."""

from types import SimpleNamespace

import pytest

from model.checkpoint.weights_file import check_size, read_tokenizer_hash, save_weights
from model.files.checkpoint_error import CheckpointError
from model.recurrent.config import RecurrentConfig
from model.training.options import check_options, model_config, training_parser
from model.transformer.config import ModelConfig
from tests.conftest import tiny_model


def options(*words: str):
    return training_parser(None).parse_args(["--corpus", "a", "--out", "b", "--steps", "9", *words])


@pytest.mark.parametrize(
    ("option", "last", "beyond"),
    [
        ("--vocab-size", 260, 259),
        ("--vocab-size", 10**6, 10**6 + 1),
        ("--threads", 1, 0),
        ("--threads", 1024, 1025),
        ("--snapshots", 10, 11),
        ("--snapshots", 2, 1),
    ],
)
def test_an_option_accepts_its_last_number_and_refuses_the_next(option, last, beyond):
    check_options(options(option, str(last)))
    with pytest.raises(ValueError, match=option.strip("-")):
        check_options(options(option, str(beyond)))


def test_more_weights_than_a_machine_or_a_file_can_hold_are_refused(
    tokenizer, tmp_path, monkeypatch
):
    """A file of weights is refused if it holds less than a quarter of what its model needs."""
    asked = ModelConfig(vocab_size=8000).n_matrix_weights
    monkeypatch.setattr("model.training.options._MAX_WEIGHTS", asked)
    check_options(options())
    monkeypatch.setattr("model.training.options._MAX_WEIGHTS", asked - 1)
    with pytest.raises(ValueError, match=f"{asked:,}"):
        check_options(options())
    model = tiny_model(tokenizer)
    save_weights(tmp_path / "w", model, tokenizer="hash")
    n = sum(p.numel() for p in model.parameters())
    assert read_tokenizer_hash(tmp_path / "w") == "hash"
    check_size(tmp_path / "w", SimpleNamespace(n_matrix_weights=4 * n))
    with pytest.raises(CheckpointError, match=rf"{4 * n + 1:,} numbers.* has {n:,}\."):
        check_size(tmp_path / "w", SimpleNamespace(n_matrix_weights=4 * n + 1))


def test_an_option_of_another_architecture_is_refused_unless_it_repeats_the_default():
    own = options("--arch", "luong", "--d-hidden", "30", "--n-heads", "8")
    expected = RecurrentConfig(arch="luong", vocab_size=300, d_hidden=30)
    assert model_config(own, 300) == expected
    with pytest.raises(ValueError, match="--n-heads"):
        model_config(options("--arch", "luong", "--n-heads", "4"), 300)
