"""Measure the time of a translation with all attentions, compared with Hugging Face's Marian.

python -m benchmarks.inference

Our program translates text and records every number on the way, as in the app. The Marian program
turns token ids into token ids with all attentions. That model has the same size and random weights,
and it must write exactly as many tokens. Both use one thread, as in the app, and take turns.
"""

from collections.abc import Callable
from statistics import median

import torch

from benchmarks.figures import in_turns, report
from benchmarks.peers import marian
from model.transformer.masks import padding_mask
from model.translation_model import TranslationModel, load_transformer

SENTENCES = (
    "I am a student.",
    "She gave him the book that he had asked for.",
    "When I was a child, I went to the sea every summer with my parents and my two brothers.",
    "When I was a child, I used to go to the sea every summer with my parents and my two brothers, "
    "who liked to swim until the sun went down, and in the evening we ate fish in the garden.",
)
RUNS = 15


@torch.inference_mode()
def main() -> None:
    """Measure all programs with each sentence; print and save the times."""
    torch.set_num_threads(1)
    t = load_transformer("checkpoints/en-fr")
    ids = t.tokenizer.special_ids
    peer = marian(t.config, pad_id=ids["pad_id"], eos_id=ids["eos_id"]).eval()
    for sentence in SENTENCES:
        [src] = t.tokenizer.encode_ids([sentence])
        n = len(t.translate([sentence])[0].ids)
        programs: dict[str, Callable[[], object]] = {
            "ours, translation and trace": lambda s=sentence: t.trace(s),
            "ours, translation alone": lambda s=sentence: t.translate([s]),
            "ours, without a cache": lambda ids=src, n=n: without_cache(t, ids, n),
            "Marian with attentions": lambda ids=src, n=n: peer.generate(
                torch.tensor([ids]),
                attention_mask=torch.ones(1, len(ids), dtype=torch.int64),
                min_new_tokens=n,
                max_new_tokens=n,
                do_sample=False,
                num_beams=1,
                output_attentions=True,
                return_dict_in_generate=True,
            ),
        }
        seconds = in_turns(programs, RUNS)
        report(f"inference, {len(src)} tokens to {n}", seconds)
        ours = median(seconds["ours, translation and trace"])
        theirs = median(seconds["Marian with attentions"])
        print(f"Marian takes {theirs / ours:.2f} times as long\n")


def without_cache(t: TranslationModel, src_ids: list[int], n: int) -> list[int]:
    """Translate without a cache: every step reads all tokens again.

    Args:
        t: the model and its tokenizer.
        src_ids: token ids of the source, with special tokens.
        n: number of tokens to write.

    Returns:
        Their ids.
    """
    src = torch.tensor([src_ids])
    mask = padding_mask(src, t.tokenizer.pad_id)
    memory = t.model.encode(src, mask)
    tgt = torch.tensor([[t.tokenizer.bos_id]])
    for _ in range(n):
        best = t.model.decode(tgt, memory, mask)[:, -1:].argmax(dim=-1)
        tgt = torch.cat((tgt, best), dim=1)
    return tgt[0, 1:].tolist()


if __name__ == "__main__":
    main()
