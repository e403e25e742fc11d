"""Our cells equal PyTorch's; attentions and decoders equal slow loops."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from model.checkpoint.checkpoint import save_checkpoint
from model.lessons.from_rnn import as_shares, influence_backwards, similarity_to_last
from model.recurrent.attention import AdditiveAttention, dot_attention
from model.recurrent.cells import CELLS, Cell, run_cell
from model.recurrent.config import RECURRENT_ARCHS, RecurrentConfig
from model.recurrent.model import RecurrentEncoderDecoder
from model.translation_model import RecurrentTranslationModel, load
from tests.reference.test_pytorch_equality import assert_equal, shaken
from tests.tolerance import assert_same

B, S, T, D_IN, D, D_ATT = 5, 11, 7, 13, 17, 19
MASK = torch.arange(S)[None] < torch.tensor([[3], [11], [1], [7], [5]])  # (B, S)
THEIR_CELLS = {"rnn": nn.RNNCell, "lstm": nn.LSTMCell, "gru": nn.GRUCell}


@pytest.mark.parametrize("name", CELLS)
def test_gates_follow_their_equations(name: str) -> None:
    cell = shaken(CELLS[name](D_IN, D))
    x = torch.randn(B, D_IN, dtype=torch.float64)
    state = tuple(torch.randn(B, D, dtype=torch.float64) for _ in range(cell.n_states))
    _, values = cell(cell.w_x(x), state)
    gates = dict(zip(cell.gates, values, strict=True))
    a = (cell.w_x(x) + cell.w_h(state[0])).chunk(cell.n_blocks, 1)
    shares = [1 / (1 + (-block).exp()) for block in a]
    expected = {}
    if name == "gru":
        r, z, _ = shares
        n_x, n_h = (both.chunk(3, 1)[2] for both in (cell.w_x(x), cell.w_h(state[0])))
        expected = {"reset": r, "update": z, "candidate": (n_x + r * n_h).tanh()}
    elif name == "lstm":
        i, f, _, o = shares
        g = a[2].tanh()
        expected = {
            "input": i, "forget": f, "candidate": g, "output": o, "cell": f * state[1] + i * g
        }  # fmt: skip
    assert gates.keys() == expected.keys()
    for gate, value in expected.items():
        assert_equal(gates[gate], value)


@torch.no_grad()
def test_additive_attention_follows_its_definition() -> None:
    torch.manual_seed(1)
    attention = AdditiveAttention(D, D_IN, D_ATT).double()
    s, memory = torch.randn(B, D).double(), torch.randn(B, S, D_IN).double()
    context, scores, weights = attention(s, attention.u_a(memory), memory, MASK)
    w, b, u = attention.w_a.weight, attention.w_a.bias, attention.u_a.weight
    v = attention.v_a.weight[0]
    for row in range(B):
        queries = [w @ s[row] + b + u @ memory[row, j] for j in range(S)]
        e = [float(v @ q.tanh()) if MASK[row, j] else -math.inf for j, q in enumerate(queries)]
        alpha = [math.exp(value) / sum(map(math.exp, e)) for value in e]
        assert scores[row].tolist() == pytest.approx(e, abs=1e-12)
        assert weights[row].tolist() == pytest.approx(alpha, abs=1e-12)
        expected = sum(a * memory[row, j] for j, a in enumerate(alpha))
        assert_equal(context[row], expected)


def test_dot_attention_equals_pytorchs_without_scaling() -> None:
    torch.manual_seed(1)
    s, memory = torch.randn(B, T, D).double(), torch.randn(B, S, D).double()
    context, scores, weights = dot_attention(s, memory, MASK)
    expected = F.scaled_dot_product_attention(s, memory, memory, MASK[:, None], scale=1.0)
    assert_equal(context, expected)
    seen = MASK[:, None].expand_as(weights)
    assert weights[~seen].abs().max() == 0
    assert_equal(scores[seen], (s @ memory.transpose(1, 2))[seen])
    assert_equal(context, weights @ memory)


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("arch", RECURRENT_ARCHS)
def test_a_whole_model_is_its_equations_step_by_step(arch: str, cell: str) -> None:
    """One sentence, one step at a time, with PyTorch's cells and without masks."""
    config = RecurrentConfig(arch=arch, vocab_size=29, d_model=6, d_hidden=10, cell=cell)  # type: ignore[arg-type]
    model = shaken(RecurrentEncoderDecoder(config))
    src, tgt = torch.randint(1, 29, (1, S)), torch.randint(1, 29, (1, T))
    encoder, decoder = model.encoder, model.decoder

    @torch.no_grad()
    def their(ours: Cell) -> nn.Module:
        theirs = THEIR_CELLS[cell](ours.w_x.in_features, 10, dtype=torch.float64)
        for kind, own in (("ih", ours.w_x), ("hh", ours.w_h)):
            getattr(theirs, f"weight_{kind}").copy_(own.weight)
            getattr(theirs, f"bias_{kind}").copy_(own.bias)
        return theirs

    def read(ours: Cell, xs: Tensor) -> list[Tensor]:
        theirs, state, states = their(ours), None, []
        for x in xs:
            state = theirs(x[None], state)
            states.append(state[0] if cell == "lstm" else state)
        return states

    with torch.no_grad():
        x = model.tokens.weight[src[0]] * 6**0.5
        h = read(encoder.forwards, x)
        summary = h[-1]
        if encoder.backwards is not None:
            back = read(encoder.backwards, x.flip(0))[::-1]
            summary = back[0]
            h = [torch.cat(both, dim=1) for both in zip(h, back, strict=True)]
        memory = torch.cat(h)  # (S, d_memory)
        first = decoder.w_s(summary).tanh()
        state = (first[:, :10], first[:, 10:]) if cell == "lstm" else first
        step = their(decoder.cell)
        expected = []
        for token in tgt[0]:
            y = model.tokens.weight[token][None] * 6**0.5
            s = state[0] if cell == "lstm" else state
            weight_ih = step.weight_ih
            if arch == "bahdanau":
                attention = decoder.attention
                e = attention.v_a((attention.w_a(s) + attention.u_a(memory)).tanh())[:, 0]
                context = (e.softmax(0) @ memory)[None]
            elif arch == "seq2seq":
                context = summary
            if arch != "luong":
                step.weight_ih = nn.Parameter(torch.cat((weight_ih, decoder.w_c.weight), dim=1))
                state = step(torch.cat((y, context), dim=1), state)
                step.weight_ih = weight_ih
            else:
                state = step(y, state)
                s = state[0] if cell == "lstm" else state
                context = ((memory @ s[0]).softmax(0) @ memory)[None]
            s = state[0] if cell == "lstm" else state
            decoded = decoder.w_o(torch.cat((s, y, context), dim=1)).tanh()
            expected.append(decoded @ model.tokens.weight.T)
        logits = model(src, tgt, torch.ones(1, 1, 1, S, dtype=torch.bool))
    assert_equal(logits[0], torch.cat(expected))


@pytest.fixture(scope="module", params=[("seq2seq", "lstm"), ("bahdanau", "gru")])
def t(request, tokenizer, tmp_path_factory) -> RecurrentTranslationModel:
    torch.manual_seed(0)
    arch, cell = request.param
    config = RecurrentConfig(
        arch=arch, cell=cell, vocab_size=tokenizer.vocab_size, d_model=6, d_hidden=7
    )
    folder = tmp_path_factory.mktemp("recurrent") / arch
    save_checkpoint(folder, shaken(RecurrentEncoderDecoder(config)), tokenizer, {})
    model = load(folder)
    assert isinstance(model, RecurrentTranslationModel)
    return model


def test_the_similarity_of_states_is_the_cosine_to_the_last_state() -> None:
    states = np.array([[1.0, 0], [1, 1], [0, -3], [0, 2]])
    expected = [0, 1 / math.sqrt(2), -1, 1]
    assert similarity_to_last(states).tolist() == pytest.approx(expected, abs=1e-12)
    # A state of length 0 has similarity 0, because there is no angle; division by 0 is avoided.
    states = np.array([[0, 0], [3, 4]], dtype=np.float32)
    assert similarity_to_last(states).tolist() == [0, 1]
    assert similarity_to_last(states[::-1]).tolist() == [0, 0]


def test_influence_is_the_effect_of_a_small_change_of_each_number_of_a_token(t) -> None:
    trace = t.trace("The cat sleeps.", target="Le chat dort.")
    cell = t.model.encoder.forwards.double()
    ids = torch.tensor([[token.id for token in trace.src]])
    x = (t.model.tokens(ids) * 6**0.5).detach().double()
    real = torch.ones_like(ids, dtype=torch.bool)
    step, norms = 1e-6, []
    with torch.no_grad():
        for s in range(len(trace.src)):
            total = 0.0
            for i in range(6):
                moved = []
                for sign in (1, -1):
                    nudged = x.clone()
                    nudged[0, s, i] += sign * step
                    moved.append(run_cell(cell, nudged, real)[0, -1])
                total += float(((moved[0] - moved[1]) / (2 * step)).square().sum())
            norms.append(math.sqrt(total))
    cell.float()
    expected = np.array(norms) / max(norms)
    influence = as_shares([*influence_backwards(t, trace)])
    assert_same(influence, expected, ulps=64)  # eight steps follow each other


def test_a_saturated_cell_has_no_influence() -> None:
    assert as_shares([0.0, 0.0, 0.0]).tolist() == [0, 0, 0]
    assert as_shares([0.0, 0.5, 2.0]).tolist() == [1, 0.25, 0]
