"""Detects what torch does with tensors besides storing numbers: recording, gradients, transforms. Needs torch, so it is imported
only after torch has been imported."""

import torch
from torch.autograd import forward_ad

Tensor = torch.Tensor
strided = torch.strided
dtypes = torch.float32, torch.bfloat16, torch.float16, torch.float64, torch.int32, torch.int64  # in the order of posenc_type
is_grad_enabled = torch.is_grad_enabled
empty_like, contiguously = torch.empty_like, {"memory_format": torch.contiguous_format}
# A later torch may lack names that begin with an underscore. Then these functions say that nothing is recorded.
tracing_state = getattr(torch._C, "_get_tracing_state", type(None))
mode_count = getattr(torch._C, "_len_torch_dispatch_stack", int)
function_mode_count = getattr(torch._C, "_len_torch_function_stack", int)
are_transforms_active = getattr(torch._C, "_are_functorch_transforms_active", bool)

# The dispatch modes that record operators, for make_fx, torch.export and AOTAutograd.
_RECORDERS = ("FakeTensorMode", "ProxyTorchDispatchMode", "FunctionalTensorMode")


def recorder():
    """The name of the tool that records torch's operators now, or None."""
    name = "torch.jit.trace" if tracing_state() is not None else None
    for i in range(mode_count()):
        for kind in type(torch._C._get_dispatch_stack_at(i)).__mro__:
            if kind.__name__ in _RECORDERS:
                name = "torch's " + kind.__name__
    return name


def require_no_recording():
    """Raises RuntimeError while torch records operators. A call of posenc is not an operator, so the graph would contain a constant
    or uninitialized memory instead, or nothing at all."""
    its = recorder()
    if its:
        raise RuntimeError(
            f"{its} is recording, and cannot record what posenc computes: call posenc before, and keep tables as "
            "buffers of the module, or use posenc.torch")


def require_constant(tensor, name, is_written, instead):
    """Raises ValueError if a tensor is more than the numbers in its memory, because its gradient, tangent or batch would be lost.

    `instead` says what to write instead. If it is None, the message says how to use the tensor as a constant."""
    kind = type(tensor)
    constant = f"pass {name}.detach() if it is constant"
    if kind.__torch_dispatch__ is not torch._C._disabled_torch_dispatch_impl:
        raise ValueError(
            f"{name} is a {kind.__module__}.{kind.__qualname__}, whose elements posenc cannot reach: "
            "pass a plain tensor")
    if are_transforms_active() and (is_written or torch._C._functorch.is_functorch_wrapped_tensor(tensor)):
        raise ValueError(
            f"{name} is inside a transform of torch.func (vmap, grad, jvp, functionalize), which cannot see what "
            f"posenc computes: {instead or 'call posenc outside of it'}")
    if getattr(forward_ad, "_current_level", -1) >= 0 and forward_ad.unpack_dual(tensor).tangent is not None:
        raise ValueError(
            f"{name} has a tangent (torch.autograd.forward_ad), and posenc computes none: {instead or constant}")
    if tensor.requires_grad and is_grad_enabled():
        raise ValueError(
            f"{name} requires a gradient, and posenc records none: {instead or constant}, or call posenc under "
            "torch.no_grad()")


def move_version(tensor):
    """Tells autograd that the elements have changed, so that backward() refuses to use the old ones."""
    if not tensor.is_inference():  # inference tensors have no version, and take no part in gradients
        _move_version(tensor)


def _exchange_an_axis_with_itself(tensor):
    tensor.transpose_(0, 0)


_move_version = getattr(torch.autograd.graph, "increment_version", _exchange_an_axis_with_itself)  # torch 1.13 lacks it


def outside_transforms():
    """Inside a transform of torch.func: as long as the returned object lives, new tensors are ordinary tensors with memory."""
    return torch._C._DisableFuncTorch()


def empty(shape, dtype):
    try:
        return torch.empty(shape, dtype=dtype)
    except RuntimeError as error:
        raise MemoryError(str(error)) from None
