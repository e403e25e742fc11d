"""Files of hand-made word alignments."""

import pytest

from model.alignment.gold import read_alignments


def test_sure_links_are_also_possible_links(tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text("# by hand\nI see.\tJe vois.\t0-0\t1-1 0-1\n", "utf-8")
    [pair] = read_alignments(path)
    assert pair.sure == {(0, 0)}
    assert pair.possible == {(0, 0), (1, 1), (0, 1)}


@pytest.mark.parametrize(
    ("links", "message"),
    [
        (
            "3-0\t",
            "line 2 of .* holds the link 3-0, but its sentences have words 0 to 2 and 0 to 3",
        ),
        ("\t2-4", "line 2 of .* holds the link 2-4, .*: are links counted from 1?"),
        ("0:0\t", "line 2 of .* should be source TAB target TAB sure links TAB possible links"),
        ("0-0", "line 2 of .* should be source TAB target"),
    ],
)
def test_a_wrong_link_is_reported_with_its_line(links, message, tmp_path):
    path = tmp_path / "gold.tsv"
    path.write_text(f"# by hand\nI see.\tJe vois ça.\t{links}\n", "utf-8")
    with pytest.raises(ValueError, match=message):
        read_alignments(path)
