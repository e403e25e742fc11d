"""The explorer in one file: it shows what the model computes, without any request."""

import json
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from model import TranslationModel, load
from model.corpora.plain_text import normalise
from model.gallery.finding import read_gallery
from model.interventions.ablation import ablation_effect, ablations_of
from model.one_file import __main__ as command
from model.one_file.export import EXAMPLES
from model.one_file.vocabulary import pack_vocabulary
from model.one_file.weights import pack_weights, round_weights
from model.pictures.tokens import display_subword
from model.pictures.web_bundle import bundle_script
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.transformer.heads import KINDS
from tests.browser.axe import violations
from tests.browser.conftest import PHONE, new_profile
from tests.server import ROOT
from ui.text.translator import translator

pytestmark = pytest.mark.browser

EN, ZH = translator("en"), translator("zh")
FOLDER = ROOT / "checkpoints" / "en-fr"
SENTENCES = "The cat that she saw is black.", "“I don’t know…”, he said.", "GO HOME NOW!"
HOSTILE = '<img src=x onerror="document.title=1"><script>document.title=2</script>'
ODD = ["l'animal d'or, qu'il n'a", "我爱你ABC 123。", "  «Ça va ?»  C’est moi…", "ＴＨＥ ﬁrst ½ x²"]
ODD += [
    "THE CAT IS BLACK",
    "ΟΔΟΣ ΑΣ",
    "ひら GO HOME NOW",
    "NASA",
    "Nguyễn 😀 🇫🇷",
    "e\u0301te\u0301",
    "\u202eabc",
    "€3,50 – 10 %",
]
FIRST = "(id) => explorer.answer.candidates[0].find(([, , each]) => each === id)[1]"
WATCH = """() => {
    window.read = [];
    window.watch ??= new MutationObserver(() => window.read.push(translation.textContent));
    window.watch.observe(translation, { childList: true });
}"""
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
    """Return the model with the rounded weights of the file."""
    model = load(FOLDER)
    round_weights(model.model)
    return TranslationModel(model.folder, model.model, model.tokenizer, model.training)


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
    # Firefox does not call the opening of a file a request
    assert {url for url in asked if not url.startswith("blob:")} <= {file.as_uri()}
    context.close()


def _type(page: Page, text: str) -> None:
    page.locator("#sentence").fill(text)
    page.locator("#sentence").press("Enter")


# Headers of sites that offer the file.
POLICIES = {
    "no workers": "default-src 'self'; script-src 'unsafe-inline'; style-src 'unsafe-inline'",
    "no scripts": "default-src 'self'; style-src 'unsafe-inline'",
}


@pytest.fixture
def under_policy(browser, file: Path):
    """Yield a function that opens the file on a site with one of ``POLICIES``."""
    context = new_profile(browser, reduced_motion="reduce", locale="en-GB")

    def opened(policy: str) -> Page:
        headers = {"Content-Security-Policy": POLICIES[policy], "Content-Type": "text/html"}
        page = context.new_page()
        page.route("**/*", lambda route: route.fulfill(path=file, headers=headers))
        page.goto("http://school.example/explorer.html")
        return page

    yield opened
    context.close()


def test_the_file_computes_in_the_page_if_a_site_forbids_workers(under_policy, t):
    page = under_policy("no workers")
    expect(page.locator("#translation[aria-busy=false]")).to_have_text(
        t.trace(EXAMPLES[0]).target_text
    )
    _type(page, SENTENCES[0])
    expect(page.locator("#translation[aria-busy=false]")).to_have_text(
        t.trace(SENTENCES[0]).target_text
    )


def test_the_file_shows_a_message_if_a_site_forbids_its_script(under_policy):
    notice = under_policy("no scripts").locator("#notice")
    expect(notice).to_be_visible()
    expect(notice).to_contain_text(EN("offline.not_running"))
    expect(notice).to_contain_text(ZH("offline.not_running"))


@pytest.mark.parametrize("sentence", SENTENCES)
def test_the_file_writes_what_the_model_writes(page, t, sentence):
    """Each token is shown at once, so that there is something to read before the maps appear."""
    trace = t.trace(sentence)
    page.evaluate(WATCH)
    _type(page, sentence)
    expect(page.locator("#translation[aria-busy=false]")).to_have_text(trace.target_text)
    n = len(trace.tgt_ids)
    so_far = [t.tokenizer.decode(trace.tgt_ids[:end]) for end in range(2, n + 1)]
    assert page.evaluate("window.read") == [*so_far, trace.target_text]
    source = [display_subword(token) for token in trace.src_tokens]
    assert page.evaluate("[explorer.answer.taken, explorer.answer.source]") == [
        list(trace.tgt_ids[1:]),
        source,
    ]


def test_other_tokens_heads_and_languages_can_be_chosen(page):
    own = page.locator("#translation").inner_text()
    page.locator(".targets li").nth(2).focus()
    page.keyboard.press("2")
    expect(page.locator("#translation")).not_to_have_text(own)
    page.get_by_role("button", name=EN("writing.back")).click()
    expect(page.locator("#translation")).to_have_text(own)
    page.get_by_role("button", name="Layer 3, head 2").click()
    expect(page.locator(".large h2")).to_contain_text("layer 3 · head 2")
    kinds = page.locator(".choices input[name=kind]")
    assert kinds.evaluate_all("all => all.map((each) => each.value)") == [*KINDS]
    page.get_by_role("radio", name=EN("attention.encoder_self")).check()
    expect(page.locator(".large h2")).to_contain_text(EN("attention.encoder_self"))
    page.get_by_role("button", name="中文").click()
    expect(page.locator(".large h2")).to_contain_text(ZH("attention.encoder_self"))
    assert page.evaluate("document.documentElement.lang") == "zh-Hans"
    assert page.locator("footer").inner_text().startswith(ZH("one_file.about"))
    page.get_by_role("button", name="English", exact=True).click()
    size = page.viewport_size
    page.set_viewport_size(PHONE)
    # The pictures are drawn again shortly after the size has changed.
    page.wait_for_function(
        "width => document.documentElement.scrollWidth <= width", arg=PHONE["width"]
    )
    page.set_viewport_size(size)
    title = page.locator("#of-ribbons")
    expect(title).to_be_hidden()
    page.emulate_media(media="print")
    expect(title).to_contain_text(EN("attention.cross"))
    expect(title).to_be_visible()
    ending = page.locator("footer").evaluate("footer => getComputedStyle(footer).breakBefore")
    assert ending == "avoid"  # it is not alone on the last sheet
    expect(page.get_by_text(EN("one_file.nothing_sent"))).to_be_hidden()  # paper sends nothing
    expect(page.get_by_text(EN("one_file.about"))).to_be_visible()
    page.emulate_media(media="screen")


def test_a_head_can_be_shown_in_every_way_and_switched_off(page, t):
    _type(page, SENTENCES[0])
    trace = t.trace(SENTENCES[0])
    expect(page.locator("#translation")).to_have_text(trace.target_text)
    page.get_by_role("radio", name=EN("attention.cross")).check()
    page.get_by_role("button", name="Layer 2, head 3").click()
    page.get_by_role("radio", name=EN("panel.lines")).check()
    expect(page.locator(".large .queries li")).to_have_count(len(trace.tgt_tokens))
    page.get_by_role("radio", name=EN("panel.map")).check()
    page.locator(".large > .scroll canvas").focus()
    page.keyboard.press("Enter")  # opens the strongest cell
    expect(page.locator(".opened h2")).to_contain_text(f"{trace.cross[1, 2].max():.4f}")
    page.get_by_role("radio", name=EN("cells.contributions")).check()
    expect(page.locator(".large h2 + p")).to_contain_text(EN("map.cells.contributions"))
    expect(page.locator(".opened")).to_be_hidden()
    page.get_by_role("button", name=EN("one_file.off")).click()
    page.get_by_role("button", name=EN("one_file.on"), exact=True).wait_for()
    back = EN("one_file.head_on", attention=EN("attention.cross"), layer=2, head=3)
    page.get_by_role("button", name=back).wait_for()
    effect = ablation_effect(t, trace, ablations_of(t.config, [("cross", 1, 2)], "zero"))
    expect(page.locator("#translation")).to_have_text(effect.text)
    p = page.evaluate(FIRST, trace.tgt_ids[1])
    assert p == pytest.approx(np.exp(effect.log_probs[0]), abs=1e-5)
    assert p != pytest.approx(np.exp(trace.log_probs[0]), abs=1e-3)
    page.get_by_role("radio", name=EN("cells.weights")).check()
    example = read_gallery(load(FOLDER))[0]
    page.locator("summary", has_text=EN("one_file.gallery")).click()
    page.get_by_role("button", name=EN(f"gallery.{example.phenomenon}.title")).click()
    expect(page.locator("#translation")).to_have_text(t.trace(example.sentence).target_text)
    expect(page.locator(".large h2")).to_contain_text(
        f"layer {example.layer} · head {example.head}"
    )
    page.get_by_role("radio", name=EN("panel.lines")).check()
    expect(page.locator(".large .queries li").first).to_be_visible()
    assert violations(page) == []
    page.get_by_role("radio", name=EN("panel.map")).check()
    page.locator("main").click(position={"x": 1, "y": 1})
    page.keyboard.press("p")
    expect(page.locator(".choices")).to_be_hidden()
    page.keyboard.press("Escape")
    expect(page.locator(".choices")).to_be_visible()


def test_several_models_can_share_a_file(browser, tiny_checkpoint: Path, tmp_path):
    path = tmp_path / "three.html"
    folders = [str(FOLDER), str(FOLDER.with_name("en-zh")), str(tiny_checkpoint)]
    assert command.main(["--checkpoint", *folders, "--out", str(path)]) == 0
    context = new_profile(browser, reduced_motion="reduce", locale="en-GB", offline=True)
    page = context.new_page()
    page.goto(path.as_uri())
    page.get_by_role("button", name="English → Chinese").click()
    chinese = load(folders[1])
    round_weights(chinese.model)
    again = TranslationModel(chinese.folder, chinese.model, chinese.tokenizer, chinese.training)
    expect(page.locator("#translation")).to_have_text(again.trace(EXAMPLES[0]).target_text)
    expect(page.locator("#translation")).to_have_attribute("lang", "zh-Hans")
    page.get_by_role("button", name="source → target").click()  # a model without known languages
    context.close()


def test_bad_input_gets_a_message_and_typed_html_stays_text(page, t):
    _type(page, " \u200b ")
    expect(page.locator("#notice")).to_have_text(EN("one_file.empty"))
    _type(page, "a, " * 300)
    expect(page.locator("#notice")).to_contain_text("at most 256")
    _type(page, "-->")  # the first token of its translation has no text
    expect(page.locator("#translation")).to_have_text(t.trace("-->").target_text)
    _type(page, HOSTILE)
    expect(page.locator("#notice")).to_be_hidden()
    assert page.title() == "Attention Explorer"
    assert page.locator("img, #translation *").count() == 0


@pytest.mark.slow
def test_a_vocabulary_reads_cuts_and_spells_as_ours(browser, tokenizer: ByteLevelTokenizer, pairs):
    """The vocabulary of the tests, and the shipped one."""
    context = new_profile(browser)
    page = context.new_page()
    page.add_script_tag(content=bundle_script("one_file/model/tokenizer.js"))
    texts = [text for pair in pairs for text in pair] + [
        *ODD,
        "I'm here, I'll go d'accord",
        "ab" * 100_000,
    ]
    texts += (ROOT / "README.md").read_text("utf-8").splitlines()
    for own in (tokenizer, load(FOLDER).tokenizer):
        packed = json.loads(json.dumps(pack_vocabulary(own)))
        spelt = page.evaluate(SPELT, [packed, texts])
        for text, (as_read, ids, decoded, shown) in zip(texts, spelt, strict=True):
            expected = own.encode(normalise(text))
            assert as_read == normalise(text)
            assert ids == [token.id for token in expected], text
            assert decoded == own.decode(ids)
            assert shown == [display_subword(token.text) for token in expected], text
    context.close()


def test_weights_in_eight_bits_differ_by_at_most_half_a_step(t):
    model = load(FOLDER)
    contents, packed = pack_weights(model.model)
    assert len(packed) < 9.9e6
    assert contents["unembed.weight"] == {"same": "src_embedding.tokens.weight"}
    for name, weight in model.model.named_parameters():
        near = t.model.get_parameter(name)
        if weight.dim() == 1:
            assert (near == weight).all()
            continue
        step = weight.view(len(weight), -1, 128).abs().amax(dim=2).repeat_interleave(128, 1) / 127
        assert ((near - weight).abs() <= step / 2 + 1e-7).all()
