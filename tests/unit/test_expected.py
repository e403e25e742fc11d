"""A comparison with an expected file says what to do if it fails."""

import pytest

from tests.expected import REMEDY, check


@pytest.fixture(autouse=True)
def compared(monkeypatch):
    """Compare, even while ``make expected`` writes files."""
    monkeypatch.delenv("APPROVE", raising=False)


def test_a_missing_file_is_named_with_the_remedy(tmp_path):
    with pytest.raises(AssertionError) as caught:
        check(tmp_path / "new_view.txt", ["one line"])
    assert str(caught.value) == f"there is no file new_view.txt yet. {REMEDY}"


def test_a_difference_is_shown_before_the_remedy(tmp_path):
    path = tmp_path / "view.txt"
    path.write_text("2 maps\n", encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        check(path, ["3 maps"])
    first, *_, old, new, last = str(caught.value).splitlines()
    assert (first, old, new, last) == ("view.txt", "-2 maps", "+3 maps", REMEDY)


def test_approved_lines_are_written_and_then_equal(tmp_path, monkeypatch):
    path = tmp_path / "folder" / "view.txt"
    monkeypatch.setenv("APPROVE", "1")
    check(path, ["3 maps"])
    monkeypatch.delenv("APPROVE")
    check(path, ["3 maps"])
    assert path.read_text(encoding="utf-8") == "3 maps\n"
