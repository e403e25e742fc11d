"""Test the training recipe on Multi30k, English to French, with a published small model.

python -m benchmarks.quality --multi30k FOLDER --steps 9000

FOLDER holds ``train`` and ``test_2016_flickr`` in ``.en.gz`` and ``.fr.gz``. The benchmark changes
them to lower case. The model is that of Wu et al. 2021 ("Transformer-Tiny"). You can stop the
training and continue it with the same command. Options of ``model.train`` may follow. Weights
trained on Multi30k are not shared: its terms are non-commercial.

Source: Elliott et al. 2016, "Multi30K"; Wu et al. 2021, "Good for Misconceived Reasons".
"""

import argparse
import gzip
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

from model import load, train
from model.corpora.plain_text import normalise
from model.decoding.batch import translate_batch
from model.evaluation.scoring import score
from model.training.saved_state import STATE
from model.translation_model import TranslationModel

SIZES = "--n-layers 4 --d-model 128 --d-ff 256 --n-heads 4 --vocab-size 10000"
REGULARISATION = "--dropout 0.3 --label-smoothing 0.1"
# The test set has only captions, so the training uses only captions.
AS_THEY_ARE = "--copying 0 --made-sentences 0 --agreement 0 --as-typed 0 --joined 0"
# Scores from the papers. Most of them count the words of the Moses tokenizer. It splits "l'homme",
# as sacrebleu's "intl" does and "13a" does not, so our scores are comparable but not equal.
PUBLISHED = {"Wu et al. 2021, multimodal": 62.1, "EMNLP 2023, multimodal": 63.7}

Rows = list[dict[str, str | float]]


def main() -> int:
    """Train the model if necessary, and print BLEU on test_2016_flickr."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--multi30k", required=True, type=Path, metavar="FOLDER")
    parser.add_argument("--out", default=Path("runs/multi30k"), type=Path, metavar="FOLDER")
    options, training_options = parser.parse_known_args()
    checkpoint = options.out / "en-fr"
    if not (checkpoint / "config.json").exists():
        corpus = [_lower_cased(options, "train", language) for language in ("en", "fr")]
        words = f"{SIZES} {REGULARISATION} {AS_THEY_ARE}".split() + training_options
        resume = ["--resume"] if (checkpoint / STATE).exists() else []
        files = ["--corpus", *map(str, corpus), "--out", str(checkpoint)]
        if failed := train.main([*files, *words, *resume]):
            return failed
    t = load(checkpoint)
    texts = (
        _lower_cased(options, "test_2016_flickr", language).read_text(encoding="utf-8").splitlines()
        for language in ("en", "fr")
    )
    references = {normalise(en): [normalise(fr)] for en, fr in zip(*texts, strict=True)}
    scores = [row for beam in (1, 4) for row in _scores(t, references, beam)]
    facts = {name: t.training[name] for name in ("command", "epochs", "seconds", "hardware")}
    print(json.dumps({"scores": scores, "published": PUBLISHED} | facts, indent=2))
    return 0


def _scores(t: TranslationModel, references: Mapping[str, Sequence[str]], beam: int) -> Rows:
    """Return two rows of scores: as everywhere in the app, and with ``l'homme`` as two words.

    A row holds the fields of a ``Score``, and the beam.

    Args:
        t: the model and its tokenizer.
        references: each source with its reference translations.
        beam: number of hypotheses; 1 is greedy.
    """
    hypotheses = translate_batch(t.model, t.tokenizer, list(references), beam=beam)
    translations = [t.tokenizer.decode(hypothesis.ids) for hypothesis in hypotheses]
    texts = list(references.values())
    scores = [score(translations, texts, tokenize=name) for name in ("13a", "intl")]
    return [{"beam": beam} | asdict(values) for values in scores]


def _lower_cased(options: argparse.Namespace, part: str, language: str) -> Path:
    """Write a file of Multi30k in lower case beside the checkpoint, and return its path.

    Args:
        options: options of the command: ``multi30k`` and ``out``.
        part: "train" or "test_2016_flickr".
        language: "en" or "fr".
    """
    name = f"{part}.{language}"
    with gzip.open(options.multi30k / f"{name}.gz", "rt", encoding="utf-8") as file:
        text = file.read().lower()
    options.out.mkdir(parents=True, exist_ok=True)
    path: Path = options.out / name
    path.write_text(text, encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
