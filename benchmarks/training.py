"""Measure tokens per second in training, compared with Marian and ``torch.nn.Transformer``.

python -m benchmarks.training

All models get the same batches and have the same sizes. The types are float32 and, if the processor
is fast with it, bfloat16. The compared models are trained with AdamW and ``torch.autocast``, as is
usual. All models take turns in one run.
"""

import tempfile
from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random
from statistics import median

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from benchmarks.figures import in_turns, report
from benchmarks.peers import TorchTransformer, marian
from model.corpora.batches import Batch, make_batch
from model.corpora.split import Split
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.training.config import TrainingConfig
from model.training.precision import choose_precision
from model.training.trainer import Setup, Training
from model.transformer.config import ModelConfig

RUNS = 7
_BUDGET = 8192  # tokens of source and target in a batch, the same as in training


def main() -> None:
    """Print tokens per second, and ratios, for each precision that is fast on this machine.

    Marian and ``torch.nn.Transformer`` of the same size take turns with our training.
    """
    tokenizer = ByteLevelTokenizer.load("checkpoints/en-fr/tokenizer.json")
    config = ModelConfig(vocab_size=tokenizer.vocab_size, dropout=0.1)
    batches = random_batches(tokenizer)
    tokens = sum(batch.n_tokens for batch in batches) / len(batches)
    for dtype in quick_precisions():
        with tempfile.TemporaryDirectory() as folder:
            ours = our_training(config, tokenizer, Path(folder), dtype)
            peer = marian(config, pad_id=tokenizer.pad_id, eos_id=tokenizer.eos_id)
            plain = TorchTransformer(config, pad_id=tokenizer.pad_id)
            models = {
                "ours": each(batches, ours.train_step),
                "Marian": each(batches, usual_step(peer, _marian_logits, dtype, tokenizer.pad_id)),
                "nn.Transformer": each(
                    batches,
                    usual_step(plain, lambda m, b: m(b.src, b.tgt), dtype, tokenizer.pad_id),
                ),
            }
            seconds_by_model = in_turns(models, RUNS)
        name = str(dtype).removeprefix("torch.")
        report(f"training, {name}", seconds_by_model)
        medians = {model: median(seconds) for model, seconds in seconds_by_model.items()}
        for model, seconds in medians.items():
            print(f"{model}: {tokens / seconds:,.0f} tokens per second")
        fastest = min(seconds for model, seconds in medians.items() if model != "ours")
        print(f"ours is {fastest / medians['ours']:.2f} times as fast as the faster peer\n")


def quick_precisions() -> list[torch.dtype]:
    """Return float32, and bfloat16 if `model.train` would choose it.

    Without hardware support for bfloat16, a step of the compared models takes minutes.
    """
    chosen, why = choose_precision(torch.device("cpu"), "auto")
    print(f"{torch.backends.cpu.get_cpu_capability()} instructions; {why}\n")
    return sorted({torch.float32, chosen}, key=str, reverse=True)


def our_training(
    config: ModelConfig, tokenizer: ByteLevelTokenizer, folder: Path, dtype: torch.dtype
) -> Training:
    """Return a training run before its first step.

    Args:
        config: configuration of the Transformer.
        tokenizer: tokenizer of source and target.
        folder: folder for the files of the run.
        dtype: number format of activations.
    """
    return Training(
        Setup(
            architecture=config,
            config=TrainingConfig(steps=10**6),
            split=Split(train=[("a", "b")], dev={}, test={}, leaking=0),
            tokenizer=tokenizer,
            folder=folder,
            device=torch.device("cpu"),
            dtype=dtype,
        )
    )


def random_batches(tokenizer: ByteLevelTokenizer) -> list[Batch]:
    """Return three batches of random tokens with the lengths of Tatoeba's sentences."""
    rng = Random(1)

    def ids() -> list[int]:
        inner = [rng.randrange(10, tokenizer.vocab_size) for _ in range(rng.randint(6, 14))]
        return [tokenizer.bos_id, *inner, tokenizer.eos_id]

    pairs = _BUDGET // 24  # source and target have 12 tokens each, on average
    return [make_batch([(ids(), ids()) for _ in range(pairs)], tokenizer.pad_id) for _ in range(3)]


def each(batches: list[Batch], step: Callable[[Batch], object]) -> Callable[[], object]:
    """Return a function that makes a step with the next batch, in turn."""
    next_batches = cycle(batches)
    return lambda: step(next(next_batches))


def _marian_logits(model: nn.Module, batch: Batch) -> Tensor:
    mask = (batch.src != model.config.pad_token_id).long()
    logits: Tensor = model(
        input_ids=batch.src, attention_mask=mask, decoder_input_ids=batch.tgt
    ).logits
    return logits


def usual_step(
    model: nn.Module,
    logits_of: Callable[[nn.Module, Batch], Tensor],
    dtype: torch.dtype,
    pad_id: int,
) -> Callable[[Batch], float]:
    """Return a function that makes a usual training step.

    Args:
        model: trained by the step.
        logits_of: computes the logits (B, T, V) of a batch.
        dtype: float32, or bfloat16 for mixed precision.
        pad_id: label that the loss ignores.
    """
    model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)

    def step(batch: Batch) -> float:
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=dtype == torch.bfloat16):
            logits = logits_of(model, batch)
            loss = cross_entropy(
                logits.flatten(0, 1),
                batch.labels.flatten(),
                ignore_index=pad_id,
                label_smoothing=0.1,
            )
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


if __name__ == "__main__":
    main()
