# SPDX-License-Identifier: BSL-1.0
"""Functions that are called with weights, F.linear(x, self.weight): the module that these are the weights of. And modules of
several layers: recurrent ones, attention."""
from .expression import Code, Expression, Name, is_value
from .say import flat, m, one, value
from .special_words import SPECIAL, need, word


def owner(call, **weights):
    """The path whose weights these are; none if they are called otherwise, or computed."""
    paths = set()
    for name, node in weights.items():
        if node is None:
            continue
        if not is_value(node) or node.op != "get_attr" or not ("." + node.target).endswith("." + name):
            return None
        paths.add(node.target[:-len(name) - 1] if "." in node.target else "")
    need(call, paths != {""}, "its weights have no layer's name; put the module into an nn.Sequential")
    return Name(paths.pop()) if len(paths) == 1 else None


def given(call, op, x, weight, bias, **fields):
    """With values as weights."""
    fields = {**fields, **({"bias": False} if bias is None else {}), "given": 1 if bias is None else 3}
    return Expression(f"m.layer<nn::op::{op}>", [Code("{}"), [v for v in (x, weight, bias) if v is not None],
                                                 [[k, v] for k, v in fields.items() if v is not None]])


@word("linear", "x, weight, bias=None")
def _(call, x, weight, bias):
    path, out = owner(call, weight=weight, bias=bias), value(weight).shape[0]
    if path is None:
        return given(call, "linear", x, weight, bias, out=out)
    return m("linear", path, x, out_features=out, bias=None if bias is not None else False)


@word("conv1d conv2d conv3d", "x, weight, bias=None, stride=1, padding=0, dilation=1, groups=1")
def _(call, x, weight, bias, stride, padding, dilation, groups):
    path, shape, other = owner(call, weight=weight, bias=bias), list(value(weight).shape), lambda v, d: None if one(v) == d else one(v)
    how = dict(stride=other(stride, 1), padding=other(padding, 0), dilation=other(dilation, 1), groups=other(groups, 1))
    if path is not None:
        return m(call.name, path, x, out_channels=shape[0], kernel_size=one(shape[2:]), **how, bias=None if bias is not None else False)
    need(call, call.name == "conv2d", "with a value as its weight ctnn can say conv2d only")
    return given(call, call.name, x, weight, bias, out=shape[0], kernel=shape[2:], stride=how["stride"], pad=how["padding"],
                 dilation=how["dilation"], groups=how["groups"])


def affine(call, weight, bias):
    path = owner(call, weight=weight, bias=bias)
    need(call, path is not None or weight is None and bias is None, "its weights are not called weight and bias of one module")
    return path or Name(call.path)


@word("layer_norm", "x, normalized_shape, weight=None, bias=None, eps=1e-5")
def _(call, x, normalized_shape, weight, bias, eps):
    return m("layer_norm", affine(call, weight, bias), x, normalized_shape=list(normalized_shape) if len(normalized_shape) > 1 else None,
             eps=None if eps == 1e-5 else eps, elementwise_affine=None if weight is not None else False,
             bias=False if weight is not None and bias is None else None)


@word("group_norm", "x, num_groups, weight=None, bias=None, eps=1e-5")
def _(call, x, num_groups, weight, bias, eps):
    return m("group_norm", affine(call, weight, bias), x, num_groups=num_groups, eps=None if eps == 1e-5 else eps,
             affine=None if weight is not None else False)


@word("batch_norm", "x, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-5")
def _(call, x, running_mean, running_var, weight, bias, training, momentum, eps):
    need(call, not training, "training is True")
    path = owner(call, running_mean=running_mean, running_var=running_var, weight=weight, bias=bias)
    need(call, path is not None, "its weights are not those of one module")
    return m("batch_norm", path, x, eps=None if eps == 1e-5 else eps, affine=None if weight is not None else False)


@word("embedding", "ids, weight, padding_idx=None, max_norm==None, norm_type=2.0, scale_grad_by_freq=False, sparse=False")
def _(call, ids, weight, **_):
    path, shape = owner(call, weight=weight), value(weight).shape
    if path is None:
        return m("index_select", weight, 0, ids)
    return m("embedding", path, ids, num_embeddings=shape[0], embedding_dim=shape[1])


@word("prelu", "x, weight")
def _(call, x, weight):
    path = owner(call, weight=weight)
    need(call, path is not None, "its weight is computed")
    return m("prelu", path, x)


# Modules of several layers
@word("MultiheadAttention", "query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None, "
                            "average_attn_weights=True, is_causal=False")
def _(call, query, key, value, key_padding_mask, attn_mask, is_causal, **_):
    a = call.module
    need(call, a.bias_k is None and not a.add_zero_attn, "add_bias_kv and add_zero_attn")
    x = query if query is key and key is value else [query, key, value]
    return m("multihead_attention", Name(call.path), x, num_heads=a.num_heads, bias=None if a.in_proj_bias is not None else False,
             batch_first=a.batch_first or None, attn_mask=attn_mask, key_padding_mask=key_padding_mask), ["", "attention weights"]


def layer_options(call, layer):
    a = layer.self_attn
    f = getattr(layer.activation, "__name__", type(layer.activation).__name__).lower()
    need(call, f in ("relu", "gelu"), f"its activation is {f}; ctnn can say relu and gelu")
    usual = lambda v, d: None if v == d else v
    return dict(nhead=usual(a.num_heads, 1), dim_feedforward=usual(layer.linear1.out_features, 2048),
                activation=Code("ctnn::ir::function::gelu") if f == "gelu" else None, layer_norm_eps=usual(layer.norm1.eps, 1e-5),
                batch_first=a.batch_first or None, norm_first=layer.norm_first or None)


@word("TransformerEncoderLayer", "x, src_mask=None, src_key_padding_mask=None, is_causal=False")
def _(call, x, src_mask, src_key_padding_mask, is_causal):
    return m("transformer_encoder_layer", Name(call.path), x, **layer_options(call, call.module), src_mask=src_mask,
             src_key_padding_mask=src_key_padding_mask)


@word("TransformerDecoderLayer", "x, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, "
                                 "memory_key_padding_mask=None, tgt_is_causal=False, memory_is_causal=False")
def _(call, x, memory, tgt_mask, memory_mask, tgt_key_padding_mask, memory_key_padding_mask, **_):
    return m("transformer_decoder_layer", Name(call.path), x, memory, **layer_options(call, call.module), src_mask=tgt_mask,
             src_key_padding_mask=tgt_key_padding_mask, memory_mask=memory_mask, memory_key_padding_mask=memory_key_padding_mask)


def layers_of(call, layer, **masks):
    options = {**layer_options(call, layer), **masks}
    return Expression("{}", [], {k: v for k, v in options.items() if v is not None})


@word("TransformerEncoder", "x, mask=None, src_key_padding_mask=None, is_causal=None")
def _(call, x, mask, src_key_padding_mask, is_causal):
    stack = call.module
    return m("transformer_encoder", Name(call.path), x,
             layer=layers_of(call, stack.layers[0], src_mask=mask, src_key_padding_mask=src_key_padding_mask),
             num_layers=len(stack.layers), norm=True if stack.norm is not None else None)


@word("TransformerDecoder", "x, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None, memory_key_padding_mask=None")
def _(call, x, memory, tgt_mask, tgt_key_padding_mask, **masks):
    stack = call.module
    return m("transformer_decoder", Name(call.path), x, memory,
             layer=layers_of(call, stack.layers[0], src_mask=tgt_mask, src_key_padding_mask=tgt_key_padding_mask, **masks),
             num_layers=len(stack.layers), norm=True if stack.norm is not None else None)


@word("Transformer", "source, target, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None, "
                     "tgt_key_padding_mask=None, memory_key_padding_mask=None")
def _(call, source, target, src_mask, tgt_mask, src_key_padding_mask, tgt_key_padding_mask, **masks):
    need(call, src_key_padding_mask is masks["memory_key_padding_mask"], "ctnn has one mask of keys for the encoder and its result")
    a = call.module
    return m("transformer", Name(call.path), source, target, layer=layers_of(call, a.decoder.layers[0], src_mask=tgt_mask,
                                                                             src_key_padding_mask=tgt_key_padding_mask, **masks),
             num_encoder_layers=len(a.encoder.layers), num_decoder_layers=len(a.decoder.layers), encoder_mask=src_mask)


@word("RNN GRU LSTM", "x, state=None")
def _(call, x, state):
    r = call.module
    need(call, r.num_layers == 1 or not r.dropout or not r.training, "it drops numbers out")
    read = x if state is None else [x, *flat([state] if is_value(state) else state)]
    relu = call.name == "RNN" and r.nonlinearity == "relu"
    return m(call.name.lower(), Name(call.path), read, hidden_size=r.hidden_size, num_layers=r.num_layers if r.num_layers > 1 else None,
             bias=None if r.bias else False, batch_first=r.batch_first or None, bidirectional=r.bidirectional or None,
             nonlinearity="relu" if relu else None, proj_size=getattr(r, "proj_size", 0) or None), ["output", "h", "c"]


@word("RNNCell GRUCell LSTMCell", "x, state=None")
def _(call, x, state):
    r = call.module
    size = list(value(x).shape[:-1]) + [r.hidden_size]
    zeros = m("zeros", size)
    states = [zeros] * (2 if call.name == "LSTMCell" else 1) if state is None else [state] if is_value(state) else list(state)
    return m(call.name[:-4].lower() + "_cell", Name(call.path), [x, *states], hidden_size=r.hidden_size, bias=None if r.bias else False,
             nonlinearity="relu" if getattr(r, "nonlinearity", "") == "relu" else None), ["h", "c"] if call.name == "LSTMCell" else None


@word("scaled_dot_product_attention", "query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False")
def _(call, query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa):
    return m("scaled_dot_product_attention", query, key, value, attn_mask=attn_mask, is_causal=is_causal or None, scale=scale,
             enable_gqa=enable_gqa or None)
