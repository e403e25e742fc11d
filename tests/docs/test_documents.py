"""Each document is followed from scratch in a copy of the project; faults are noticed."""

import re
import subprocess
import sys

import pytest

from tests.docs.follow import DOCS, ROOT, blocks_of, copy_project, follow

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
IN_WORDS = {"README", "api", "figures"}  # documents without a step to follow
# Blocks that need a machine, a network or a night of training. Other tests cover what can be
# tested, such as test_models_document.py for models.md.
ELSEWHERE = {"commands", "deployment", "models", "mutants", "releasing"}
BENCHMARKS = re.findall(r"for each in (.*); do", (ROOT / "Makefile").read_text("utf-8"))[0].split()
THERE = {path.stem for path in DOCS.glob("*.md")}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(THERE - IN_WORDS - ELSEWHERE))
def test_the_steps_of_a_document_work(name, tmp_path):
    follow(DOCS / f"{name}.md", copy_project(tmp_path))


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("name", BENCHMARKS)
def test_a_benchmark_runs_to_its_end(name):
    command = [sys.executable, "-m", f"benchmarks.{name}"]
    done = subprocess.run(command, cwd=ROOT, stderr=subprocess.PIPE, text=True)
    assert "Traceback" not in done.stderr


def test_documents_that_are_not_followed_have_no_steps():
    for name in IN_WORDS:
        assert blocks_of((DOCS / f"{name}.md").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("right", "wrong", "message"),
    [
        ("bonjour ...", "salut ...", "line 17"),
        ('-WORD = "hello"', '-WORD = "hallo"', "line 12"),
        ("'bonjour'\n", "'salut'\n", "Expected:\n    'salut'"),
        ("Say it in `greeting.py`:", "Say it:", "line 6"),
        ("'bonjour'\n```", "'bonjour'\n", "not closed"),
    ],
)
def test_a_fault_of_a_document_is_named_with_its_line(right, wrong, message, tmp_path):
    """Each case puts one fault into ``SOUND``. The project is an empty folder."""
    assert SOUND.count(right) == 1
    (tmp_path / "project").mkdir()
    document = tmp_path / "greeting.md"
    document.write_text(SOUND.replace(right, wrong), encoding="utf-8")
    with pytest.raises(AssertionError, match=message):
        follow(document, tmp_path / "project")
