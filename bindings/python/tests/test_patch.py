"""Tests posenc.torch.patch() with models like those of transformers and other libraries, and with modules that it must leave in
place."""

import math
import types
import unittest

import posenc

try:
    import torch
    import posenc.torch as pt
    from torch import nn
    from test_models import PositionalEncoding, apply_glm, apply_llama, rotate_neighbours
except ImportError:
    raise unittest.SkipTest("SKIPPED: python3-torch is not installed")

torch.set_num_threads(1)


# Rotary modules.


class Rotary(nn.Module):
    """As in transformers: cos and sin of phases in float."""

    def __init__(self, inv_freq, amplitude=1.0, **config):
        super().__init__()
        self.config, self.attention_scaling = types.SimpleNamespace(**config), amplitude
        self.max_seq_len_cached = self.config.max_position_embeddings
        self.register_buffer("inv_freq", inv_freq, persistent=False)

    def phases(self, x, position_ids):
        return position_ids[:, :, None].float() * self.inv_freq.float()

    def layout(self, phases):
        return torch.cat([phases, phases], -1)

    @torch.no_grad()
    def forward(self, x, position_ids):
        phases = self.layout(self.phases(x, position_ids))
        return tuple((table * self.attention_scaling).to(x.dtype) for table in (phases.cos(), phases.sin()))


class Halves(Rotary):
    """As in gpt-oss."""

    def layout(self, phases):
        return phases


class Neighbours(Rotary):
    """As in Cohere."""

    def layout(self, phases):
        return phases.repeat_interleave(2, -1)


class ByLayerType(nn.Module):
    """As for Gemma 3 in transformers 5."""

    def __init__(self, **inv_freqs):
        super().__init__()
        self.config = types.SimpleNamespace(max_position_embeddings=32768, layer_types=list(inv_freqs))
        for layer_type, inv_freq in inv_freqs.items():
            self.register_buffer(f"{layer_type}_inv_freq", inv_freq, persistent=False)
            self.register_buffer(f"{layer_type}_original_inv_freq", inv_freq.clone(), persistent=False)
            setattr(self, f"{layer_type}_attention_scaling", 1.0)

    @torch.no_grad()
    def forward(self, x, position_ids, layer_type=None):
        phases = position_ids[:, :, None].float() * getattr(self, f"{layer_type}_inv_freq")
        phases = torch.cat([phases, phases], -1)
        scaling = getattr(self, f"{layer_type}_attention_scaling")
        return (phases.cos() * scaling).to(x.dtype), (phases.sin() * scaling).to(x.dtype)


def plain(dim, base):
    return 1.0 / base ** (torch.arange(0, dim, 2).float() / dim)


def llama3(dim, base, factor=8.0, low=1.0, high=4.0, original=8192):
    inv_freq = plain(dim, base)
    smooth = ((original * inv_freq / (2 * math.pi) - low) / (high - low)).clamp(0, 1)
    return inv_freq * (smooth + (1 - smooth) / factor)


def yarn(dim, base, factor, original, fast=32, slow=1):
    first, last = (dim * math.log(original / (turns * 2 * math.pi)) / (2 * math.log(base)) for turns in (fast, slow))
    ramp = ((torch.arange(dim // 2) - first) / (last - first)).clamp(0, 1)
    return plain(dim, base) * (1 - ramp + ramp / factor)


# Models.


def apply_halves(q, k, cos, sin):
    return apply_llama(q, k, torch.cat([cos, cos], -1), torch.cat([sin, sin], -1))


def apply_neighbours(q, k, cos, sin):
    cos, sin = cos[:, None], sin[:, None]
    return q * cos + rotate_neighbours(q) * sin, k * cos + rotate_neighbours(k) * sin


def apply_latent(q, k, cos, sin):
    """Rotates the last 8 elements of each head. All heads of k share these elements."""
    shared = k[:, :1, :, -8:].expand(*k.shape[:-1], 8)
    pe, k_pe = apply_llama(q[..., -8:], shared, cos, sin)
    return torch.cat([q[..., :-8], pe], -1), torch.cat([k[..., :-8], k_pe], -1)


class Decoder(nn.Module):
    """A model with layers of attention. `layer_types` has the type of each layer, for modules that know several types."""

    def __init__(self, rotary_emb, apply, layer_types=(None, None), normalizes=False, dim=64, heads=4):
        super().__init__()
        self.apply_rotary, self.layer_types, self.normalizes, self.heads = apply, layer_types, normalizes, heads
        self.embed_tokens = nn.Embedding(97, dim)
        self.rotary_emb = rotary_emb
        self.layers = nn.ModuleList(nn.Linear(dim, 3 * dim) for _ in layer_types)

    def forward(self, ids, position_ids):
        x = self.embed_tokens(ids)
        for layer, layer_type in zip(self.layers, self.layer_types):
            more = () if layer_type is None else (layer_type,)
            cos, sin = self.rotary_emb(x, position_ids, *more)
            q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in layer(x).chunk(3, -1))
            if self.normalizes:  # as in Qwen 3
                q, k = (t * t.square().mean(-1, keepdim=True).add(1e-6).rsqrt() for t in (q, k))
            q, k = self.apply_rotary(q, k, cos, sin)
            weights = q @ k.transpose(-1, -2) / 4
            weights = weights.masked_fill(torch.ones(ids.shape[1], ids.shape[1]).triu(1).bool(), -1e9).softmax(-1)
            x = x + (weights @ v).transpose(1, 2).flatten(-2)
        return x


SIZES = dict(hidden_size=64, num_attention_heads=4, num_key_value_heads=4, head_dim=16)
LLAMA3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 8192}
YARN = {"rope_type": "yarn", "factor": 32.0, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": False, "original_max_position_embeddings": 4096}
AMPLITUDE = 0.1 * math.log(32) + 1
MODELS = {
    "Llama 3": lambda: Decoder(Rotary(llama3(16, 5e5), **SIZES, model_type="llama", rope_theta=5e5, rope_scaling=LLAMA3, max_position_embeddings=131072), apply_llama),
    "Qwen 3": lambda: Decoder(Rotary(plain(16, 1e6), **SIZES, model_type="qwen3", rope_theta=1e6, max_position_embeddings=40960), apply_llama, normalizes=True),
    "Gemma 3": lambda: Decoder(ByLayerType(sliding_attention=plain(16, 1e4), full_attention=plain(16, 1e6) / 8), apply_llama, ("sliding_attention", "full_attention")),
    "GLM": lambda: Decoder(Rotary(plain(8, 1e4), **SIZES, model_type="glm", rope_theta=1e4, partial_rotary_factor=0.5, max_position_embeddings=8192), apply_glm),
    "DeepSeek V3": lambda: Decoder(Rotary(yarn(8, 1e4, 40, 4096), 1.25, model_type="deepseek_v3", rope_theta=1e4, qk_rope_head_dim=8, qk_nope_head_dim=8, max_position_embeddings=163840), apply_latent),
    "gpt-oss": lambda: Decoder(Halves(yarn(16, 150000, 32, 4096), AMPLITUDE, **SIZES, model_type="gpt_oss", rope_theta=150000, rope_scaling=YARN, max_position_embeddings=131072), apply_halves),
    "Cohere": lambda: Decoder(Neighbours(plain(16, 1e4), **SIZES, model_type="cohere", rope_theta=1e4, max_position_embeddings=8192), apply_neighbours),
    "unknown": lambda: Decoder(Rotary(plain(16, 777.0), AMPLITUDE, model_type="none of posenc's", max_position_embeddings=2048), apply_llama),
}


# Modules that must be left in place. At the first positions, all of them are ordinary rotary modules.


class Clamped(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, position_ids.clamp(max=2047))


class SelfExtend(Rotary):
    """Groups positions beyond a window."""

    def phases(self, x, position_ids):
        return super().phases(x, torch.where(position_ids < 1024, position_ids, 768 + position_ids // 4))


class LongRopeByPosition(Rotary):
    def phases(self, x, position_ids):
        phases = super().phases(x, position_ids)
        return torch.where(position_ids[..., None] < 4096, phases, phases * torch.linspace(1, 0.25, phases.shape[-1]))


class LongRopeByLength(Rotary):
    def phases(self, x, position_ids):
        phases = super().phases(x, position_ids)
        return phases * torch.linspace(1, 0.25, phases.shape[-1]) if position_ids.max() >= 4096 else phases


class FromTheFirst(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, position_ids - position_ids[:, :1])


class FromTheLeast(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, position_ids - position_ids.min())


class OfTheFirstSequence(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, position_ids[:1].expand_as(position_ids))


class DynamicByX(Rotary):
    """Dynamic NTK that takes the length from x."""

    def phases(self, x, position_ids):
        return super().phases(x, position_ids) * min(1.0, 2048 / x.shape[1]) ** 0.5


class DynamicByCount(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, position_ids) * min(1.0, 2048 / position_ids.shape[1]) ** 0.5


class Running(Rotary):
    """Computes something else once it has seen 4096 positions."""

    def phases(self, x, position_ids):
        before = getattr(self, "seen", 0)
        self.seen = before + position_ids.shape[1]
        return super().phases(x, position_ids + max(0, before - 4096))


class InTheTypeOfX(Rotary):
    """Computes phases in the type of x, for example bfloat16."""

    def phases(self, x, position_ids):
        return (position_ids[:, :, None].to(x.dtype) * self.inv_freq.to(x.dtype)).float()


class Table(Rotary):
    """Has a table of 3000 positions, of which the last one is wrong."""

    def phases(self, x, position_ids):
        table = torch.arange(3000.0)[:, None] * self.inv_freq
        table[2999] = 0
        return table[position_ids]


class SingleToken(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, position_ids + (position_ids.shape[1] == 1))


class NearTheEnd(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, torch.where(position_ids == 262143, 0, position_ids))


class AtTheEnd(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, torch.where(position_ids == 262144, 0, position_ids))


class LongTable(Rotary):
    """Has a long table, in which one row is wrong."""

    def phases(self, x, position_ids):
        table = torch.arange(140000.0)[:, None] * self.inv_freq
        table[135000] = 0
        return table[position_ids]


class NoiseInTraining(Rotary):
    def phases(self, x, position_ids):
        return super().phases(x, position_ids) + (torch.rand(()) if self.training else 0)


class Trained(Rotary):
    """Has frequencies that require a gradient, but are not an nn.Parameter."""

    def __init__(self, inv_freq, *arguments, **config):
        super().__init__(inv_freq, *arguments, **config)
        self._buffers["inv_freq"] = inv_freq.clone().requires_grad_()


class Complex(Rotary):
    """As in DeepSeek V2."""

    def forward(self, x, position_ids):
        phases = self.phases(x, position_ids)
        return torch.polar(torch.ones_like(phases), phases)


LEFT = {Clamped: "differs", SelfExtend: "differs", LongRopeByPosition: "differs", LongRopeByLength: "depends on the length", FromTheFirst: "differs", FromTheLeast: "differs",
        OfTheFirstSequence: "differs", DynamicByX: "depends on the length", DynamicByCount: "differs", Running: "depends on the length", InTheTypeOfX: "differs",
        SingleToken: "differs", NearTheEnd: "differs", AtTheEnd: "differs", LongTable: "differs", NoiseInTraining: "on training", Trained: "trained: inv_freq",
        Table: "differs", Complex: "not a pair"}


class Patch(unittest.TestCase):
    def test_models(self):
        """The rotary module of each model is replaced. Logits change only as much as phases in float explain, and unpatch()
        restores them."""
        for name, make in MODELS.items():
            with self.subTest(name):
                torch.manual_seed(1)
                model = make().eval()
                ids, positions = torch.arange(600).view(2, 300) * 31 % 97, torch.arange(300)[None] + torch.tensor([[0], [900]])
                with torch.no_grad():
                    before = model(ids, positions)
                    (one,) = pt.patch(model)
                    print(f"{name}: {one.name} -> {one.new or one.reason}, {one.difference:.2g}")
                    self.assertIs(model.rotary_emb, one.new, one.reason)
                    self.assertTrue(0 < one.difference < 0.04, one)  # at the farthest position, where phases in float explain 2^-5
                    after = model(ids, positions)
                    self.assertFalse(torch.equal(before, after))
                    self.assertLess((after - before).abs().max(), 1e-4 * before.std())
                    self.assertEqual((pt.patch(model), pt.unpatch(model)), ([], 1))
                    self.assertTrue(torch.equal(model(ids, positions), before))

    def test_what_is_left(self):
        for kind, reason in LEFT.items():
            with self.subTest(kind.__name__):
                model = nn.Sequential(kind(plain(16, 1e4), **SIZES, model_type="llama", rope_theta=1e4, max_position_embeddings=8192))
                old = model.eval()[0]
                (one,) = pt.patch(model)
                print(f"{kind.__name__}: {one.reason}")
                self.assertIs(model[0], old)
                self.assertIsNone(one.new)
                self.assertRegex(one.reason, reason)
                self.assertEqual(getattr(old, "seen", 0), 0)

    def test_no_length_stated(self):
        """A wrong result far away is found, although no length is stated."""
        for kind in LEFT:
            module = kind(plain(16, 1e4), max_position_embeddings=None)
            del module.config
            self.assertIsNone(pt.patch(nn.Sequential(module))[0].new, kind.__name__)

    def test_table(self):
        """All positions of a table are compared; it has no others."""

        class Right(Rotary):
            def phases(self, x, position_ids):
                return (torch.arange(3000.0)[:, None] * self.inv_freq)[position_ids]

        self.assertIsNotNone(pt.patch(nn.Sequential(Right(plain(16, 1e4), max_position_embeddings=3000)))[0].new)

    def test_frequencies_in_bfloat16(self):
        """The frequencies of the module are used, not the frequencies of the configuration."""
        model = nn.Sequential(Rotary(plain(16, 1e4), **SIZES, model_type="llama", rope_theta=1e4, max_position_embeddings=8192)).bfloat16()
        (one,) = pt.patch(model)
        self.assertEqual(one.new.rotary.frequencies.tolist(), one.old.inv_freq.double().tolist())

    def test_layer_types(self):
        """The types of layers in a module are all replaced, or none of them is."""

        class ClampedByLayerType(ByLayerType):
            def forward(self, x, position_ids, layer_type=None):
                return super().forward(x, position_ids.clamp(max=2047) if layer_type == "b" else position_ids, layer_type)

        class Scaled(ByLayerType):
            def forward(self, x, position_ids, layer_type=None, scale=1.0):
                return super().forward(x, position_ids, layer_type)

        for kind, reason in (ClampedByLayerType, "^b: the nearest"), (Scaled, "other arguments"):
            model = nn.Sequential(kind(a=plain(16, 1e4), b=plain(16, 1e6)))
            (one,) = pt.patch(model)
            self.assertIsNone(one.new)
            self.assertRegex(one.reason, reason)
        with self.assertRaisesRegex(ValueError, r"layer_type must be one of \['a', 'b'\], not None"):
            model = nn.Sequential(ByLayerType(a=plain(16, 1e4), b=plain(16, 1e6)))
            pt.patch(model)
            model[0](torch.zeros(1), torch.zeros(1, 1))

    def test_layouts(self):
        with self.assertRaisesRegex(ValueError, "layout must be halves, duplicated, halves_twice, not 'twice'"):
            pt.RotaryEmbedding(posenc.Rotary(16), layout="twice")
        made = pt.RotaryEmbedding(posenc.Rotary(16), layout="halves")(torch.zeros(1), torch.arange(5)[None])
        self.assertEqual([one.shape for one in made], [(1, 5, 8)] * 2)

    def test_sums(self):
        """Modules with a table are called for all of its rows."""

        class Wraps(PositionalEncoding):
            def forward(self, x):
                return x + self.pe[:, torch.arange(x.size(1)) % 512]

        class Shrinks(PositionalEncoding):
            def forward(self, x):
                return x * min(1.0, 100 / x.size(1)) + self.pe[:, : x.size(1)]

        class Offset(nn.Embedding):
            def forward(self, ids):
                return super().forward(torch.where(ids < 20, ids, 0))

        offset = Offset(50, 64)
        offset.weight = nn.Parameter(posenc.table(50, 64, dtype=torch.float32), requires_grad=False)
        for module in Wraps(64), Shrinks(64), offset:
            (one,) = pt.patch(nn.Sequential(module))
            self.assertIsNone(one.new)
            self.assertRegex(one.reason, "the nearest, .*, differs by")
        class InOrder(nn.Embedding):
            """Computes something else for batches."""

            def forward(self, ids):
                return super().forward(ids if ids.ndim == 1 else torch.arange(ids.shape[1]).expand_as(ids))

        class OneRow(PositionalEncoding):
            def forward(self, x):
                return x + self.pe[:, : x.size(1)] * (x.size(1) > 1)

        class InTraining(PositionalEncoding):
            def forward(self, x):
                return self.dropout(x + self.pe[:, : x.size(1)]) + self.training * 0.5

        class OfTheTable(PositionalEncoding):
            def forward(self, x):
                return x + self.dropout(self.pe[:, : x.size(1)])

        in_order = InOrder(50, 64)
        in_order.weight = offset.weight
        for module, text in ((in_order, "differs"), (OneRow(64), "differs"), (InTraining(64), "in training"), (InTraining(64, dropout=0.1), "in training"),
                             (OfTheTable(64, dropout=0.5), "in training")):
            (one,) = pt.patch(nn.Sequential(module))
            self.assertIsNone(one.new, type(module).__name__)
            self.assertRegex(one.reason, text)
        for p in 0.1, 1.0:
            self.assertEqual(pt.patch(nn.Sequential(PositionalEncoding(64, 50, dropout=p)))[0].new.dropout.p, p)
        plain_table = nn.Embedding(50, 64, _weight=offset.weight.data).requires_grad_(False)
        self.assertIsNotNone(pt.patch(nn.Sequential(plain_table))[0].new)
        self.assertIsNotNone(pt.patch(nn.Sequential(PositionalEncoding(64, 20000)))[0].new)  # its phases are in float


if __name__ == "__main__":
    unittest.main()
