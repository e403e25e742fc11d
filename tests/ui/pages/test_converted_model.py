"""A model from elsewhere on every page: no page states of it what is true of ours alone."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlencode

import pytest
from msgspec.structs import replace

from model.alignment.gold import read_alignments
from model.checkpoint.checkpoint import save_checkpoint
from model.heads.analysis import analyse
from model.heads.analysis_file import save_analysis
from model.heads.syntax import marked_sentences, sentences_for, syntax
from model.marian.tokenizer import read_marian_tokenizer
from model.translation_model import load_transformer
from tests.conftest import marian_like
from tests.marian_files import write_marian_tokenizer
from tests.ui.drawn import EN, SENTENCE, Page
from tests.ui.views import VIEWS
from ui.state.memory import memory


@pytest.fixture(scope="module")
def converted(shared: Path, pairs, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The name of an untrained model with everything that a converted one has."""
    folder = tmp_path_factory.mktemp("marian")
    pad_id = write_marian_tokenizer(folder, pairs, character_coverage=1.0)
    pieces = read_marian_tokenizer(folder, pad_id, pad_id)
    said = {"languages": ["en", "fr"], "converted_from": "opus-mt-en-fr", "guided_alignment": True}
    save_checkpoint(shared / "opus", marian_like(pieces), pieces, said)
    return "opus"


def seen(name: str, choices: str, checkpoint: str) -> str:
    """All that is written on a page; this model's decoder starts with ``<pad>``, not ``<bos>``."""
    link = {"sentence": SENTENCE} | dict(parse_qsl(choices)) | {"checkpoint": checkpoint}
    found = Page(name, any_link=True, **link).everything
    if name != "from_rnn":  # which shows models of ours
        assert "<bos>" not in found
        assert "&lt;bos&gt;" not in found
    return found


# What is said of it, and what would be said of ours: keys of texts, or texts.
SAID = {
    ("norms", "show=feed_forward"): (["\\operatorname{SiLU}(xW_1"], ["= \\max(0"]),
    ("norms", "show=stream"): (["norms.sum_post"], ["norms.sum_pre"]),
    ("positions", "show=matrix"): (
        ["positions.own_halves", "positions.own_tensor2tensor", "positions.matrix_halves"],
        ["positions.matrix_interleaved"],
    ),
    ("positions", "show=waves"): (["positions.own_drawn"], []),
    ("positions", "show=addition"): (["positions.plain_embedding"], ["positions.token_embedding"]),
    ("masks", "show=batch"): (["masks.start_is_padding"], []),
    ("explorer", "panel=logit_lens"): (["logit_lens.caption_post"], ["logit_lens.caption_pre"]),
    ("explorer", "special=hidden"): (["\\<pad\\> and \\</s\\> are left out"], ["bos"]),
    ("explorer", "explorer.reading=True"): (["The decoder first reads `<pad>`"], ["bos"]),
    ("experiments", "show=contrast"): (["After “\\<pad\\>”"], ["bos"]),
    ("heads", ""): (
        ["Head 2.1 of the cross-attention was trained to align", "heads.missing"],
        ["bos"],
    ),
    ("architecture", "architecture.part=encoder.embedding"): (
        ["architecture.about_plain_embedding", "E[token]: what each token is"],
        ["times √d_model", "√d_model E[token]"],
    ),
    ("architecture", "architecture.part=encoder.ffn"): (["SiLU(x W_1 + b_1)"], ["max(0, x"]),
    ("architecture", "architecture.part=decoder.tokens"): (["first `<pad>`"], ["bos"]),
}


@pytest.mark.parametrize(("view", "said"), SAID.items(), ids=map("-".join, SAID))
def test_what_is_said_is_true_of_it(converted, view, said):
    found, (its, ours) = seen(*view, converted), said
    assert [key for key in its if text(key) not in found] == []
    assert [key for key in ours if text(key) in found] == []


def test_every_view_opens(converted):
    for view in VIEWS:
        if view.name != "qkv_classroom":  # which shows a model of ours
            seen(view.page, urlencode(view.link), converted)


def text(key: str) -> str:
    """A text of ours by its key, up to the first value that is filled in; or the text itself."""
    whole = EN.texts.get(key, key)
    if whole == key:
        return key
    return re.split(r"\{(?!\{)[^{}]*\}(?!\})", whole)[0].replace("{{", "{").replace("}}", "}")


def test_it_can_be_analysed_and_heads_shows_it(converted, shared: Path, tmp_path: Path):
    t = load_transformer(shared / converted)
    references = {SENTENCE: ["Je vois un chat."], "I see.": ["Je vois."]}
    aligned = tmp_path / "links.tsv"
    aligned.write_text("I see.\tJe vois.\t0-0 1-1 2-2\t\n", "utf-8")
    found = analyse(t, references, alignments=read_alignments(aligned))
    assert 10 < len(sentences_for(t)) < len(marked_sentences("en"))  # "Fr" is unknown, and others
    save_analysis(t.folder, replace(found, syntax=syntax(t, sentences_for(t))))
    memory.cache_clear()
    shown = seen("heads", "", converted)
    (t.folder / "analysis.json").unlink()
    assert text("heads.missing") not in shown
    assert EN("heads.pruning_note") in shown


def test_a_model_of_several_languages_says_which_it_writes(shared: Path, pairs, tmp_path: Path):
    pad_id = write_marian_tokenizer(tmp_path, pairs, codes=(">>fra<<", ">>spa<<"))
    pieces = read_marian_tokenizer(tmp_path, pad_id, pad_id)
    save_checkpoint(shared / "roa", marian_like(pieces), pieces, {"languages": ["en", None]})
    for sentence, key in (
        ("I see.", "translation.no_code"),
        (">>deu<< I see.", "translation.unknown_code"),
        (">>spa<< I see.", None),
    ):
        found = Page("explorer", checkpoint="roa", sentence=sentence).html
        told = ("translation.no_code", "translation.unknown_code")
        assert [one for one in told if text(one) in found] == [key] * bool(key)
        assert ("<bdi>&gt;&gt;fra&lt;&lt; &gt;&gt;spa&lt;&lt;</bdi>" in found) == bool(key)
