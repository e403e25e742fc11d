"""Estimate how long a model takes on this machine. The speed of a large model is measured.

The models of this project answer at once. A model with 600 million parameters needs about a second
for each token that it writes, and a visitor is told this before the model starts.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import streamlit as st
import torch
from streamlit.runtime.scriptrunner import get_script_run_ctx

from model.decoding.greedy import EXTRA_TOKENS
from model.hub.folder import memory_of_folder
from model.nn.encoder_decoder import Model
from model.transformer.masks import padding_mask
from model.translation_model import Loaded
from ui.state.language import language_now
from ui.state.memory import remember
from ui.text.markup import escape_markdown
from ui.text.numbers import duration
from ui.text.translator import Translator, translator

# Smaller models are not measured. A model of this size writes 20 tokens in about two seconds.
MAX_QUICK_PARAMETERS = 50_000_000
_SECONDS_WITHOUT_NOTE = 1.0  # work that takes longer shows a note
# A small model uses each parameter once for each token that it reads. On two cores our model with
# 9.4 million parameters read 14,000 to 51,000 tokens in a second, many of them at once.
_READ_PARAMETERS_PER_SECOND = 200e9
_WRITTEN_TOKENS_PER_SECOND = 4000  # by a small model, for several sentences at a time
# Reading and checking 2.46 GB of weights took 13 s of CPU time. While other programs used both
# cores, it took 37 to 60 s.
_SECONDS_PER_GIGABYTE = 6
_N_MEASURED = 16  # tokens that are read to measure the speed


class Speed(NamedTuple):
    """The seconds that a model needs for one token."""

    reading: float  # for each of many tokens that the encoder or the decoder reads at once
    writing: float  # for each token that is written, one after the other


class Estimate(NamedTuple):
    """The seconds that a translation will take."""

    usual: float  # if the translation is as long as the sentence
    longest: float  # if the translation is as long as possible


def speed_of(t: Loaded[Any, Any]) -> Speed:
    """Return the seconds per token of a model. The first call for a large model measures them."""
    if t.n_parameters <= MAX_QUICK_PARAMETERS:
        reading = t.n_parameters / _READ_PARAMETERS_PER_SECOND
        return Speed(reading, 1 / _WRITTEN_TOKENS_PER_SECOND)
    return remember("speed", t.origin.mark, lambda: _measure(t.model, t.tokenizer.pad_id))


def seconds_to_read(t: Loaded[Any, Any], n_tokens: int) -> float:
    """Estimate the seconds that a model needs to read tokens of many sentences."""
    return n_tokens * speed_of(t).reading


def seconds_to_translate(t: Loaded[Any, Any], n_src: int, *, beam: int = 1) -> Estimate:
    """Estimate the seconds that a model needs to translate and trace a sentence.

    Args:
        t: the model.
        n_src: tokens of the sentence.
        beam: hypotheses that it keeps.
    """
    speed = speed_of(t)
    step = max(speed.writing, beam * speed.reading)  # seconds for one token of each hypothesis

    def seconds(n_tgt: int) -> float:
        return n_tgt * step + (n_src + n_tgt) * speed.reading

    return Estimate(seconds(n_src), seconds(n_src + EXTRA_TOKENS))


@contextmanager
def note_of_opening(folder: Path) -> Iterator[None]:
    """Show size, estimate and elapsed seconds while a large model is opened."""
    gigabytes = memory_of_folder(folder) / 1e9
    tr = translator(language_now())
    text = tr(
        "speed.opening",
        name=escape_markdown(folder.name),
        size=f"{gigabytes:.1f}",
        time=duration(gigabytes * _SECONDS_PER_GIGABYTE, tr),
    )
    with st.spinner(text, show_time=True):
        yield


@contextmanager
def note_of_translating(
    t: Loaded[Any, Any], n_src: int, *, beam: int = 1, is_given: bool = False
) -> Iterator[None]:
    """Show an estimate and the elapsed seconds while a large model translates.

    Args:
        t: the model.
        n_src: tokens of the sentence.
        beam: hypotheses that it keeps.
        is_given: whether it only reads a translation.
    """
    estimate = seconds_to_translate(t, n_src, beam=beam)
    if is_given:
        seconds = seconds_to_read(t, 2 * n_src)  # of the sentence, and as many of the translation
        estimate = Estimate(seconds, seconds)
    if get_script_run_ctx(suppress_warning=True) is None:  # the server opens its first model
        yield
        return
    tr = translator(language_now())
    name = escape_markdown(t.name)
    parameters = f"{t.n_parameters / 1e6:.0f}"
    usual = duration(estimate.usual, tr)
    longest = duration(estimate.longest, tr)
    if is_given:
        text = tr("speed.reading", name=name, parameters=parameters, usual=usual)
    else:
        text = tr(
            "speed.translating",
            name=name,
            parameters=parameters,
            n=n_src,
            usual=usual,
            longest=longest,
        )
    with _note(text, estimate.longest):
        yield


@contextmanager
def note_of_reading(t: Loaded[Any, Any], n_tokens: int) -> Iterator[None]:
    """Show an estimate and the elapsed seconds while a large model reads many tokens.

    Args:
        t: the model.
        n_tokens: of all sentences together.
    """
    tr = translator(language_now())
    with _note(note_of_work(seconds_to_read(t, n_tokens), tr), seconds_to_read(t, n_tokens)):
        yield


@contextmanager
def _note(text: str, seconds: float) -> Iterator[None]:
    """Show a text and the elapsed seconds during the block, if it will take long.

    Args:
        text: what is done, and how long it takes.
        seconds: the estimate.
    """
    if seconds <= _SECONDS_WITHOUT_NOTE:
        yield
    else:
        with st.spinner(text, show_time=True):
            yield


def note_of_work(seconds: float, tr: Translator) -> str:
    """Return the estimated duration of a job as text, for the line beside its button."""
    return tr("speed.work", time=duration(seconds, tr))


@torch.inference_mode()
def _measure(model: Model, pad_id: int) -> Speed:
    """Time how fast a model reads ``_N_MEASURED`` tokens at once, and how fast it writes one."""
    token = 0 if pad_id > 0 else 1  # any but padding, which is the last token of Marian
    ids = torch.full((1, _N_MEASURED), token, device=model.device)  # (1, S)
    src_mask = padding_mask(ids, pad_id)  # (1, 1, 1, S)

    start_time = time.perf_counter()
    memory = model.encode(ids, src_mask)  # (1, S, d_model)
    encoded_time = time.perf_counter()
    model.decode(ids, memory, src_mask)
    decoded_time = time.perf_counter()
    cache = model.new_cache()
    model.decode(ids[:, :1], memory, src_mask, cache=cache)
    cached_time = time.perf_counter()
    model.decode(ids[:, 1:2], memory, src_mask, cache=cache)
    end_time = time.perf_counter()

    reading = max(encoded_time - start_time, decoded_time - encoded_time) / _N_MEASURED
    return Speed(reading, end_time - cached_time)
