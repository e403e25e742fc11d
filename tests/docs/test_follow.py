"""Whoever follows a document notices what is wrong with it."""

from __future__ import annotations

import pytest

from tests.docs.follow import follow

SOUND = """# Greeting

Say it in `greeting.py`:

```python
WORD = "hello"
```

In `greeting.py`:

```diff
-WORD = "hello"
+WORD = "bonjour"
```

```sh
python -c "import greeting; print(greeting.WORD, 'monde')"
```

```text
bonjour ...
```

```pycon
>>> import greeting
>>> greeting.WORD
'bonjour'
```
"""


def _follow(text, tmp_path):
    """In a project of nothing but the Python that runs the tests."""
    (tmp_path / "project").mkdir()
    document = tmp_path / "greeting.md"
    document.write_text(text, encoding="utf-8")
    follow(document, tmp_path / "project")


def test_a_sound_document_is_followed_to_its_end(tmp_path):
    _follow(SOUND, tmp_path)
    assert (tmp_path / "project" / "greeting.py").read_text() == 'WORD = "bonjour"\n'


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("bonjour ...", "salut ...", "line 17"),
        ('-WORD = "hello"', '-WORD = "hallo"', "line 12"),
        ("'bonjour'\n", "'salut'\n", "Expected:\n    'salut'"),
        ("Say it in `greeting.py`:", "Say it:", "line 6"),
        ("'bonjour'\n```", "'bonjour'\n", "not closed"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(right, wrong, said, tmp_path):
    assert SOUND.count(right) == 1
    with pytest.raises(AssertionError, match=said):
        _follow(SOUND.replace(right, wrong), tmp_path)
