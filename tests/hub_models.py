"""Make random models of every family of ``model/hub`` with the library transformers."""

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sentencepiece
import torch
from tokenizers import ByteLevelBPETokenizer, SentencePieceBPETokenizer

from tests.marian_files import write_marian_tokenizer, write_spm

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import transformers

SIZES = {
    "vocab_size": 47,
    "d_model": 30,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 5,
    "decoder_attention_heads": 5,
    "encoder_ffn_dim": 37,
    "decoder_ffn_dim": 37,
    "max_position_embeddings": 41,
    "pad_token_id": 1,
    "bos_token_id": 0,
    "eos_token_id": 2,
    "decoder_start_token_id": 2,
    "forced_eos_token_id": None,
    "init_std": 0.2,
}
T5_SIZES = {
    "vocab_size": 47,
    "d_model": 26,
    "d_kv": 7,
    "d_ff": 37,
    "num_layers": 2,
    "num_heads": 5,
    "relative_attention_num_buckets": 6,
    "relative_attention_max_distance": 11,
    "decoder_start_token_id": 0,
    "pad_token_id": 0,
    "eos_token_id": 1,
}
ONE_HEAD = {"encoder_attention_heads": 1, "decoder_attention_heads": 1}


def _bart(**options: Any) -> Any:
    config = transformers.BartConfig(**(SIZES | options))
    return transformers.BartForConditionalGeneration(config)


def _mbart(**options: Any) -> Any:
    config = transformers.MBartConfig(**(SIZES | options))
    return transformers.MBartForConditionalGeneration(config)


def _m2m_100(**options: Any) -> Any:
    config = transformers.M2M100Config(**(SIZES | options))
    return transformers.M2M100ForConditionalGeneration(config)


def _marian(**options: Any) -> Any:
    sizes = SIZES | {"decoder_start_token_id": 1, "eos_token_id": 0}
    model = transformers.MarianMTModel(transformers.MarianConfig(**(sizes | options)))
    model.final_logits_bias.normal_()
    return model


def _t5(**options: Any) -> Any:
    return transformers.T5ForConditionalGeneration(transformers.T5Config(**(T5_SIZES | options)))


def _mt5(**options: Any) -> Any:
    return transformers.MT5ForConditionalGeneration(transformers.MT5Config(**(T5_SIZES | options)))


SHAPES: dict[str, Callable[[], Any]] = {
    "marian": lambda: _marian(activation_function="swish", scale_embedding=True),
    "marian, two vocabularies": lambda: _marian(
        decoder_vocab_size=43, share_encoder_decoder_embeddings=False, tie_word_embeddings=False
    ),
    "marian, one head": lambda: _marian(**ONE_HEAD),
    "m2m_100": lambda: _m2m_100(scale_embedding=True),
    "m2m_100, one head": lambda: _m2m_100(**ONE_HEAD),
    "m2m_100, untied": lambda: _m2m_100(tie_word_embeddings=False),
    "mbart": lambda: _mbart(scale_embedding=True),
    "mbart, one block": lambda: _mbart(encoder_layers=1, decoder_layers=1),
    "bart": lambda: _bart(),
    "bart, scaled": lambda: _bart(scale_embedding=True, **ONE_HEAD),
    "t5": lambda: _t5(),
    "t5, gated": lambda: _t5(feed_forward_proj="gated-gelu", tie_word_embeddings=False),
    "t5, one head": lambda: _t5(num_heads=1),
    "mt5": lambda: _mt5(feed_forward_proj="gated-gelu", tie_word_embeddings=False),
}

# A shape of which our code refuses the models.
_TWO_DEPTHS = {"t5, two depths": lambda: _t5(num_decoder_layers=1)}


def random_model(shape: str, seed: int = 0) -> Any:
    """Make a model with the library transformers, in eval mode.

    Args:
        shape: one of ``SHAPES``.
        seed: decides its weights.
    """
    torch.manual_seed(seed)
    model = (SHAPES | _TWO_DEPTHS)[shape]().eval()
    # Norms and biases begin as 1 and 0. With random values, a model that ignores them gives other
    # results.
    for name, p in model.named_parameters():
        if "norm" in name or name.endswith("bias"):
            p.data += 0.3 * torch.randn_like(p)
    return model


PAIRS = [
    line.split("\t")[:2]
    for line in (Path(__file__).parent / "data/pairs.tsv").read_text("utf-8").splitlines()
]
TEXTS = [text for pair in PAIRS for text in pair]
KINDS = ("marian", "m2m_100", "nllb", "mbart50", "bart", "t5")  # that ``save_folder`` can write
CODES = (">>cmn_Hans<<", ">>deu<<", ">>fra<<")  # of the kind "marian, several targets"
T5_TASKS = {
    "summarization": {"prefix": "summarize: ", "max_length": 200},
    "translation_en_to_de": {"prefix": "translate English to German: "},
    "translation_en_to_fr": {"prefix": "translate English to French: "},
}


def save_folder(kind: str, folder: Path, *, seed: int = 0, **options: Any) -> Path:
    """Write a random model with its tokenizer, as a folder of the Hub.

    Args:
        kind: one of ``KINDS``, or ``"marian, several targets"``.
        folder: is made.
        seed: decides the weights.
        options: settings of the model's configuration.
    """
    folder.mkdir(parents=True)
    torch.manual_seed(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tokenizer = _TOKENIZERS[kind](folder)
        tokenizer.save_pretrained(folder)
        family = {"nllb": "m2m_100", "mbart50": "mbart"}.get(kind, kind.split(",")[0])
        sizes = {"vocab_size": len(tokenizer), "max_position_embeddings": 151}
        if family == "marian":
            pad_id = tokenizer.pad_token_id
            sizes |= {"pad_token_id": pad_id, "decoder_start_token_id": pad_id}
            sizes |= {"bad_words_ids": [[pad_id]]}
        if kind == "m2m_100":
            sizes["vocab_size"] += 108  # 100 languages, and 8 rows without a token
        if kind == "t5":
            del sizes["max_position_embeddings"]
        model = _MAKERS[family](**(sizes | options)).eval()
        model.save_pretrained(folder)
    return folder


def _marian_tokenizer(folder: Path) -> Any:
    write_marian_tokenizer(folder, [(source, target) for source, target in PAIRS])
    return transformers.MarianTokenizer.from_pretrained(folder)


def _marian_tokenizer_with_codes(folder: Path) -> Any:
    pairs = [(source, target) for source, target in PAIRS]
    write_marian_tokenizer(folder, pairs, codes=CODES)
    return transformers.MarianTokenizer.from_pretrained(folder)


def _m2m_100_tokenizer(folder: Path) -> Any:
    pieces = write_spm(folder / "sentencepiece.bpe.model", TEXTS)
    spelled = ["<s>", "<pad>", "</s>", "<unk>", *pieces[3:]]
    (folder / "vocab.json").write_text(json.dumps({p: id for id, p in enumerate(spelled)}))
    return transformers.M2M100Tokenizer(
        str(folder / "vocab.json"), str(folder / "sentencepiece.bpe.model")
    )


def _nllb_tokenizer(_: Path) -> Any:
    bpe = SentencePieceBPETokenizer()
    bpe.train_from_iterator(
        TEXTS, 150, special_tokens=["<s>", "<pad>", "</s>", "<unk>"], show_progress=False
    )
    learned = json.loads(bpe.to_str())["model"]
    merges = [tuple(merge) for merge in learned["merges"]]
    return transformers.NllbTokenizer(vocab=learned["vocab"], merges=merges)


def _mbart50_tokenizer(folder: Path) -> Any:
    scores = _unigram(folder)
    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    languages = [("en_XX", 0.0), ("fr_XX", 0.0), ("zh_CN", 0.0)]
    vocab = [*special, *scores, *languages, ("<mask>", 0.0)]
    return transformers.MBart50Tokenizer(vocab=vocab)


def _t5_tokenizer(folder: Path) -> Any:
    special = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    extra = [("<extra_id_0>", 0.0)]
    return transformers.T5Tokenizer(vocab=[*special, *_unigram(folder), *extra], extra_ids=1)


def _bart_tokenizer(_: Path) -> Any:
    bpe = ByteLevelBPETokenizer()
    bpe.train_from_iterator(
        TEXTS, 350, special_tokens=["<s>", "<pad>", "</s>", "<unk>", "<mask>"], show_progress=False
    )
    learned = json.loads(bpe.to_str())["model"]
    merges = [tuple(merge) for merge in learned["merges"]]
    return transformers.BartTokenizer(vocab=learned["vocab"], merges=merges)


def _unigram(folder: Path) -> list[tuple[str, float]]:
    """Learn pieces and their scores, without special pieces."""
    path = folder / "learned.spm"
    write_spm(path, TEXTS)
    model = sentencepiece.SentencePieceProcessor(model_file=str(path))
    path.unlink()
    return [(model.id_to_piece(id), model.get_score(id)) for id in range(3, len(model))]


_TOKENIZERS: dict[str, Callable[[Path], Any]] = {
    "marian": _marian_tokenizer,
    "marian, several targets": _marian_tokenizer_with_codes,
    "m2m_100": _m2m_100_tokenizer,
    "nllb": _nllb_tokenizer,
    "mbart50": _mbart50_tokenizer,
    "bart": _bart_tokenizer,
    "t5": _t5_tokenizer,
}
_MAKERS: dict[str, Callable[..., Any]] = {
    "marian": _marian,
    "m2m_100": _m2m_100,
    "mbart": _mbart,
    "bart": _bart,
    "t5": _t5,
}
