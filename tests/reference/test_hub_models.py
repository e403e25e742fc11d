"""Models of the Hub: every recorded tensor equals the library's own computation."""

import math
from typing import Any

import numpy as np
import pytest
import torch
from numpy.testing import assert_allclose
from torch import Tensor

from model.hub.attention import NAME, register
from model.hub.model import HubTransformer
from model.nn.hooks import HeadAblation, Hooks, Patch
from model.transformer.heads import KINDS, attention_name, attention_names
from model.transformer.masks import padding_mask
from model.transformer.shapes import recorded_names
from tests.hub_models import SHAPES, random_model

TOLERANCE = {torch.float32: 1e-6, torch.float64: 1e-12}
ATTENTIONS = {  # kind -> the library's name of its weights
    "encoder_self": "encoder_attentions",
    "decoder_self": "decoder_attentions",
    "cross": "cross_attentions",
}


@pytest.fixture(params=TOLERANCE, ids=str)
def dtype(request: pytest.FixtureRequest) -> torch.dtype:
    return request.param


def opened(shape: str, dtype: torch.dtype = torch.float64) -> HubTransformer:
    """Return a random model with our attention."""
    register()
    model = random_model(shape).to(dtype)
    model.set_attn_implementation(NAME)
    return HubTransformer(model).eval()


def library_model(shape: str, dtype: torch.dtype = torch.float64) -> Any:
    """Return the same model as the library runs it."""
    model = random_model(shape).to(dtype)
    model.set_attn_implementation("eager")
    return model


def batch(model: HubTransformer) -> tuple[Tensor, Tensor, Tensor]:
    """Return two sources, of which one is padded, their mask, and two targets."""
    config = model.library_model.config
    pad_id, start_id = config.pad_token_id, config.decoder_start_token_id
    src = torch.tensor([[5, 6, 7, 8, 9, 3, 11], [5, 10, 4, pad_id, pad_id, pad_id, pad_id]])
    tgt = torch.tensor([[start_id, 8, 7, 9, 4], [start_id, 12, 11, 13, 5]])
    return src, padding_mask(src, pad_id), tgt


def close(actual: Any, expected: Any, dtype: torch.dtype) -> None:
    """Compare with a tolerance that counts in units of the largest number involved."""
    actual = np.asarray(actual)
    expected = np.asarray(expected)
    largest = max(1.0, float(np.abs(expected).max()))
    assert_allclose(actual, expected, rtol=0, atol=TOLERANCE[dtype] * largest)


@torch.inference_mode()
@pytest.mark.parametrize("shape", SHAPES)
def test_weights_and_logits_are_those_of_the_library(shape: str, dtype: torch.dtype) -> None:
    model = opened(shape, dtype)
    src, src_mask, tgt = batch(model)
    records: dict[str, Tensor] = {}

    logits = model(src, tgt, src_mask, hooks=Hooks(records))

    expected = library_model(shape, dtype)(
        input_ids=src,
        attention_mask=src_mask[:, 0, 0].long(),
        decoder_input_ids=tgt,
        output_attentions=True,
        output_hidden_states=True,
    )
    close(logits, expected.logits, dtype)
    close(records["encoder.memory"], expected.encoder_last_hidden_state, dtype)
    for kind in KINDS:
        for layer in range(model.config.n_layers):
            weights = records[f"{attention_name(kind, layer)}.weights"]
            close(weights, expected[ATTENTIONS[kind]][layer], dtype)
    for stack in ("encoder", "decoder"):
        for layer in range(model.config.n_layers):
            hidden = expected[f"{stack}_hidden_states"][layer]
            close(records[f"{stack}.{layer}.resid_pre"], hidden, dtype)


@torch.inference_mode()
@pytest.mark.parametrize("shape", SHAPES)
def test_weights_follow_from_queries_keys_and_bias(shape: str, dtype: torch.dtype) -> None:
    model = opened(shape, dtype)
    src, src_mask, tgt = batch(model)
    records: dict[str, Tensor] = {}
    model(src, tgt, src_mask, hooks=Hooks(records))
    visible = {
        "encoder_self": src_mask,
        "decoder_self": torch.ones(5, 5, dtype=torch.bool).tril(),
        "cross": src_mask,
    }

    for kind in KINDS:
        for layer in range(model.config.n_layers):
            name = attention_name(kind, layer)
            q, k, v = (records[f"{name}.{letter}"].double() for letter in "qkv")
            divisor = 1 if "t5" in shape else math.sqrt(q.shape[-1])
            scores = torch.einsum("bhtd,bhsd->bhts", q, k) / divisor
            if f"{name}.position_bias" in records:
                scores = scores + records[f"{name}.position_bias"].double()
            close(records[f"{name}.scores"], scores, dtype)
            powers = scores.exp() * visible[kind]
            weights = powers / powers.sum(dim=-1, keepdim=True)
            close(records[f"{name}.weights"], weights, dtype)
            head_out = torch.einsum("bhts,bhsd->bhtd", weights, v)
            close(records[f"{name}.head_out"], head_out, dtype)


@torch.inference_mode()
@pytest.mark.parametrize("shape", SHAPES)
def test_residual_stream_adds_up(shape: str) -> None:
    model = opened(shape)
    src, src_mask, tgt = batch(model)
    records: dict[str, Tensor] = {}
    model(src, tgt, src_mask, hooks=Hooks(records))

    for stack, sublayers in (
        ("encoder", (("self", "pre", "mid"), ("ffn", "mid", "post"))),
        ("decoder", (("self", "pre", "mid"), ("cross", "mid", "cross"), ("ffn", "cross", "post"))),
    ):
        for layer, block in enumerate(getattr(model, stack).blocks):
            for sublayer, before, after in sublayers:
                path = f"{stack}.{layer}"
                output = "ffn_out" if sublayer == "ffn" else "attn_out"
                total = records[f"{path}.resid_{before}"] + records[f"{path}.{sublayer}.{output}"]
                residual = getattr(block, f"{sublayer}_residual")
                if not residual.pre_norm:
                    total = residual.norm(total)
                close(records[f"{path}.resid_{after}"], total, torch.float64)
        embedded = records[f"{stack}.token_embedding"] + records.get(f"{stack}.position", 0)
        if stack == "decoder":
            embedded = model.target_embedding_norm(embedded)
            close(records["decoder.embedded"], embedded, torch.float64)
    last = records[f"decoder.{model.config.n_layers - 1}.resid_post"]
    close(records["decoder.decoded"], model.decoder.norm(last), torch.float64)


@torch.inference_mode()
@pytest.mark.parametrize("shape", SHAPES)
def test_decoding_with_a_cache_changes_nothing(shape: str) -> None:
    model = opened(shape)
    src, src_mask, tgt = batch(model)
    memory = model.encode(src, src_mask)
    cache = model.new_cache()
    whole = model.decode(tgt, memory, src_mask)

    steps = [model.decode(tgt[:, [n]], memory, src_mask, cache=cache) for n in range(5)]

    close(torch.cat(steps, dim=1), whole, torch.float64)
    cache.forget_target()
    close(model.decode(tgt, memory, src_mask, cache=cache), whole, torch.float64)


@torch.inference_mode()
def test_the_cached_tokens_count_towards_the_limit() -> None:
    model = opened("bart")
    src, src_mask, tgt = batch(model)
    memory = model.encode(src, src_mask)
    cache = model.new_cache()
    limit = model.config.max_length
    full = tgt[:, :1].expand(-1, limit)
    model.decode(full, memory, src_mask, cache=cache)
    with pytest.raises(ValueError, match=f"{limit + 1} tokens are more than this model takes"):
        model.decode(tgt[:, :1], memory, src_mask, cache=cache)


@torch.inference_mode()
@pytest.mark.parametrize("shape", SHAPES)
def test_ablating_a_head_equals_zero_columns_in_the_output_matrix(shape: str) -> None:
    model = opened(shape)
    src, src_mask, tgt = batch(model)
    n_heads, d_head = model.config.n_heads, model.config.d_head
    head = n_heads - 1
    gate = torch.ones(n_heads, dtype=torch.float64)
    gate[head] = 0

    for path in attention_names(model.config.n_layers):
        hooks = Hooks(ablations={path: HeadAblation(gate)})
        ablated = model(src, tgt, src_mask, hooks=hooks)
        stack, layer, name = path.split(".")
        block = getattr(model, stack).blocks[int(layer)]
        w_o = getattr(block, f"{name}_attention").w_o.weight
        before = w_o.clone()
        w_o[:, head * d_head : (head + 1) * d_head] = 0
        close(ablated, model(src, tgt, src_mask), torch.float64)
        w_o.copy_(before)


@torch.inference_mode()
@pytest.mark.parametrize("shape", SHAPES)
def test_patching_the_last_stream_replaces_the_whole_result(shape: str) -> None:
    model = opened(shape)
    src, src_mask, tgt = batch(model)
    records: dict[str, Tensor] = {}
    first = model(src[:1], tgt[:1], src_mask[:1], hooks=Hooks(records))
    name = f"decoder.{model.config.n_layers - 1}.resid_post"
    everywhere = torch.ones(1, 1, 1, dtype=torch.bool)

    hooks = Hooks(patches={name: Patch(records[name], everywhere)})
    patched = model(src[1:], tgt[1:], src_mask[1:], hooks=hooks)

    close(patched, first, torch.float64)


def test_hooks_of_one_call_are_not_seen_by_another_thread() -> None:
    from concurrent.futures import ThreadPoolExecutor

    model = opened("m2m_100")
    src, src_mask, tgt = batch(model)

    @torch.inference_mode()
    def trace(row: int) -> Tensor:
        records: dict[str, Tensor] = {}
        model(src[[row]], tgt[[row]], src_mask[[row]], hooks=Hooks(records))
        return records["decoder.1.cross.weights"]

    with ThreadPoolExecutor(4) as pool:
        results = [*pool.map(trace, [0, 1] * 50)]

    for n, result in enumerate(results):
        assert torch.equal(result, results[n % 2])


@torch.inference_mode()
@pytest.mark.parametrize("shape", SHAPES)
def test_records_have_the_names_of_our_own_model(shape: str) -> None:
    model = opened(shape)
    src, src_mask, tgt = batch(model)
    records: dict[str, Tensor] = {}
    model(src, tgt, src_mask, hooks=Hooks(records))

    expected = set(recorded_names(model.config))
    if "t5" in shape:
        expected -= {"encoder.position", "decoder.position"}
        for kind in ("encoder_self", "decoder_self"):
            layers = range(model.config.n_layers)
            expected |= {f"{attention_name(kind, layer)}.position_bias" for layer in layers}
    assert set(records) == expected
