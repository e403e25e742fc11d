"""Texts that Anki exports: headers and columns of tags are not sentences."""

import pytest

from model.corpora.corpus import read_corpus
from model.corpora.references import read_references
from model.evaluation.sentence_list import read_list

PAIRS = [("It's late.", "Il est tard."), ("Sit down!", "Assieds-toi !")]
EXPORTS = {
    "with tags": "#separator:tab\n#html:false\n#tags column:3\n"
    "It's late.\tIl est tard.\tunit4\nSit down!\tAssieds-toi !\tunit4 verbs\n",
    "with all": "#separator:Tab\n#html:true\n#guid column:1\n#notetype column:2\n#deck column:3\n"
    "#tags column:6\n"
    "k1\tBasic\tFrench\tIt's late.\tIl est tard.\t\nk2\tBasic\tFrench\tSit down!\tAssieds-toi !\tx",
    "with titles": "#separator:Tab\n#columns:Tags\tFront\tBack\n"
    "a b\tIt's late.\tIl est tard.\n\tSit down!\tAssieds-toi !\n",
    "with semicolons": "#separator:Semicolon\n#deck:French\n"
    'It\'s late.;Il est tard.\n"Sit down!";Assieds-toi !\n',
    "on two lines": '#separator:tab\n"It\'s\nlate."\tIl est tard.\nSit down!\t"Assieds-toi !"\n',
}


@pytest.mark.parametrize("name", EXPORTS)
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_the_notes_of_an_export_are_the_pairs(name, line_end, tmp_path):
    path = tmp_path / "notes.txt"
    content = EXPORTS[name].replace("\n", line_end).encode()
    path.write_bytes(content)
    corpus = read_corpus(path)
    assert corpus.pairs == PAIRS
    assert not corpus.dropped
    assert read_references(path) == {source: [target] for source, target in PAIRS}
    entries = read_list(content)
    assert [(entry.source, *entry.references) for entry in entries] == PAIRS


def test_lines_keep_their_numbers():
    assert [entry.line for entry in read_list(EXPORTS["on two lines"])] == [2, 4]


def test_a_sentence_that_begins_with_a_hash_is_no_header(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_text('#1\t"Un"\n#separator\tx\nTwo\tDeux\n', "utf-8")
    assert read_corpus(path).pairs == [("#1", '"Un"'), ("#separator", "x"), ("Two", "Deux")]
