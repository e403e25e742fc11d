"""Any typed text, also of many visitors at once, becomes tokens, a trace and a figure."""

import io
import json
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from model import InputError, load
from model.corpora.plain_text import normalise
from model.transformer.heads import KINDS
from model.translate import main
from ui.components.matrices import Matrix, pack
from ui.export.tables import Labels

pytestmark = pytest.mark.usefixtures("short_texts")
characters = st.characters(exclude_categories=["Cs"])
odd = ("", "   ", "word " * 1000, "😀👩‍👩‍👧", "שלום", "<b>bold</b>", "$x^2$", "`c`", "\x00\x07")
texts = st.text(characters, max_size=20) | st.text(characters, max_size=2000) | st.sampled_from(odd)


@pytest.mark.parametrize("n", [25, pytest.param(400, marks=pytest.mark.slow)])
def test_any_text_gives_a_figure_or_a_clear_message(t, n):
    quiet = [HealthCheck.too_slow, HealthCheck.data_too_large]
    profile = settings(max_examples=n, deadline=None, suppress_health_check=quiet)
    profile(given(text=texts)(lambda text: _gives_a_figure_or_a_clear_word(t, text)))()


def _gives_a_figure_or_a_clear_word(t, text: str) -> None:
    """Check that a text is refused for the right reason, or has maps whose rows sum to 1."""
    plain = normalise(text)
    tokens = t.tokenizer.encode(plain)
    assert all(0 <= token.start <= token.end <= len(plain) for token in tokens)
    if len(tokens) > t.config.max_length or not plain:
        with pytest.raises(InputError) as refusal:
            t.trace(text)
        cannot_fit = len(text) > t.tokenizer.max_characters(t.config.max_length)
        reason = "empty" if not plain else "too_long"
        assert refusal.value.reason == ("too_many_characters" if cannot_fit else reason)
        return
    trace = t.trace(text)
    assert all(0 <= token.start <= token.end <= len(text) for token in trace.src)
    for kind in KINDS:
        maps = trace.attention(kind)
        np.testing.assert_allclose(maps.weights.sum(-1), 1, atol=1e-5)
        labels = Labels(maps.query_tokens, maps.key_tokens)
        packed = pack([Matrix(maps.weights[0, 0], "weight", labels=labels)])
        length = int.from_bytes(packed[:4], "little")
        [matrix] = json.loads(packed[4 : 4 + length])["matrices"]
        assert len(packed) == 4 + length + 4 * maps.weights[0, 0].size
        assert matrix["rowLabels"] == list(maps.query_tokens)
        assert matrix["columnLabels"] == list(maps.key_tokens)


TYPOGRAPHIC = {"'": "’‘ʼ", '"': "“”„", "-": "–‑", " ": "\u00a0\u2009\u3000", "fi": "ﬁ", "...": "…"}
INVISIBLE = "\u00ad\u200b\u200e\u2060\u202a\ufeff"


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.sampled_from([*TYPOGRAPHIC, "a", "office", "I am", "é", "?", "3"]), max_size=12),
    st.data(),
)
def test_typographic_and_invisible_characters_do_not_change_a_translation(t, parts, data):
    pasted = [data.draw(st.sampled_from([part, *TYPOGRAPHIC.get(part, "")])) for part in parts]
    seams = data.draw(st.lists(st.sampled_from(["", *INVISIBLE]), min_size=12, max_size=12))
    plain, other = f"So {''.join(parts)}", "So " + "".join(map("".join, zip(pasted, seams)))  # noqa: B905
    assert t.translate([other])[0].ids == t.translate([plain])[0].ids


@settings(max_examples=15, deadline=None)
@given(lines=st.lists(st.text(characters, max_size=30).filter(lambda line: "\n" not in line)))
def test_every_line_of_input_gives_one_line_of_output(t, lines):
    typed = io.BytesIO("".join(f"{line}\n" for line in lines).encode())
    written = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdin", io.TextIOWrapper(typed, "utf-8"))
        patch.setattr(sys, "stdout", io.TextIOWrapper(written, "utf-8"))
        # the same model for all examples
        patch.setattr("model.translate.load_with_choices", lambda _: t)
        main(["--checkpoint", "tiny"])
        sys.stdout.flush()
        sys.stdout.detach()  # otherwise the bytes would be closed together with it
    assert written.getvalue().count(b"\n") == len(lines)


SENTENCES = ["A cat sleeps.", "Where is the station?", "No.", "She gave him the book."]


@pytest.mark.usefixtures("short_texts")
def test_traces_in_four_threads_equal_traces_made_one_by_one(tiny_checkpoint):
    t = load(tiny_checkpoint)
    alone = [t.trace(sentence) for sentence in SENTENCES]
    jobs = list(range(len(SENTENCES))) * 4
    with ThreadPoolExecutor(max_workers=4) as pool:
        together = list(pool.map(lambda i: t.trace(SENTENCES[i]), jobs))
    for i, trace in zip(jobs, together, strict=True):
        assert (trace.source_text, trace.src) == (SENTENCES[i], alone[i].src)
        assert trace.next_tokens == alone[i].next_tokens
        assert trace.records.keys() == alone[i].records.keys()
        for name, array in trace.records.items():
            np.testing.assert_array_equal(array, alone[i].records[name], err_msg=name)
