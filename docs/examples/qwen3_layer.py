"""The attention of a layer like Qwen3's in PyTorch. Before q and k rotate, each of their heads is normalized by RMSNorm. The module
NormedRotation of posenc.torch does both in one pass. The program compares the output and the gradients with a second way: q_norm
and k_norm as modules of their own, and then a rotation."""

import posenc
import posenc.torch
import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    """As in transformers, where it is Qwen3RMSNorm."""

    def __init__(self, size: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.variance_epsilon = eps

    def forward(self, x: Tensor) -> Tensor:
        floats = x.float()
        floats = floats * torch.rsqrt(floats.pow(2).mean(-1, keepdim=True) + self.variance_epsilon)
        return self.weight * floats.to(x.dtype)


class Attention(nn.Module):
    def __init__(self, hidden: int = 96, heads: int = 4, kv_heads: int = 2, head_dim: int = 64, eps: float = 1e-6) -> None:
        super().__init__()
        self.head_dim, self.groups = head_dim, heads // kv_heads
        self.q_proj, self.o_proj = nn.Linear(hidden, heads * head_dim, bias=False), nn.Linear(heads * head_dim, hidden, bias=False)
        self.k_proj, self.v_proj = (nn.Linear(hidden, kv_heads * head_dim, bias=False) for _ in range(2))
        self.q_norm, self.k_norm = RMSNorm(head_dim, eps), RMSNorm(head_dim, eps)
        rotary = posenc.Rotary(head_dim, base=1000000.0)
        self.rotation = posenc.torch.NormedRotation(rotary, self.q_norm, self.k_norm)

    def forward(self, x: Tensor, position_ids: Tensor, in_one_pass: bool = True) -> Tensor:
        batch, tokens, _ = x.shape
        q, k, v = (project(x).view(batch, tokens, -1, self.head_dim).transpose(1, 2)
                   for project in (self.q_proj, self.k_proj, self.v_proj))
        if in_one_pass:
            q, k = self.rotation(q, k, position_ids)
        else:
            q, k = self.rotation.rotary.rotate(self.q_norm(q), self.k_norm(k), position_ids)
        k, v = (heads.repeat_interleave(self.groups, 1) for heads in (k, v))
        future = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        weights = (q @ k.transpose(-1, -2) / self.head_dim**0.5).masked_fill(future, float("-inf")).softmax(-1)
        made: Tensor = self.o_proj((weights @ v).transpose(1, 2).flatten(2))
        return made


torch.manual_seed(0)
layer = Attention()
nn.init.uniform_(layer.q_norm.weight, 0.5, 1.5)
nn.init.uniform_(layer.k_norm.weight, 0.5, 1.5)
x, position_ids = torch.randn(2, 8, 96), torch.arange(8) + torch.tensor([[0], [5000]])

results = []
for in_one_pass in (True, False):
    layer.zero_grad()
    made = layer(x, position_ids, in_one_pass)
    made.pow(2).sum().backward()
    results.append([made.detach(), *(parameter.grad.clone() for parameter in layer.parameters() if parameter.grad is not None)])
agree = [torch.allclose(one, other, rtol=1e-4, atol=1e-5) for one, other in zip(*results)]
print(f"{len(agree)} tensors, {sum(agree)} of them agree")  # prints: 7 tensors, 7 of them agree

layer.eval()
traced = torch.jit.trace(layer, (x[:, :3], position_ids[:, :3]), check_trace=False)
print(torch.equal(layer(x[:, :3], position_ids[:, :3]), traced(x[:, :3], position_ids[:, :3])))  # prints: True
