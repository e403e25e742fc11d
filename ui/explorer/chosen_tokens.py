"""Let the visitor replace tokens of a translation. The model continues after the last of them."""

from collections.abc import Mapping

import torch

from model import TranslationModel
from model.decoding.greedy import continue_from
from ui.state.codecs import Clicked, ClickedValue
from ui.state.memory import remember
from ui.state.models import PageRun, trace_of
from ui.state.speed import note_of_translating
from ui.state.visitor import visitor

Chosen = Mapping[int, int]  # position in the target, from 0 -> id of the token there
_KEY = "writing.chosen"  # session key; value: (position, id, position, id, ...)
_MAX_CHOSEN = 8  # a link can hold more, but no visitor could keep track of them


def chosen_tokens(run: PageRun) -> Chosen:
    """Return the tokens that the visitor has chosen for this sentence and this model."""
    config = run.config

    def is_possible(clicked: ClickedValue) -> bool:
        """Return whether positions ascend, and the model can write these ids at them."""
        if not clicked:
            return True
        if config is None:
            return False
        numbers = [int(number) for number in clicked]
        positions = numbers[::2]
        ids = numbers[1::2]
        is_in_order = positions == sorted(set(positions))
        return is_in_order and max(positions) < config.max_length and max(ids) < config.vocab_size

    codec = Clicked((), lengths=range(2, 2 * _MAX_CHOSEN + 1, 2), is_possible=is_possible)
    subject = (run.address.checkpoint, run.address.sentence)
    clicked = [int(number) for number in visitor().get(_KEY, codec, subject=subject)]
    return dict(zip(clicked[::2], clicked[1::2], strict=True))


def choose_token(chosen: Chosen, position: int, id: int) -> None:
    """Choose a token at a position. Choices after this position are dropped.

    Called in the callback of a click.

    Args:
        chosen: the tokens chosen before.
        position: of the token in the target, from 0.
        id: the token in its place.
    """
    before = [pair for pair in chosen.items() if pair[0] < position][: _MAX_CHOSEN - 1]
    numbers = [number for pair in [*before, (position, id)] for number in pair]
    visitor().set({_KEY: tuple(numbers)})


def forget_chosen() -> None:
    """Drop all chosen tokens. Called on a click."""
    visitor().set({_KEY: ()})


def continued(t: TranslationModel, sentence: str, chosen: Chosen) -> tuple[int, ...]:
    """Return the ids of the translation with the chosen tokens, BOS first.

    Args:
        t: the model.
        sentence: to be translated.
        chosen: tokens that it has to take.

    Raises:
        InputError: as ``trace_of``.
    """
    src = trace_of(t, sentence).src

    def write() -> tuple[int, ...]:
        src_ids = torch.tensor([[token.id for token in src]], device=t.model.device)  # (1, S)
        hypothesis = continue_from(t.decoder, src_ids, chosen, **t.tokenizer.special_ids)
        return (t.tokenizer.bos_id, *hypothesis.ids)

    with note_of_translating(t, len(src)):
        return remember("continued", (t.version, sentence, tuple(chosen.items())), write)
