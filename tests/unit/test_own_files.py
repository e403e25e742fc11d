"""The app's scripts and styles as files: a browser loads each of them once."""

import re

from starlette.applications import Starlette
from starlette.testclient import TestClient

from ui.components import own_files
from ui.components.own_files import address_of, module

browser = TestClient(Starlette(routes=[own_files.own_files]))


def test_a_text_has_an_address_at_which_a_browser_may_keep_it() -> None:
    style = browser.get(address_of("page.css", "p { color: red }"))
    assert style.text == "p { color: red }"
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert style.headers["cache-control"] == "public, max-age=31536000, immutable"


def test_a_changed_text_has_a_new_address() -> None:
    addresses = {address_of("page.css", text) for text in ("a", "b", "a")}
    assert len(addresses) == 2
    assert browser.get("own/static/page.0123456789abcdef.css").status_code == 404


def test_a_component_imports_its_script_from_the_address_of_its_text() -> None:
    text = "export default () => {};"
    first, second = module("grid", text).splitlines()
    [address] = re.findall(r'^const own = import\(new URL\("(.*)", document.baseURI\)\);$', first)
    assert second == "export default async (component) => (await own).default(component);"
    script = browser.get(address)
    assert script.text == text
    assert script.headers["content-type"] == "text/javascript; charset=utf-8"
