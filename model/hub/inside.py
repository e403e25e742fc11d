"""Attach PyTorch forward hooks to a library model, to record its residual stream.

The PyTorch hooks are attached once, when the model is opened. They do nothing unless the call has
hooks of this project (``hooks_of_call``). The names and meanings are those of
``transformer/shapes``. The attentions record their stages themselves, see ``attention``.
"""

from typing import Any

from torch import Tensor, nn

from model.hub.attention import hooks_at
from model.hub.families import Family, submodule
from model.nn.hooks import NO_HOOKS


def attach_hooks(stack: nn.Module, name: str, family: Family) -> None:
    """Attach hooks to the encoder or to the decoder.

    Args:
        stack: the module of the library.
        name: ``"encoder"`` or ``"decoder"``, with which its records begin.
        family: the names of its parts.
    """
    # 1. The embedding
    scale = getattr(stack, "embed_scale", 1.0)  # other families scale inside the module
    _record_output(submodule(stack, family.tokens), name, "token_embedding", scale=scale)
    if family.positions is not None:
        _record_output(submodule(stack, family.positions), name, "position")

    # 2. The blocks
    blocks = submodule(stack, family.blocks)
    _record_input(blocks[0], name, "embedded")
    for layer, block in enumerate(blocks):
        path = f"{name}.{layer}"
        attentions = {"self": family.self_attention}
        if name == "decoder":
            attentions["cross"] = family.cross_attention
        for attention_name, attention_path in attentions.items():
            attention = submodule(block, attention_path)
            attention.path = f"{path}.{attention_name}"
            _record_input(attention, attention.path, "x")
            _record_output(attention, attention.path, "attn_out")
        ffn_output = submodule(block, family.ffn_output)
        _record_input(ffn_output, f"{path}.ffn", "hidden")
        _record_output(ffn_output, f"{path}.ffn", "ffn_out")
        _record_stream(block, path, family)


def _record_stream(block: nn.Module, path: str, family: Family) -> None:
    """Record the residual stream before, between and after the sublayers of a block.

    Args:
        block: a block of the encoder or decoder, in the library's model.
        path: the path under which it records, such as "encoder.0".
        family: where the submodules of this type of model are.
    """
    self_norm = submodule(block, family.self_norm)
    ffn_norm = submodule(block, family.ffn_norm)
    is_decoder = path.startswith("decoder")
    _record_input(block, path, "resid_pre")
    if family.norm == "post":
        _record_output(self_norm, path, "resid_mid")
        if is_decoder:
            _record_output(submodule(block, family.cross_norm), path, "resid_cross")
    elif is_decoder:
        _record_input(submodule(block, family.cross_norm), path, "resid_mid")
        _record_input(ffn_norm, path, "resid_cross")
    else:
        _record_input(ffn_norm, path, "resid_mid")
    _record_output(block, path, "resid_post")


def _record_input(module: nn.Module, path: str, name: str) -> None:
    """Record the first input of a module under a path and a name.

    Args:
        module: a module of the library's model.
        path: the path under which it records.
        name: the name of the recorded tensor.
    """

    def hook(_module: nn.Module, inputs: tuple[Any, ...], options: dict[str, Any]) -> None:
        """Record the first input; PyTorch calls this before the module's ``forward``.

        Args:
            _module: the module.
            inputs: its positional arguments.
            options: its keyword arguments.
        """
        tensor = inputs[0] if inputs else options["hidden_states"]
        hooks_at(path).record(**{name: tensor})

    module.register_forward_pre_hook(hook, with_kwargs=True)


def _record_output(module: nn.Module, path: str, name: str, *, scale: float = 1.0) -> None:
    """Record the first output of a module, or replace it if there is a patch for it.

    Args:
        module: of the library.
        path: of the record.
        name: of the record.
        scale: factor that the library applies after the module. It is in the record; a patch
            replaces the output before it.
    """

    def hook(_module: nn.Module, _inputs: tuple[Any, ...], output: Any) -> Any:
        """Record the first output; PyTorch calls this after the module's ``forward``.

        Args:
            _module: the module.
            _inputs: its positional arguments.
            output: what it returned: a tensor, or a tuple that begins with one.

        Returns:
            The output, with its first tensor patched if an experiment patches it.
        """
        hooks = hooks_at(path)
        if hooks is NO_HOOKS:
            return output
        first = output if isinstance(output, Tensor) else output[0]
        patched = hooks.patched(name, first)
        hooks.record(**{name: patched * scale})
        return patched if isinstance(output, Tensor) else (patched, *output[1:])

    module.register_forward_hook(hook)
