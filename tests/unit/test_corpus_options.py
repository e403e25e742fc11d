"""What a checkpoint records about its corpora."""

import shlex
from argparse import Namespace

from model.corpora.corpus_options import recorded_corpus_options


def test_recorded_options_can_be_typed_again_as_they_are():
    corpus = [["/data/my pairs.tsv"], ["/data/train.en", "/data/it's.fr"]]
    recorded = recorded_corpus_options(Namespace(corpus=corpus, simplified=True))
    assert recorded == ("--corpus 'my pairs.tsv' --corpus train.en 'it'\"'\"'s.fr' --simplified")
    assert shlex.split(recorded)[:2] == ["--corpus", "my pairs.tsv"]


def test_a_recorded_file_is_no_option():
    corpus = [["/data/-train.en", "-train.fr"]]
    recorded = recorded_corpus_options(Namespace(corpus=corpus, simplified=False))
    assert recorded == "--corpus ./-train.en ./-train.fr"
