"""Tests posenc.torch's modules in models: classes like those of notebooks and transformers, before and after patch(); training."""

import copy
import math
import os
import subprocess
import sys
import types
import unittest
import warnings

import posenc

try:
    import torch
    import posenc.torch as pt
    from torch import nn
except ImportError:
    raise unittest.SkipTest("SKIPPED: python3-torch is not installed")

torch.set_num_threads(1)


# Classes as people have them in their models.


class PositionalEncoding(nn.Module):
    """The class that many notebooks contain."""

    def __init__(self, d_model, max_len=5000, dropout=0.0):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len).unsqueeze(1).float()
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2] = torch.sin(position * div_term)
        pe[:, 1::2] = torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return self.dropout(x + self.pe[:, : x.size(1)])


class SequenceFirst(PositionalEncoding):
    """As in torch's tutorial: x is [rows, batch, d_model], and is multiplied by sqrt(d_model)."""

    def __init__(self, d_model):
        super().__init__(d_model)
        self.register_buffer("pe", self.pe.transpose(0, 1).contiguous())

    def forward(self, x):
        return self.dropout(x * math.sqrt(x.shape[-1]) + self.pe[: x.size(0)])


class InputEmbedding(nn.Module):
    def __init__(self, vocab, d_model, max_len=5000):
        super().__init__()
        self.token_embedding = nn.Embedding(vocab, d_model)
        self.pos_encoding = PositionalEncoding(d_model, max_len)

    def forward(self, ids):
        return self.pos_encoding(self.token_embedding(ids))


class RotaryOfTransformers(nn.Module):
    """As in transformers for Llama and GLM. With axes, it returns cos and sin for each axis, as for Qwen2-VL."""

    def __init__(self, config, dim):
        super().__init__()
        self.config, self.attention_scaling = config, 1.0
        self.register_buffer("inv_freq", 1.0 / config.rope_theta ** (torch.arange(0, dim, 2).float() / dim), persistent=False)

    @torch.no_grad()
    def forward(self, x, position_ids):
        phases = position_ids[..., None].float() * self.inv_freq.float()
        phases = torch.cat([phases, phases], -1)
        return (phases.cos() * self.attention_scaling).to(x.dtype), (phases.sin() * self.attention_scaling).to(x.dtype)


def rotate_half(x):
    a, b = x.chunk(2, -1)
    return torch.cat([-b, a], -1)


def rotate_neighbours(x):
    return torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)


def apply_llama(q, k, cos, sin):
    cos, sin = cos[:, None], sin[:, None]
    return q * cos + rotate_half(q) * sin, k * cos + rotate_half(k) * sin


def apply_glm(q, k, cos, sin):
    """Rotates a part of each head, with neighbours as pairs."""
    cos, sin = (table[:, None, :, : table.shape[-1] // 2].repeat_interleave(2, -1) for table in (cos, sin))
    dim = cos.shape[-1]
    return tuple(torch.cat([x[..., :dim] * cos + rotate_neighbours(x[..., :dim]) * sin, x[..., dim:]], -1) for x in (q, k))


def apply_qwen2_vl(q, k, cos, sin):
    """Rotates by sections of several axes; the list of sections occurs twice."""
    sections = [2, 3, 3] * 2
    cos, sin = (torch.cat([part[i % 3] for i, part in enumerate(table.split(sections, -1))], -1) for table in (cos, sin))
    return apply_llama(q, k, cos, sin)


class Decoder(nn.Module):
    """A model of two layers with grouped-query attention."""

    def __init__(self, config, rotary_dim, apply, dim=64, heads=4, vocab=97):
        super().__init__()
        self.apply_rotary, self.heads = apply, heads
        self.embed_tokens = nn.Embedding(vocab, dim)
        self.rotary_emb = RotaryOfTransformers(config, rotary_dim)
        self.layers = nn.ModuleList(nn.ModuleDict({"qkv": nn.Linear(dim, 2 * dim), "out": nn.Linear(dim, dim), "up": nn.Linear(dim, 2 * dim),
                                                   "down": nn.Linear(2 * dim, dim)}) for _ in range(2))
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids, position_ids):
        x = self.embed_tokens(ids)
        cos, sin = self.rotary_emb(x, position_ids)
        batch, rows, dim = x.shape
        for layer in self.layers:
            q, k, v = layer.qkv(x).split([dim, dim // 2, dim // 2], -1) if hasattr(layer, "qkv") else layer["qkv"](x).split([dim, dim // 2, dim // 2], -1)
            q, k, v = (t.view(batch, rows, -1, dim // self.heads).transpose(1, 2) for t in (q, k, v))
            q, k = self.apply_rotary(q, k, cos, sin)
            k, v = (t.repeat_interleave(2, 1) for t in (k, v))
            weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).masked_fill(torch.ones(rows, rows).triu(1).bool(), -1e9)
            x = x + layer["out"]((weights.softmax(-1) @ v).transpose(1, 2).reshape(batch, rows, dim))
            x = x + layer["down"](layer["up"](x).relu())
        return self.head(x)


def config(**members):
    return types.SimpleNamespace(hidden_size=64, num_attention_heads=4, num_key_value_heads=2, head_dim=16, max_position_embeddings=4096, **members)


LLAMA = config(model_type="llama", rope_theta=500000.0)
GLM = config(model_type="glm", rope_theta=10000.0, partial_rotary_factor=0.5)
QWEN = config(model_type="qwen2_vl", rope_theta=1000000.0, rope_scaling={"type": "mrope", "mrope_section": [2, 3, 3]})


class WhisperEncoder(nn.Module):
    """A model that adds a frozen nn.Embedding of sines."""

    def __init__(self, rows=150, dim=64):
        super().__init__()
        self.conv = nn.Conv1d(8, dim, 3, padding=1)
        self.embed_positions = nn.Embedding(rows, dim)
        self.embed_positions.requires_grad_(False)
        phases = torch.arange(rows)[:, None] * torch.exp(-math.log(10000) / (dim // 2 - 1) * torch.arange(dim // 2))
        self.embed_positions.weight.data = torch.cat([phases.sin(), phases.cos()], 1)
        self.learned = nn.Embedding(rows, dim)
        self.mix = nn.Linear(dim, dim)

    def forward(self, features):
        x = self.conv(features).transpose(1, 2)
        positions = torch.arange(x.shape[1])
        return self.mix(x + self.embed_positions.weight[: x.shape[1]] + self.learned(positions) + self.embed_positions(positions))


def seeded(make, seed=1):
    torch.manual_seed(seed)
    return make()


class Modules(unittest.TestCase):
    def setUp(self):
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", category=torch.jit.TracerWarning)

    def near(self, one, other, bound):
        self.assertEqual((one.dtype, one.shape), (other.dtype, other.shape))
        self.assertLessEqual((one.double() - other.double()).abs().max().item(), bound)


class Sinusoids(Modules):
    def test_forward(self):
        x = torch.randn(2, 300, 64)
        table = posenc.table(300, 64, dtype=torch.float64)
        for dtype, bound in ((torch.float32, 5e-7), (torch.bfloat16, 0.02), (torch.float16, 3e-3)):
            encoding = pt.SinusoidalPositionalEncoding(64, max_len=300, dropout=0.1).eval()
            self.near(encoding(x.to(dtype)), (x.to(dtype).double() + table).to(dtype), bound)
        self.assertTrue(torch.equal(encoding(x), posenc.Encoder(64).add_(x.clone())))
        self.assertTrue(torch.equal(encoding(x, first=7), posenc.Encoder(64).add_(x.clone(), first=7)))
        first = pt.SinusoidalPositionalEncoding(64, batch_first=False, scale=8, preset="fairseq")
        self.assertTrue(torch.equal(first(x.transpose(0, 1)), posenc.Encoder(64, preset="fairseq").add_(x.clone(), scale=8).transpose(0, 1)))
        for at in torch.arange(300) * 7, torch.arange(600).view(2, 300):
            want = posenc.Encoder(64, preset="fairseq").add_(x.clone(), positions=at, scale=8)
            self.assertTrue(torch.equal(first(x.transpose(0, 1), at), want.transpose(0, 1)))
        for other in torch.zeros(64, 64), torch.zeros(2, 3, 4, 64):
            with self.assertRaisesRegex(RuntimeError, "x must be .rows, batch, d_model"):
                first(other)
        for make in lambda: pt.SinusoidalPositionalEncoding(64, 0.1), lambda: pt.InputEmbedding(9, 64, 0.1):
            with self.assertRaisesRegex(TypeError, "max_len must be an integer or None, not 0.1: pass dropout"):
                make()
        with self.assertRaisesRegex(RuntimeError, "x has 301 rows, and max_len is 300"):
            encoding(torch.zeros(1, 301, 64))
        self.assertEqual(list(encoding.state_dict()), [])
        self.assertTrue(torch.equal(copy.deepcopy(encoding)(x), encoding(x)))

    def test_dropout(self):
        encoding = pt.SinusoidalPositionalEncoding(64, dropout=0.5)
        x = torch.full((2, 300, 64), 3.0, requires_grad=True)  # so large that no sum is 0
        torch.manual_seed(3)
        made = encoding(x)
        torch.manual_seed(3)
        self.assertTrue(torch.equal(made, PositionalEncoding(64, dropout=0.5).dropout(encoding.eval()(x))))
        made.sum().backward()
        self.assertTrue(torch.equal(x.grad == 0, made == 0))

    def test_checkpoint(self):
        """A checkpoint of the class that was replaced can be loaded. `difference` says how much its table differs."""
        old = PositionalEncoding(64)
        new = pt.SinusoidalPositionalEncoding(64, max_len=5000)
        new.load_state_dict(old.state_dict())
        self.assertTrue(0 < new.difference < 1e-3)  # phases in float32
        outer = nn.Sequential(nn.Linear(3, 64), new)
        outer.load_state_dict(nn.Sequential(nn.Linear(3, 64), PositionalEncoding(64)).state_dict())
        other = pt.SinusoidalPositionalEncoding(64, preset="fairseq")
        with self.assertWarnsRegex(UserWarning, "pe differs from posenc.Encoder.*layout=sin_cos odd_column=zero_last .* by [12].*row"):
            other.load_state_dict(old.state_dict())
        self.assertGreater(other.difference, 1)
        state = old.state_dict()
        state["pe"] = state["pe"].clone()
        state["pe"][0, 17, 5] = math.nan
        with self.assertWarnsRegex(UserWarning, "pe differs .* row 17, column 5"):
            new.load_state_dict(state)
        with self.assertRaisesRegex(RuntimeError, "pe has the shape .* should have 32 columns"):
            pt.SinusoidalPositionalEncoding(32).load_state_dict(old.state_dict())
        with self.assertRaisesRegex(RuntimeError, r"pe has the shape \[2, 5000, 64\]"):
            new.load_state_dict({"pe": old.pe.repeat(2, 1, 1)})
        for rows in 1, 0:
            new.load_state_dict({"pe": old.pe[:, :rows]})
            self.assertEqual(new.difference, 0)
        pt.SinusoidalPositionalEncoding(1).load_state_dict({"pe": torch.tensor([[[0.0], [math.sin(1)]]])})
        with self.assertRaisesRegex(RuntimeError, "Unexpected key.*weight"):
            new.load_state_dict({"weight": torch.ones(3)})

    def test_axes(self):
        """The shape of a table shows whether its class took [rows, batch] or [batch, rows]."""
        first, other = pt.SinusoidalPositionalEncoding(64), pt.SinusoidalPositionalEncoding(64, batch_first=False, scale=8)
        text = r"pe has the shape \[5000, 1, 64\], which belongs to inputs \[rows, batch, d_model\]: if your inputs have this shape, pass batch_first=False"
        with self.assertWarnsRegex(UserWarning, text):
            first.load_state_dict(SequenceFirst(64).state_dict())
        self.assertLess(first.difference, 1e-3)
        other.load_state_dict(SequenceFirst(64).state_dict())
        with self.assertWarnsRegex(UserWarning, r"\[1, 5000, 64\].* \[batch, rows, d_model\]: .* pass batch_first=True"):
            other.load_state_dict(PositionalEncoding(64).state_dict())
        with self.assertWarnsRegex(UserWarning, r"inputs \[rows, batch\]: transpose them"):
            pt.InputEmbedding(97, 64).load_state_dict({"embedding.weight": torch.zeros(97, 64), "pe": SequenceFirst(64).pe})
        for module in first, other, pt.SinusoidalPositionalEncoding(64, batch_first=False):
            module.load_state_dict({"pe": PositionalEncoding(64).pe[0]})
            module.load_state_dict({"pe": PositionalEncoding(64).pe[:, :1]})
        self.assertIn("(\n  dim=64, scale=1.0, batch_first=True", repr(first))
        self.assertIn(", scale=8.0, batch_first=False", repr(other))
        self.assertIn(", scale=3.0", repr(pt.InputEmbedding(9, 64, scale=3)))

    def test_subclass(self):
        """A subclass with other modules loads their weights, whatever their names are."""

        class More(pt.SinusoidalPositionalEncoding):
            def __init__(self):
                super().__init__(64)
                self.other = nn.Module()
                self.other.register_buffer("encoding", torch.ones(3, 64))

        saved = More().state_dict()
        new = More()
        new.other.encoding.zero_()
        new.load_state_dict({**saved, "pe": posenc.table(9, 64, dtype=torch.float32)})
        self.assertTrue((new.other.encoding == 1).all())
        self.assertLess(new.difference, 1e-7)

    def test_input_embedding(self):
        old = seeded(lambda: InputEmbedding(97, 64))
        new = pt.InputEmbedding(97, 64)
        new.load_state_dict(old.state_dict())
        self.assertTrue(torch.equal(new.embedding.weight, old.token_embedding.weight))
        ids = torch.arange(194).view(2, 97) % 97
        made, want = new(ids), old(ids)
        self.near(made, want, 1e-5)
        gradient = torch.randn(2, 97, 64)
        made.backward(gradient)
        want.backward(gradient)
        self.near(new.embedding.weight.grad, old.token_embedding.weight.grad, 1e-6)
        again = pt.InputEmbedding(97, 64)
        again.load_state_dict(new.state_dict())
        self.assertTrue(torch.equal(again(ids), made))
        self.assertTrue(torch.equal(pt.InputEmbedding(97, 64, scale=8.0).half()(ids).isfinite(), ids[..., None].expand(2, 97, 64) >= 0))

    def test_padding(self):
        """The row of padding_idx stays zero, also in an embedding that is put into the module. Unsupported options are refused."""
        ids = torch.tensor([[3, 0, 0, 5]])
        new, other = pt.InputEmbedding(9, 64, padding_idx=0), pt.InputEmbedding(9, 64)
        other.embedding = nn.Embedding(9, 64, padding_idx=0)
        for module in new, other:
            self.assertFalse(module.embedding.weight[0].any())
            module(ids).sum().backward()
            self.assertEqual(module.embedding.weight.grad.any(1).nonzero().flatten().tolist(), [3, 5])
        for members in {"max_norm": 1.0}, {"scale_grad_by_freq": True}, {"sparse": True}:
            other.embedding = nn.Embedding(9, 64, **members)
            with self.assertRaisesRegex(RuntimeError, "embedding must have no max_norm"):
                other(ids)

    def test_trace(self):
        encoding = pt.SinusoidalPositionalEncoding(64).eval()
        traced = torch.jit.trace(encoding, torch.randn(2, 5, 64))
        x = torch.randn(3, 9, 64)
        self.assertTrue(torch.equal(traced(x), encoding(x)))


class Rotaries(Modules):
    def test_cos_and_sin(self):
        """forward as in transformers."""
        for of, dim in ((LLAMA, 16), (GLM, 8)):
            old, new = RotaryOfTransformers(of, dim), pt.RotaryEmbedding.from_config(of)
            positions = torch.arange(50)[None] + torch.tensor([[0], [900]])
            for dtype in torch.float32, torch.bfloat16, torch.float64:
                for one, other in zip(new(torch.zeros(1, dtype=dtype), positions), old(torch.zeros(1, dtype=dtype), positions)):
                    self.near(one, other, 1e-4 if dtype != torch.bfloat16 else 0.008)
        unknown = config(model_type="own", rope_theta=1000.0)  # posenc needs its pairing, although it changes neither cos nor sin
        with self.assertRaisesRegex(ValueError, '"own"'):
            pt.RotaryEmbedding.from_config(unknown)
        old, new = RotaryOfTransformers(unknown, 16), pt.RotaryEmbedding.from_config(unknown, pairing="neighbours")
        self.assertEqual(new.rotary.pairing, "neighbours")
        for one, other in zip(new(torch.zeros(1), positions), old(torch.zeros(1), positions)):
            self.near(one, other, 1e-4)
        old, new = RotaryOfTransformers(QWEN, 16), pt.RotaryEmbedding.from_config(QWEN)
        positions = torch.arange(300).view(3, 2, 50)
        for one, other in zip(new(torch.zeros(1), positions), old(torch.zeros(1), positions)):
            self.near(one, other, 1e-4)

    def test_rotate(self):
        q, k = torch.randn(2, 4, 50, 16), torch.randn(2, 2, 50, 16)
        positions = torch.arange(50)[None] + torch.tensor([[0], [900]])
        for of, apply, dim in ((LLAMA, apply_llama, 16), (GLM, apply_glm, 8)):
            rotary = pt.RotaryEmbedding.from_config(of)
            for at in positions, positions[:1], positions[0]:
                cos, sin = RotaryOfTransformers(of, dim)(q, at if at.ndim == 2 else at[None])
                for one, other in zip(rotary.rotate(q, k, at), apply(q, k, cos, sin)):
                    self.near(one, other, 5e-4)
            tokens = q.transpose(1, 2).reshape(2, 50, 64), k.transpose(1, 2).reshape(2, 50, 32)
            for one, other in zip(rotary(positions, *tokens), rotary.rotate(q, k, positions)):  # forward as in vLLM
                self.assertTrue(torch.equal(one.view(2, 50, -1, 16).transpose(1, 2), other))
            for one, other in zip(rotary(positions[0], tokens[0][0], tokens[1][0].view(50, 2, 16)), rotary.rotate(q[0], k[0], positions[0])):
                self.assertTrue(torch.equal(one.view(50, -1, 16).transpose(0, 1), other))
            self.assertIsNone(rotary(positions[0], tokens[0][0], None)[1])
            for none in torch.zeros(0, 32), torch.zeros(0, 2, 16):
                self.assertEqual(rotary(positions[0, :0], torch.zeros(0, 64), none)[1].shape, none.shape)
        rotary = pt.RotaryEmbedding.from_config(QWEN)
        several = torch.arange(300).view(3, 2, 50)
        for at, beside in ((several, several), (positions, positions.expand(3, 2, 50)), (several[:, :1], several[:, :1].expand(3, 2, 50))):
            for one, other in zip(rotary.rotate(q, k, at), apply_qwen2_vl(q, k, *RotaryOfTransformers(QWEN, 16)(q, beside))):
                self.near(one, other, 5e-4)
        for few in q[:1, :, :1], q:
            with self.assertRaisesRegex(TypeError, "position_ids must be a tensor"):
                pt.RotaryEmbedding.from_config(LLAMA).rotate(few, few, None)
        for small in 2, 50:
            few, at = [x[:, :, :small] for x in (q, k)], positions[:, :small]
            for one, other in zip(pt.RotaryEmbedding.from_config(LLAMA).rotate(*few, at, inverse=True), posenc.Rotary.from_config(LLAMA).rotate(*few, positions=at, token_axis=-2, inverse=True)):
                self.assertTrue(torch.equal(one, other))
        with self.assertRaisesRegex(RuntimeError, r"positions must have the shape \[50\], the same for all sequences, or \[2, 50\], not \[3, 50\]"):
            rotary.rotate(q, k, several[:, 0])
        for one, other in zip(rotary(several[:, 0], q[0].transpose(0, 1).reshape(50, 64), k[0].transpose(0, 1)), rotary.rotate(q[:1], k[:1], several[:, :1])):
            self.assertTrue(torch.equal(one.view(50, -1, 16).transpose(0, 1), other[0]))

    def test_checkpoint(self):
        """Old checkpoints contain inv_freq, and can be loaded."""
        rotary = pt.RotaryEmbedding.from_config(LLAMA)
        inv_freq = RotaryOfTransformers(LLAMA, 16).inv_freq
        model = nn.ModuleDict({"rotary_emb": rotary})
        for kept in inv_freq, inv_freq.bfloat16():
            model.load_state_dict({"rotary_emb.inv_freq": kept})
        rotary.load_state_dict({})
        for other in inv_freq * 1.02, inv_freq[:-1]:
            with self.assertWarnsRegex(UserWarning, "rotary_emb.inv_freq has other frequencies than .*Rotary"):
                model.load_state_dict({"rotary_emb.inv_freq": other})
        with self.assertRaisesRegex(RuntimeError, "Unexpected key.*inv_freqs"):
            model.load_state_dict({"rotary_emb.inv_freqs": inv_freq})

    def test_devices(self):
        """Tensors on another device are refused. With move=True, cos and sin are made on the CPU and moved."""
        rotary = posenc.Rotary(16)
        x, positions = torch.zeros(1, device="meta"), torch.arange(5)[None]
        self.assertEqual(pt.RotaryEmbedding(rotary, move=True)(x, positions)[0].device.type, "meta")
        self.assertEqual(pt.RotaryEmbedding(rotary)(x, positions)[0].device.type, "cpu")
        with self.assertRaisesRegex(RuntimeError, "positions is on meta|positions is on another device"):
            pt.RotaryEmbedding(rotary).rotate(torch.zeros(1, 2, 5, 16), torch.zeros(1, 2, 5, 16), positions.to("meta"))
        for i, name in enumerate(("q", "k", "position_ids")):
            arguments = [torch.zeros(1, 2, 5, 16), torch.zeros(1, 2, 5, 16), positions]
            arguments[i] = [1]
            with self.assertRaisesRegex(TypeError, f"{name} must be a tensor, not <class 'list'>"):
                pt.RotaryEmbedding(rotary).rotate(*arguments)


class Patch(Modules):
    def logits(self, model, *inputs):
        with torch.no_grad():
            return model(*inputs)

    def check(self, make, names, *inputs, bound=3e-5):
        """patch() changes logits by no more than phases in float explain, and unpatch() restores them. docs/accuracy.md has the
        error of phases in float: 2.6e-6 standard deviations of the logit of one head, at 512 tokens."""
        model = seeded(make).eval()
        before = self.logits(model, *inputs)
        old = [type(module) for module in model.modules()]
        report = pt.patch(model)
        self.assertEqual([one.name for one in report if one.new is not None], names, report)
        for one in report:
            self.assertIs(model.get_submodule(one.name), one.new)
            self.assertLess(one.difference, 0.04)
        self.assertEqual(pt.patch(model), [])
        after = self.logits(model, *inputs)
        self.assertFalse(torch.equal(before, after))  # something was replaced
        self.near(after, before, bound * before.std().item())
        self.assertEqual(pt.unpatch(model), len(names))
        self.assertEqual([type(module) for module in model.modules()], old)
        self.assertTrue(torch.equal(self.logits(model, *inputs), before))

    def test_decoders(self):
        ids = torch.arange(600).view(2, 300) * 31 % 97
        positions = torch.arange(300)[None]
        self.check(lambda: Decoder(LLAMA, 16, apply_llama), ["rotary_emb"], ids, positions)
        self.check(lambda: Decoder(GLM, 8, apply_glm), ["rotary_emb"], ids, positions)
        self.check(lambda: Decoder(QWEN, 16, apply_qwen2_vl), ["rotary_emb"], ids, torch.stack([positions, positions // 7, positions % 7]).expand(3, 2, 300))

    def test_without_configuration(self):
        def make():
            model = Decoder(LLAMA, 16, apply_llama)
            del model.rotary_emb.config
            model.rotary_emb.attention_scaling = 1.25
            return model

        self.check(make, ["rotary_emb"], torch.arange(300)[None] % 97, torch.arange(300)[None])

    def test_whisper(self):
        self.check(WhisperEncoder, ["embed_positions"], torch.randn(2, 8, 120))
        model = WhisperEncoder().half()
        weight = model.embed_positions.weight.clone()
        pt.patch(model)
        self.assertTrue(torch.equal(model.embed_positions.weight.isfinite(), weight.isfinite()))
        self.near(model.embed_positions.weight, weight, 1e-3)
        model.load_state_dict(WhisperEncoder().state_dict())
        self.assertLess(model.embed_positions.difference, 1e-4)

    def test_notebooks(self):
        ids = torch.arange(600).view(2, 300) % 97
        self.check(lambda: InputEmbedding(97, 64), ["pos_encoding"], ids, bound=1e-4)
        model = nn.Sequential(SequenceFirst(64), PositionalEncoding(64, dropout=0.3))
        report = pt.patch(model)
        self.assertEqual([(one.new.batch_first, one.new.scale, one.new.dropout.p) for one in report], [(False, 8.0, 0.0), (True, 1.0, 0.3)])
        self.assertTrue(model[1].training)

    def test_what_is_left(self):
        """Modules that compute something else are left in place, and the report says why."""

        class Other(RotaryOfTransformers):
            def forward(self, x, position_ids):
                return super().forward(x, position_ids * 2)

        class Broken(PositionalEncoding):
            def forward(self, x):
                raise ValueError("no forward")

        class Table(PositionalEncoding):
            def forward(self, x):
                return self.pe[:, : x.size(1)]

        frozen = nn.Embedding(9, 64)
        frozen.requires_grad_(False)
        model = nn.Sequential(Other(LLAMA, 16), Broken(64), Table(64), frozen, nn.Embedding(9, 64), nn.Linear(3, 3))
        before = list(model)
        report = pt.patch(model)
        self.assertEqual(list(model), before)
        self.assertEqual([(one.name, one.new) for one in report], [("0", None), ("1", None), ("2", None)])
        self.assertRegex(report[0].reason, "the nearest, RotaryEmbedding.* differs by")
        self.assertRegex(report[1].reason, "no forward")
        self.assertRegex(report[2].reason, "shapes")

    def left(self, module, reason):
        model = nn.Sequential(PositionalEncoding(64), module, PositionalEncoding(64))
        report = pt.patch(model)
        self.assertEqual([one.name for one in report if one.new is not None], ["0", "2"])  # the modules before and after it
        self.assertIs(model[1], module)
        self.assertRegex("".join(one.reason for one in report), reason)

    def test_lengths(self):
        """A module whose scaling depends on the length is left in place, because no Rotary does this. Calling it for the
        comparison does not change it."""

        class Dynamic(RotaryOfTransformers):
            longest = 4096

            def forward(self, x, position_ids):
                length = position_ids.max().item() + 1
                if length > self.longest:
                    self.inv_freq, self.longest = self.inv_freq / (length / self.longest), length
                return super().forward(x, position_ids)

        scaling = {"rope_type": "dynamic", "factor": 2.0}
        known = config(model_type="llama", rope_theta=10000.0, rope_scaling=scaling)
        for of in known, LLAMA, config(rope_theta=10000.0, longest=1 << 20):
            module = Dynamic(of, 16)
            module.original_max_seq_len = module.longest = getattr(of, "longest", 4096)
            before = module.inv_freq.clone()
            self.left(module, "depends on the length")
            self.assertTrue(torch.equal(module.inv_freq, before))

    def test_low_frequencies(self):
        """Low frequencies matter only at far positions. Here they are 0 in the module, but not in the configuration."""
        model = nn.Sequential(RotaryOfTransformers(config(model_type="llama", rope_theta=1e6), 16))
        model[0].inv_freq[-2:] = 0
        pt.patch(model)
        self.assertTrue((model[0].rotary.frequencies[-2:] == 0).all())

    def test_types(self):
        class Float(RotaryOfTransformers):
            def forward(self, x, position_ids):
                return super().forward(x.float(), position_ids)

        class Stacked(RotaryOfTransformers):
            def forward(self, x, position_ids):
                return torch.stack(super().forward(x, position_ids))

        self.left(Stacked(LLAMA, 16), "not a pair")
        self.left(Float(LLAMA, 16), "types torch.float32 and torch.bfloat16 differ")
        model = nn.Sequential(RotaryOfTransformers(LLAMA, 16))
        model[0]._buffers = {"count": torch.zeros(1, dtype=torch.int64), **model[0]._buffers}
        self.assertIsNotNone(pt.patch(model)[0].new)

    def test_other_arguments(self):
        """A module whose forward has other arguments is left in place: callers would pass them to a module that does not know
        them."""

        class Masked(PositionalEncoding):
            def forward(self, x, mask=None):
                return super().forward(x) if mask is None else super().forward(x) * mask[..., None]

        class Length(RotaryOfTransformers):
            def forward(self, x, position_ids, seq_len=None):
                return super().forward(x, position_ids)

        class Past(nn.Embedding):
            def forward(self, shape, past=0):
                return super().forward(torch.arange(past, past + shape[1]))

        past = Past(50, 64)
        past.weight = nn.Parameter(posenc.table(50, 64, dtype=torch.float32), requires_grad=False)
        class Scaled(PositionalEncoding):
            """As in SpeechT5, with the initial value of its parameter."""

            def __init__(self):
                super().__init__(64)
                self.alpha = nn.Parameter(torch.ones(()))

            def forward(self, x):
                return x + self.alpha * self.pe[:, : x.size(1)]

        hooked = PositionalEncoding(64)
        hooked.register_forward_hook(lambda *_: None)
        self.left(Masked(64), "arguments: mask")
        self.left(Length(LLAMA, 16), "arguments: seq_len")
        self.left(past, "arguments: past")
        self.left(hooked, "hooks")
        self.left(Scaled(), "trained: alpha")

    def test_tables(self):
        """All rows of a table are compared, and so is dropout."""

        class Functional(PositionalEncoding):
            def forward(self, x):
                return nn.functional.dropout(x + self.pe[:, : x.size(1)], 0.3, self.training)

        other_rows = PositionalEncoding(64)
        other_rows.pe[0, 3000] = 0
        torch.manual_seed(7)
        state = torch.random.get_rng_state()
        self.left(Functional(64), "dropout")
        self.left(other_rows, "the nearest, Sinusoidal.*, differs by 1$")
        self.assertTrue(torch.equal(torch.random.get_rng_state(), state))

    def test_what_fails(self):
        class Lazy(nn.Module):
            @property
            def pe(self):
                raise RuntimeError("not yet")

        self.left(RotaryOfTransformers(LLAMA, 16).to("meta"), "meta")
        self.left(PositionalEncoding(64).to("meta"), "meta")
        self.left(Lazy(), "not yet")
        for embedding in nn.Embedding(9, 64).to("meta"), nn.Embedding(0, 64):
            self.left(embedding.requires_grad_(False), "^$")

    def test_scripted(self):
        """A scripted module keeps its submodules."""
        self.assertEqual(pt.patch(torch.jit.trace(nn.Sequential(PositionalEncoding(64)), torch.zeros(1, 3, 64))), [])

    def test_mode(self):
        """Modules that unpatch() puts back get the mode (training or not) that the model has now."""
        model = nn.Sequential(PositionalEncoding(64, dropout=0.5))
        pt.patch(model)
        model.eval()
        pt.unpatch(model)
        self.assertFalse(model[0].training or model[0].dropout.training)

    def test_shared(self):
        """A module that is twice in a model is replaced by a single module."""
        shared = PositionalEncoding(64)
        model = nn.ModuleDict({"a": nn.Sequential(shared), "b": shared})
        self.assertEqual(len(pt.patch(model)), 1)
        self.assertIs(model["a"][0], model["b"])
        self.assertEqual(pt.unpatch(model), 2)
        self.assertIs(model["a"][0], shared)


class Attention(nn.Module):
    """One layer of attention, which rotates q and k with `rotate`."""

    def __init__(self, embed, rotate, vocab=23, dim=32):
        super().__init__()
        self.embed, self.rotate = embed, rotate
        self.qkv, self.out, self.head = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim), nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.embed(ids)
        q, k, v = (t.view(*ids.shape, 2, 16).transpose(1, 2) for t in self.qkv(x).chunk(3, -1))
        q, k = self.rotate(q, k)
        weights = (q @ k.transpose(-1, -2) / 4).masked_fill(torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool(), -1e9)
        x = x + self.out((weights.softmax(-1) @ v).transpose(1, 2).reshape(x.shape))
        return self.head(torch.tanh(x))


class Training(Modules):
    def losses(self, make, steps):
        model = seeded(make)
        optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
        ids = torch.randint(23, (8, 24), generator=torch.Generator().manual_seed(4))  # the model must memorize these
        losses = []
        for _ in range(steps):
            loss = nn.functional.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        return losses

    def compare(self, ours, theirs):
        ours, theirs = self.losses(ours, 200), self.losses(theirs, 200)
        self.assertLess(theirs[-1], theirs[0] - 0.3)  # it learns
        self.assertLess(max(abs(a - b) for a, b in zip(ours[:20], theirs)), 1e-5)
        self.assertLess(max(abs(a - b) for a, b in zip(ours, theirs)), 1e-3)
        print("largest difference of losses: %.1e after 20 steps, %.1e after 200" % tuple(max(abs(a - b) for a, b in zip(ours[:n], theirs)) for n in (20, 200)))

    def test_embedding(self):
        """InputEmbedding, compared with nn.Embedding and a table."""

        class Theirs(InputEmbedding):
            def forward(self, ids):
                return self.token_embedding(ids) * math.sqrt(32) + self.pos_encoding.pe[:, : ids.shape[1]]

        still = lambda q, k: (q, k)

        def small(embedding, weight):
            nn.init.normal_(weight, std=32**-0.5)
            return embedding

        def ours():
            made = pt.InputEmbedding(23, 32, scale=math.sqrt(32))
            return small(made, made.embedding.weight)

        def theirs():
            made = Theirs(23, 32)
            return small(made, made.token_embedding.weight)

        self.compare(lambda: Attention(ours(), still), lambda: Attention(theirs(), still))

    def test_sums(self):
        embedded = lambda encoding: nn.Sequential(nn.Embedding(23, 32), encoding)
        still = lambda q, k: (q, k)
        self.compare(lambda: Attention(embedded(pt.SinusoidalPositionalEncoding(32)), still), lambda: Attention(embedded(PositionalEncoding(32)), still))

    def test_rotary(self):
        rotary, positions = RotaryOfTransformers(LLAMA, 16), torch.arange(23)[None]
        ours = pt.RotaryEmbedding.from_config(LLAMA)
        self.compare(lambda: Attention(nn.Embedding(23, 32), lambda q, k: ours.rotate(q, k, positions)),
                     lambda: Attention(nn.Embedding(23, 32), lambda q, k: apply_llama(q, k, *rotary(q, positions))))


class Documents(unittest.TestCase):
    def test_page(self):
        """The program in docs/pytorch.md prints what the page says."""
        with open(os.path.join(os.path.dirname(__file__), "../../../docs/pytorch.md")) as file:
            text = file.read()
        program, printed = (text.split(f"```{language}\n", 1)[1].split("```", 1)[0] for language in ("python", "text"))
        self.assertEqual(subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout, printed)


if __name__ == "__main__":
    unittest.main()
