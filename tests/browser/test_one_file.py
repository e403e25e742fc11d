"""The explorer in one file: it translates and shows what the model computes, and asks nobody."""

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model import TranslationModel, load
from model.data.byte_level.tokenizer import ByteLevelTokenizer
from model.data.plain_text import read
from model.one_file import __main__ as command
from model.one_file.vocabulary import pack_vocabulary
from model.one_file.weights import pack_weights, rounded
from model.pictures.tokens import display_subword
from tests.browser.conftest import PHONE, new_profile
from tests.server import ROOT
from ui.text.translator import translator

pytestmark = pytest.mark.browser

EN, ZH = translator("en"), translator("zh")
FOLDER = ROOT / "checkpoints" / "en-fr"
SENTENCES = "The cat that she saw is black.", "“I don’t know…”, he said.", "GO HOME NOW!"
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
ODD = ["l'animal d'or, qu'il n'a", "我爱你ABC 123。", "  «Ça va ?»  C’est moi…", "ＴＨＥ ﬁrst ½ x²"]
ODD += ["THE CAT IS BLACK", "NASA", "Nguyễn 😀 🇫🇷", "e\u0301te\u0301", "\u202eabc", "€3,50 – 10 %"]
FOUND = """() => ({
    ...found,
    weights: Object.fromEntries(Object.entries(found.weights).map(
        ([kind, numbers]) => [kind, [...numbers]]
    )),
})"""
SPELT = """([packed, texts]) => {
    const tokenizer = new Tokenizer(packed);
    return texts.map((text) => {
        const read = tokenizer.read(text);
        const ids = tokenizer.encode(read);
        return [read, ids, tokenizer.decode(ids), ids.map((id) => tokenizer.display(id))];
    });
}"""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home") / "explorer.html"
    assert command.main(["--checkpoint", str(FOLDER), "--out", str(path)]) == 0
    return path


@pytest.fixture(scope="module")
def t() -> TranslationModel:
    """The model with the weights of the file."""
    found = load(FOLDER)
    rounded(found.model)
    return TranslationModel(found.folder, found.model, found.tokenizer, found.training)


@pytest.fixture(scope="module")
def page(browser, file: Path):
    context = new_profile(browser, reduced_motion="reduce", locale="en-GB", offline=True)
    page, asked, faults = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("console", lambda message: faults.append(message.text))
    page.goto(file.as_uri())
    expect(page.locator(".targets li").first).to_be_visible()
    yield page
    assert faults == []
    assert [url for url in asked if not url.startswith("blob:")] == [file.as_uri()]
    context.close()


def _type(page: Page, text: str) -> None:
    page.locator("#sentence").fill(text)
    page.locator("#sentence").press("Enter")


@pytest.mark.parametrize("sentence", SENTENCES)
def test_it_writes_what_the_model_writes_and_looks_where_it_looks(page, t, sentence):
    trace = t.trace(sentence)
    _type(page, sentence)
    expect(page.locator("#translation")).to_have_text(trace.target_text)
    found = page.evaluate(FOUND)
    assert found["taken"] == list(trace.tgt_ids[1:])
    assert found["source"] == [display_subword(token) for token in trace.src_tokens]
    for kind, numbers in found["weights"].items():
        expected = getattr(trace, kind)
        np.testing.assert_allclose(np.reshape(numbers, expected.shape), expected, atol=1e-5)
    both = zip(found["candidates"], found["taken"], strict=True)
    p = [next(p for _, p, id in of if id == taken) for of, taken in both]
    np.testing.assert_allclose(p, np.exp(trace.log_probs), atol=1e-5)


def test_other_words_heads_and_languages_are_chosen(page):
    own = page.locator("#translation").inner_text()
    page.locator(".targets li").nth(2).focus()
    page.keyboard.press("2")
    expect(page.locator("#translation")).not_to_have_text(own)
    page.get_by_role("button", name=EN("writing.back")).click()
    expect(page.locator("#translation")).to_have_text(own)
    page.get_by_role("button", name="Layer 3, head 2").click()
    expect(page.locator(".large h2")).to_contain_text("layer 3 · head 2")
    page.get_by_role("radio", name=EN("attention.encoder_self")).check()
    expect(page.locator(".large h2")).to_contain_text(EN("attention.encoder_self"))
    page.get_by_role("button", name="中文").click()
    expect(page.locator(".large h2")).to_contain_text(ZH("attention.encoder_self"))
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert page.locator("footer").inner_text().startswith(ZH("one_file.about"))
    page.get_by_role("button", name="English").click()
    size = page.viewport_size
    page.set_viewport_size(PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    page.set_viewport_size(size)


def test_what_cannot_be_translated_is_said_and_nothing_typed_is_html(page):
    _type(page, " \u200b ")
    expect(page.locator("#notice")).to_have_text(EN("one_file.empty"))
    _type(page, "a, " * 300)
    expect(page.locator("#notice")).to_contain_text("at most 256")
    _type(page, HOSTILE)
    expect(page.locator("#notice")).to_be_hidden()
    assert page.title() == "Attention Explorer"
    assert page.locator("img, #translation *").count() == 0


def test_a_vocabulary_reads_cuts_and_spells_as_ours(browser, tokenizer: ByteLevelTokenizer, pairs):
    """The new way to cut, with Chinese, and the shipped one."""
    context = new_profile(browser)
    page = context.new_page()
    page.add_script_tag(path=ROOT / "model" / "one_file" / "tokenizer.js")
    texts = [text for pair in pairs for text in pair] + [*ODD, "I'm here, I'll go d'accord"]
    texts += (ROOT / "README.md").read_text("utf-8").splitlines()
    for own in (tokenizer, load(FOLDER).tokenizer):
        packed = json.loads(json.dumps(pack_vocabulary(own)))
        found = page.evaluate(SPELT, [packed, texts])
        for text, (as_read, ids, decoded, shown) in zip(texts, found, strict=True):
            expected = own.encode(read(text))
            assert as_read == read(text)
            assert ids == [token.id for token in expected], text
            assert decoded == own.decode(ids)
            assert shown == [display_subword(token.text) for token in expected], text
    context.close()


def test_eight_bits_a_number_are_at_most_half_a_step_off(t):
    found = load(FOLDER)
    contents, packed = pack_weights(found.model)
    assert len(packed) < 9.7e6
    assert contents["unembed.weight"] == {"same": "src_embedding.tokens.weight"}
    for name, weight in found.model.named_parameters():
        near = t.model.get_parameter(name)
        if weight.dim() == 1:
            np.testing.assert_array_equal(near.detach(), weight.detach())
            continue
        step = weight.abs().amax(dim=1, keepdim=True) / 127
        assert ((near - weight).abs() <= step / 2 + 1e-7).all()
