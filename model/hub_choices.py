"""Command-line options for models of the Hub that need a choice: languages, or the prefix of T5."""

import argparse

from model.hub.tokenizer import HubTokenizer
from model.translation_model import AnyTranslationModel, TranslationModel, load, load_transformer


def add_hub_choices(parser: argparse.ArgumentParser) -> None:
    """Add the options that choose the languages or the prefix of a model of the Hub."""
    choices = parser.add_argument_group("for models of the Hugging Face Hub, see docs/models.md")
    choices.add_argument(
        "--source-language",
        metavar="CODE",
        help='of a model of many languages, as it names them: "eng_Latn", "en_XX" or "__en__"',
    )
    choices.add_argument(
        "--target-language", metavar="CODE", help='the same; or ">>deu<<" of a MarianMT model'
    )
    choices.add_argument(
        "--prefix",
        metavar="TEXT",
        help='of T5, before each sentence: "translate English to German:"; "" for none',
    )


def load_with_choices(options: argparse.Namespace) -> AnyTranslationModel:
    """Load the checkpoint of the options, with their languages and prefix.

    Raises:
        CheckpointError: the checkpoint cannot be loaded.
        ValueError: the model has no such choice.
    """
    t = load(options.checkpoint)
    if isinstance(t, TranslationModel):
        return _with_choices(t, options)
    if _is_any_chosen(options):
        raise ValueError(f"{t.name} takes no languages and no prefix: it is no model of the Hub")
    return t


def load_transformer_with_choices(options: argparse.Namespace) -> TranslationModel:
    """Load the Transformer of the options, with their languages and prefix.

    Raises:
        CheckpointError: the checkpoint cannot be loaded.
        NoHeadsError: it is a recurrent model.
        ValueError: the model has no such choice.
    """
    return _with_choices(load_transformer(options.checkpoint), options)


def _with_choices(t: TranslationModel, options: argparse.Namespace) -> TranslationModel:
    """Return the model with the languages and the prefix of the options."""
    if _is_any_chosen(options) and not isinstance(t.tokenizer, HubTokenizer):
        raise ValueError(f"{t.name} takes no languages and no prefix: it is no model of the Hub")
    if options.source_language or options.target_language:
        t = t.with_languages(options.source_language or "", options.target_language or "")
    if options.prefix is not None:
        t = t.with_prefix(options.prefix)
    return t


def _is_any_chosen(options: argparse.Namespace) -> bool:
    chosen = (options.source_language, options.target_language, options.prefix)
    return any(choice is not None for choice in chosen)
