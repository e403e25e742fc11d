"""The options about corpora that a checkpoint records."""

import shlex
from argparse import Namespace

from model.corpora.corpus_options import recorded_corpus_options


def test_recorded_options_can_be_typed_again():
    corpus = [["/data/my pairs.tsv"], ["/data/train.en", "/data/it's.fr"]]
    recorded = recorded_corpus_options(Namespace(corpus=corpus, simplified=True))
    assert recorded == ("--corpus 'my pairs.tsv' --corpus train.en 'it'\"'\"'s.fr' --simplified")
    assert shlex.split(recorded)[:2] == ["--corpus", "my pairs.tsv"]


def test_a_recorded_file_name_is_not_read_as_an_option():
    corpus = [["/data/-train.en", "-train.fr"]]
    recorded = recorded_corpus_options(Namespace(corpus=corpus, simplified=False))
    assert recorded == "--corpus ./-train.en ./-train.fr"
