"""An epoch has each source once, with one of its translations; some of them are changed."""

from model.augmentation.augmentation import Augmentation, Shares
from model.augmentation.names.language_pair import LanguagePair
from model.corpora.pairs import Pair
from model.training.epochs import Examples

AS_IT_IS = Augmentation(Shares(), LanguagePair(), max_length=99, token_budget=999)
SEED = (3, 5)
Ids = list[tuple[list[int], list[int]]]


def as_text(tokenizer, sampled: Ids) -> list[Pair]:
    return [(tokenizer.decode(source), tokenizer.decode(target)) for source, target in sampled]


def test_each_source_occurs_once_with_one_translation_and_other_subwords_each_time(
    tokenizer, pairs
):
    sampled = Examples(pairs, tokenizer, 0.5, 1, AS_IT_IS).sample((1, 0))
    texts = as_text(tokenizer, sampled)
    assert [source for source, _ in texts] == list(dict(pairs))
    assert set(texts) <= set(pairs)
    own = [tuple(tokenizer.encode_ids(pair)) for pair in texts]
    assert all(target == ids for (_, target), (_, ids) in zip(sampled, own, strict=True))
    assert any(source != ids for (source, _), (ids, _) in zip(sampled, own, strict=True))


def test_a_repeated_pair_occurs_as_often_as_in_the_corpus(tokenizer, pairs):
    (first, _), *_ = pairs
    examples = Examples(pairs, tokenizer, 0.0, 1, AS_IT_IS, {first: 3, "not here": 5})
    sources = [source for source, _ in as_text(tokenizer, examples.sample((1, 0)))]
    assert sources.count(first) == 3
    assert len(sources) == len(dict(pairs)) + 2


def test_every_translation_gets_its_turn(tokenizer, pairs):
    """A sentence has two translations: 20 epochs lack one of them with probability 2 / 2^20."""
    examples = Examples(pairs, tokenizer, 0.0, 1, AS_IT_IS)
    seen = {pair for n in range(20) for pair in as_text(tokenizer, examples.sample((1, n)))}
    assert seen == set(pairs)


def test_with_all_augmentation_the_result_depends_on_the_seed_only(tokenizer, pairs, french):
    shares = Shares(
        copying=1.0, made_sentences=0.5, agreement=0.5, sloppy=0.5, as_typed=0.5, joined=0.5
    )
    changes = Augmentation(shares, french, max_length=99, token_budget=999)
    first, second = (Examples(pairs, tokenizer, 0.5, 1, changes) for _ in range(2))
    # earlier draws must not matter, because a resumed training has not made them
    first.sample((1, 0))
    assert first.sample((1, 1)) == second.sample((1, 1)) != first.sample((1, 2))


def test_changed_targets_get_the_tokenizers_own_ids(tokenizer, pairs, french):
    shares = Shares(copying=1.0, made_sentences=2.0)
    changes = Augmentation(shares, french, max_length=99, token_budget=999)
    sampled = Examples(pairs, tokenizer, 0.5, 1, changes).sample((1, 0))
    known = {target for _, target in pairs}
    new = [ids for _, ids in sampled if tokenizer.decode(ids) not in known]
    assert len(new) > len(pairs)
    assert all(tokenizer.encode_ids([tokenizer.decode(ids)]) == [ids] for ids in new)
