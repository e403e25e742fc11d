"""How long a model is said to take."""

from types import SimpleNamespace

import pytest
import torch

from ui.state import speed
from ui.state.speed import seconds_to_read, seconds_to_translate
from ui.text.numbers import decimals, duration, number, percent, share, signed
from ui.text.translator import translator

EN = translator("en")
SMALL = SimpleNamespace(n_parameters=50_000_000)
LARGE = SimpleNamespace(n_parameters=50_000_001, origin=SimpleNamespace(mark="large"))


def test_a_model_with_a_fifth_of_the_parameters_reads_five_times_as_fast() -> None:
    smaller = SimpleNamespace(n_parameters=10_000_000)
    assert seconds_to_read(SMALL, 4000) == pytest.approx(1.0)
    assert seconds_to_read(smaller, 20_000) == pytest.approx(1.0)


def test_a_small_model_writes_4000_tokens_in_a_second() -> None:
    smaller = SimpleNamespace(n_parameters=10_000_000)
    assert seconds_to_translate(smaller, 10).usual == pytest.approx(10 / 4000 + 20 / 20_000)
    # 10 tokens are read, and 10 are written and read again; at most 50 more are written.
    assert seconds_to_translate(SMALL, 10) == pytest.approx((30 / 4000, 130 / 4000))


def test_a_beam_of_four_takes_four_times_as_long_to_write() -> None:
    # 10 tokens with four hypotheses are 40; then all 20 are read.
    assert seconds_to_translate(SMALL, 10, beam=4).usual == pytest.approx(60 / 4000)


def test_only_a_larger_model_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speed, "remember", lambda *_: speed.Speed(reading=0.5, writing=2.0))
    assert seconds_to_read(LARGE, 3) == 1.5
    assert seconds_to_read(SMALL, 4000) == pytest.approx(1.0)
    # Writing a token takes 2 seconds, or as long as reading one token of each hypothesis.
    assert seconds_to_translate(LARGE, 10).usual == 10 * 2 + 20 * 0.5
    assert seconds_to_translate(LARGE, 10, beam=6).usual == 10 * 3 + 20 * 0.5


class Reader:
    """A model that notes which tokens it reads."""

    device = torch.device("cpu")

    def __init__(self) -> None:
        self.read: list[list[int]] = []

    def encode(self, ids: torch.Tensor, _: torch.Tensor) -> None:
        self.read += ids.tolist()

    def decode(self, ids: torch.Tensor, *_: object, **__: object) -> None:
        self.read += ids.tolist()

    def new_cache(self) -> None: ...


@pytest.mark.parametrize(("pad_id", "token"), [(0, 1), (1, 0), (59_513, 0)])
def test_the_speed_is_that_of_16_tokens_that_are_no_padding(pad_id: int, token: int) -> None:
    model = Reader()
    t = SimpleNamespace(
        model=model,
        n_parameters=10**9,
        tokenizer=SimpleNamespace(pad_id=pad_id),
        origin=SimpleNamespace(mark=f"padding {pad_id}"),
    )
    speed.speed_of(t)
    together = [token] * 16  # by the encoder, and by the decoder
    assert model.read == [together, together, [token], [token]]


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.0, "1 s"),
        (1.0, "1 s"),
        (1.01, "2 s"),
        (10.0, "10 s"),
        (10.1, "15 s"),
        (15.0, "15 s"),
        (86.0, "90 s"),
        (90.0, "90 s"),
        (90.1, "2 min"),
        (120.0, "2 min"),
        (121.0, "3 min"),
    ],
)
def test_a_duration_is_rounded_up_to_what_can_be_trusted(seconds: float, words: str) -> None:
    assert duration(seconds, EN) == words


def test_numbers_have_their_decimals_and_a_minus_sign() -> None:
    assert [signed(value) for value in (1.005, -2.0)] == ["+1.00", "−2.00"]
    assert [signed(value, "+.3f") for value in (-0.0004, 0.0, 0.0004)] == ["0.000"] * 3
    assert [decimals(value) for value in (-0.004, -0.0, -3.2)] == ["0.00", "0.00", "−3.20"]
    assert [number(value) for value in (0, 1.0, -1.0, -0.0004)] == ["0", "1.000", "−1.000", "0.000"]
    assert [share(value) for value in (0.0, 0.12345, 1.0)] == ["0", "0.1235", "1.0000"]
    assert [percent(value) for value in (0.126, 1.0)] == ["13", "100"]
