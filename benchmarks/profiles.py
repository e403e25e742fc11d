"""Measure each operation's share of processor time in a training step and a translation.

python -m benchmarks.profiles

It prints shares of processor time by type of operation. It also prints the speed of the matrix
products in a step, relative to one large matrix product (the best speed of the processor).
"""

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from torch.profiler import ProfilerActivity, profile

from benchmarks.figures import save_results
from benchmarks.inference import SENTENCES
from benchmarks.training import our_training, quick_precisions, random_batches
from model.tokenizers.byte_level.tokenizer import ByteLevelTokenizer
from model.transformer.config import ModelConfig
from model.translation_model import load_transformer

STEPS = 6  # training steps, or translations, in a profile
_LARGE = 2048  # rows and columns of the large matrix product
# kind of operation -> words in the names of its operations; the first kind that fits counts
_KINDS = {
    "matrix products": ("mm", "linear", "convolution", "matmul"),
    "attention": ("attention",),
    "softmax and loss": ("softmax", "log_sum", "logsumexp", "nll", "gather", "scatter"),
    "layer norm": ("layer_norm",),
    "dropout": ("dropout", "bernoulli", "random"),
    "copies and casts": ("copy", "clone", "cat", "contiguous", "_to_", "stack"),
    "embedding": ("embedding", "index"),
    "sums, products, norms": ("add", "mul", "div", "sub", "sum", "norm", "lerp", "sqrt", "pow"),
}


def main() -> None:
    """Measure training in each precision, and a translation with its trace."""
    tokenizer = ByteLevelTokenizer.load("checkpoints/en-fr/tokenizer.json")
    for dtype in quick_precisions():
        with tempfile.TemporaryDirectory() as folder:
            config = ModelConfig(vocab_size=tokenizer.vocab_size, dropout=0.1)
            training = our_training(config, tokenizer, Path(folder), dtype)
            batches = random_batches(tokenizer)
            _report(
                f"profile of {len(batches)} training steps, {str(dtype).removeprefix('torch.')}",
                lambda t=training, b=batches: [t.train_step(batch) for batch in b],
                runs=STEPS // len(batches),
                dtype=dtype,
            )
    torch.set_num_threads(1)
    t = load_transformer("checkpoints/en-fr")
    for sentence in SENTENCES:
        with torch.inference_mode():
            _report(
                f"profile of a translation and its trace, {len(sentence.split())} words",
                lambda s=sentence: t.trace(s),
                runs=STEPS,
                dtype=torch.float32,
            )


def _report(name: str, function: Callable[[], object], *, runs: int, dtype: torch.dtype) -> None:
    """Profile a function, and print and save the shares of its operations.

    Args:
        name: name of the profile.
        function: is first called once without timing.
        runs: number of timed calls.
        dtype: number format of the large matrix product.
    """
    function()
    start_time = time.perf_counter()
    for _ in range(runs):
        function()
    seconds = time.perf_counter() - start_time
    with profile(activities=[ProfilerActivity.CPU], with_flops=True) as profiler:
        for _ in range(runs):
            function()
    events = profiler.key_averages()
    shares = shares_of_kinds((event.key, event.self_cpu_time_total) for event in events)
    speed = sum(event.flops for event in events) / seconds
    print(f"{name}: {1000 * seconds / runs:.0f} milliseconds")
    for kind, share in shares.items():
        print(f"  {share:6.1%}  {kind}")
    best = _best_speed(dtype)
    print(f"  {speed / 1e9:.0f} GFLOP/s of {best / 1e9:.0f} in one large product\n")
    save_results(name, {"shares": shares, "flops": speed, "flops of one large product": best})


def shares_of_kinds(times: Iterable[tuple[str, float]]) -> dict[str, float]:
    """Return each kind's share of the time, the largest first.

    Args:
        times: name of an operation, and its processor time.
    """
    time_by_kind: Counter[str] = Counter()
    for operation, processor_time in times:
        time_by_kind[_kind(operation)] += processor_time
    whole = sum(time_by_kind.values())
    return {kind: kind_time / whole for kind, kind_time in time_by_kind.most_common()}


def _kind(operation: str) -> str:
    """Return the first kind that has a word in the operation's name."""
    for kind, words in _KINDS.items():
        if any(word in operation for word in words):
            return kind
    return "the rest"


def _best_speed(dtype: torch.dtype) -> float:
    """Return floating-point operations per second, the best of ten runs."""
    a, b = torch.randn(2, _LARGE, _LARGE).to(dtype)
    seconds = []
    for _ in range(10):
        start_time = time.perf_counter()
        a @ b
        seconds.append(time.perf_counter() - start_time)
    return 2.0 * _LARGE**3 / min(seconds)


if __name__ == "__main__":
    main()
