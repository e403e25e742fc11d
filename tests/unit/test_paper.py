"""The table that leads from the paper to the files, and the code that lessons show."""

import re
from pathlib import Path

import pytest

from model.paper import LESSON_PARTS, PARTS, code_of, paper_address
from model.transformer.attention import scaled_dot_product_attention
from ui.text.translator import translator

ROOT = Path(__file__).parents[2]
ENGLISH = translator("en")


def _cell(files: list[str]) -> str:
    return ", ".join(f"`{file}`" for file in files)


def test_the_readme_has_the_same_table():
    expected = [
        f"| {part.section} | {ENGLISH(f'paper.part.{name}')} | {_cell(list(part.files))} "
        f"| {_cell([f'pages/{page}.py' for page in part.pages])} |".replace("|  |", "| |")
        for name, part in PARTS.items()
    ]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| \d[.\d]* \|.+$", readme, re.MULTILINE) == expected


@pytest.mark.parametrize("name", PARTS)
def test_every_file_and_every_page_exists(name):
    part = PARTS[name]
    assert all((ROOT / file).is_file() for file in part.files)
    assert all((ROOT / "pages" / f"{page}.py").is_file() for page in part.pages)


@pytest.mark.parametrize("name", sorted({n for names in LESSON_PARTS.values() for n in names}))
def test_the_code_of_a_part_is_that_of_its_file_without_the_docstring(name):
    for function in PARTS[name].code:
        code = code_of(function)
        lines = (ROOT / code.file).read_text(encoding="utf-8").splitlines()
        whole = lines[code.first_line - 1 : code.last_line]
        shown = code.text.splitlines()
        assert code.file in PARTS[name].files or code.file.startswith("model/transformer/")
        assert '"""' not in code.text
        assert [line for line in shown if line.strip() not in {row.strip() for row in whole}] == []
        assert len(shown) < len(whole)  # the docstring was removed


def test_the_attention_of_the_paper_is_shown_as_it_runs():
    code = code_of(scaled_dot_product_attention)
    assert code.file == "model/transformer/attention.py"
    assert "    weights = masked_scores.softmax(dim=-1)  # (B, H, T, S), each row sums to 1" in (
        code.text.splitlines()
    )


def test_sections_and_equations_have_addresses():
    paper = "https://arxiv.org/html/1706.03762v7"
    assert paper_address(PARTS["attention"]) == f"{paper}#S3.E1"
    assert paper_address(PARTS["positions"]) == f"{paper}#S3.SS5"
    assert paper_address(PARTS["masks"]) == f"{paper}#S3.SS2.SSS3"
    assert paper_address(PARTS["cost"]) == f"{paper}#S4"
