"""Choices that only some Hub models need: their languages, and the prefix of T5."""

from dataclasses import replace

from model import TranslationModel
from model.hub.tokenizer import HubTokenizer
from model.translation_model import AnyTranslationModel
from ui.state.address import Address


def clamp_choices(address: Address, t: AnyTranslationModel) -> Address:
    """Return the address with languages and a prefix that the model accepts.

    Args:
        address: what the visitor has chosen, perhaps for a different model.
        t: the model as it was opened. A choice that equals what this model has already becomes
            empty, so that links leave it out.
    """
    source, target, prefix = "", "", ""
    tokenizer = t.tokenizer
    if isinstance(tokenizer, HubTokenizer):
        own_source, own_target = tokenizer.language_pair
        if address.source_language in tokenizer.source_languages:
            source = address.source_language
        if address.target_language in tokenizer.target_languages:
            target = address.target_language
        if tokenizer.takes_prefix and address.prefix.strip() != tokenizer.prefix.strip():
            prefix = address.prefix
        source = "" if source == own_source else source
        target = "" if target == own_target else target
    return replace(address, source_language=source, target_language=target, prefix=prefix)


def with_choices(t: TranslationModel, address: Address) -> TranslationModel:
    """Return the model with the languages and the prefix of an address, if the model accepts them.

    Args:
        t: the model as it was opened.
        address: what the visitor has chosen, perhaps for a different model.
    """
    chosen = clamp_choices(address, t)
    if chosen.source_language or chosen.target_language:
        t = t.with_languages(chosen.source_language, chosen.target_language)
    if chosen.prefix:
        t = t.with_prefix(chosen.prefix)
    return t
