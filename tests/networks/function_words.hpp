// SPDX-License-Identifier: BSL-1.0
// PyTorch's words and how networks say them: rows as in module_words.hpp for functions of torch.nn.functional, of
// numbers and of tensors. attention() and rotary() are pytorch_words.py's own, by their formulas.
#pragma once

// clang-format off
#define CTNN_PYTORCH_FUNCTIONALS(said, other) \
  said("F.scaled_dot_product_attention", "attention(x, y, x)", "attention", m.scaled_dot_product_attention(x, y, x)) \
  said("F.scaled_dot_product_attention(is_causal)", "attention(x, y, x, mask=torch.ones(3, 3).tril() > 0)", "", \
      m.scaled_dot_product_attention(x, y, x, {.is_causal = true})) \
  said("F.scaled_dot_product_attention(attn_mask, scale)", "attention(x, y, x, mask=matrix, scale=0.25)", "", \
      m.scaled_dot_product_attention(x, y, x, {.attn_mask = matrix, .scale = 0.25})) \
  said("F.scaled_dot_product_attention(attn_mask of booleans)", "attention(x, y, x, mask=matrix.abs() > 0.3)", "", \
      m.scaled_dot_product_attention(x, y, x, {.attn_mask = m.gt(m.abs(matrix), 0.3)})) \
  said("F.scaled_dot_product_attention(enable_gqa)", \
      "attention(image, image[:, :2].repeat_interleave(2, 1), image[:, 2:].repeat_interleave(2, 1))", "", \
      m.scaled_dot_product_attention(image, m.narrow(image, 1, 0, 2), m.narrow(image, 1, 2, 2), \
      {.enable_gqa = true})) \
  said("rotary embedding", "rotary(image)", "layer<op::rotary_embedding>", m.rotary_embedding(image)) \
  said("rotary embedding of neighbours", "rotary(image, interleaved=True, offset=3)", "", m.rotary_embedding(image, \
      {.interleaved = true, .offset = 3})) \
  said("F.pad", "F.pad(x, (1, 0, 0, 2), value=7)", "constant_pad", m.pad(x, {1, 0, 0, 2}, {.value = 7})) \
  said("F.pad(mode)", "F.pad(image, (1, 2, 3, 1), mode='reflect')", "reflection_pad", m.pad(image, {1, 2, 3, 1}, \
      {.mode = "reflect"})) \
  said("F.interpolate", "F.interpolate(image, scale_factor=2, mode='bilinear')", "interpolate_bilinear", \
      m.interpolate(image, {.scale_factor = 2, .mode = "bilinear"})) \
  said("F.interpolate(nearest-exact)", "F.interpolate(image, size=(9, 5), mode='nearest-exact')", "", \
      m.interpolate(image, {.size = {9, 5}, .mode = "nearest-exact"})) \
  said("F.interpolate(area)", "F.interpolate(image, size=(4, 5), mode='area')", "", m.interpolate(image, \
      {.size = {4, 5}, .mode = "area"})) \
  said("F.interpolate(antialias)", "F.interpolate(image, size=(3, 5), mode='bilinear', antialias=True)", "", \
      m.interpolate(image, {.size = {3, 5}, .mode = "bilinear", .antialias = true})) \
  said("F.normalize", "F.normalize(x)", "layer<op::lp_normalize>", m.normalize(x)) \
  said("F.one_hot", "F.one_hot(ids, 7)", "one_hot", m.one_hot(ids, 7)) \
  said("F.grid_sample", \
      "F.grid_sample(image, image[:, :, :2, :2].tanh(), align_corners=False, padding_mode='border')", "grid_sample", \
      m.grid_sample(image, m.tanh(m.narrow(m.narrow(image, 2, 0, 2), 3, 0, 2)), {.padding_mode = "border"})) \
  said("F.affine_grid", "F.affine_grid(x[:, :2, :3], (2, 3, 4, 5), align_corners=False)", "layer<op::affine_grid>", \
      m.layer<nn::op::affine_grid>({}, {m.narrow(m.narrow(x, 1, 0, 2), 2, 0, 3)}, {{"size", {2, 3, 4, 5}}})) \
  said("F.max_pool2d(return_indices)", "F.max_pool2d(image, 2)", "", m.max_pool2d_with_indices(image, \
      {.kernel_size = 2}).output) \
  other("F.linear, F.conv2d and others with a weight", \
      "the module of that name, whose weight it is; with a value as its weight m.layer<nn::op::linear> and " \
      "the option given") \
  other("F.relu, F.gelu and other modules without weights", "the module's row") \
  other("F.embedding, F.layer_norm, F.batch_norm", "the module's row") \
  other("F.gumbel_softmax", "not said: random numbers") \
  other("F.ctc_loss and all losses", "not said: networks are run, not trained") \
  other("F.relu_ and others in place", "without _: values do not change")
#define CTNN_PYTORCH_NUMBERS(said, other) \
  said("torch.abs", "torch.abs(x)", "unary", m.abs(x)) \
  said("torch.neg", "-x", "unary", -x) \
  said("torch.sign", "torch.sign(x)", "unary", m.sign(x)) \
  said("torch.floor", "torch.floor(x)", "unary", m.floor(x)) \
  said("torch.ceil", "torch.ceil(x)", "unary", m.ceil(x)) \
  said("torch.round", "torch.round(x)", "unary", m.round(x)) \
  said("torch.trunc", "torch.trunc(x)", "unary", m.trunc(x)) \
  said("torch.frac", "torch.frac(x)", "", m.frac(x)) \
  said("torch.square", "torch.square(x)", "unary", m.square(x)) \
  said("torch.sqrt", "torch.sqrt(x.abs())", "unary", m.sqrt(m.abs(x))) \
  said("torch.rsqrt", "torch.rsqrt(x.abs() + 1)", "unary", m.rsqrt(m.abs(x) + 1)) \
  said("torch.reciprocal", "torch.reciprocal(x)", "unary", m.reciprocal(x)) \
  said("torch.exp", "torch.exp(x)", "unary", m.exp(x)) \
  said("torch.exp2", "torch.exp2(x)", "", m.exp2(x)) \
  said("torch.expm1", "torch.expm1(x)", "unary", m.expm1(x)) \
  said("torch.log", "torch.log(x.abs())", "unary", m.log(m.abs(x))) \
  said("torch.log1p", "torch.log1p(x.abs())", "unary", m.log1p(m.abs(x))) \
  said("torch.log2", "torch.log2(x.abs())", "", m.log2(m.abs(x))) \
  said("torch.log10", "torch.log10(x.abs())", "unary", m.log10(m.abs(x))) \
  said("torch.logit", "torch.logit(torch.sigmoid(x))", "", m.logit(m.sigmoid(x))) \
  said("torch.sin", "torch.sin(x)", "unary", m.sin(x)) \
  said("torch.cos", "torch.cos(x)", "unary", m.cos(x)) \
  said("torch.tan", "torch.tan(x / 2)", "unary", m.tan(x / 2)) \
  said("torch.asin", "torch.asin(x / 2)", "unary", m.asin(x / 2)) \
  said("torch.acos", "torch.acos(x / 2)", "unary", m.acos(x / 2)) \
  said("torch.atan", "torch.atan(x)", "unary", m.atan(x)) \
  said("torch.sinh", "torch.sinh(x)", "unary", m.sinh(x)) \
  said("torch.cosh", "torch.cosh(x)", "unary", m.cosh(x)) \
  said("torch.tanh", "torch.tanh(x)", "unary", m.tanh(x)) \
  said("torch.asinh", "torch.asinh(x)", "unary", m.asinh(x)) \
  said("torch.acosh", "torch.acosh(x.abs() + 1)", "unary", m.acosh(m.abs(x) + 1)) \
  said("torch.atanh", "torch.atanh(x / 2.5)", "unary", m.atanh(x / 2.5)) \
  said("torch.erf", "torch.erf(x)", "unary", m.erf(x)) \
  said("torch.erfc", "torch.erfc(x)", "", m.erfc(x)) \
  said("torch.clamp, torch.clip", "torch.clamp(x, -0.5, 1)", "clip", m.clamp(x, -0.5, 1)) \
  said("torch.clamp_min", "torch.clamp_min(x, -0.5)", "maximum<..., scalar<>>", m.clamp_min(x, -0.5)) \
  said("torch.clamp_max", "torch.clamp_max(x, 0.5)", "minimum<..., scalar<>>", m.clamp_max(x, 0.5)) \
  said("torch.add", "2 + x + y", "add", 2 + x + y) \
  said("torch.sub", "x - y - 1", "sub", x - y - 1) \
  said("torch.rsub", "torch.rsub(x, 2)", "", m.rsub(x, 2)) \
  said("torch.mul", "torch.mul(x, y) * 3", "mul", m.mul(x, y) * 3) \
  said("torch.div", "x / y + 1 / x", "divide", x / y + 1 / x) \
  other("torch.div(rounding_mode)", "m.floor_divide(x, y), m.trunc(x / y)") \
  said("torch.pow", "torch.pow(x.abs(), y) + x ** 3", "power", m.pow(m.abs(x), y) + m.pow(x, 3)) \
  said("torch.maximum", "torch.maximum(x, y)", "maximum", m.maximum(x, y)) \
  said("torch.minimum", "torch.minimum(x, y)", "minimum", m.minimum(x, y)) \
  said("torch.remainder", "torch.remainder(x, y) + torch.remainder(x, 0.7)", "layer<op::remainder>", m.remainder(x, \
      y) + m.remainder(x, 0.7)) \
  said("torch.fmod", "torch.fmod(x, y)", "layer<op::remainder>", m.fmod(x, y)) \
  said("torch.floor_divide", "torch.floor_divide(x, y) + torch.floor_divide(ids - 3, 2).sum()", "", \
      m.floor_divide(x, y) + m.cast(m.sum(m.floor_divide(m.sub(ids, m.full_like(ids, 3)), 2)), \
      {.to = nn::dtype::f32})) \
  said("torch.lerp", "torch.lerp(x, y, 0.25)", "", m.lerp(x, y, 0.25)) \
  said("torch.addcmul", "torch.addcmul(x, x, y, value=2)", "", m.addcmul(x, x, y, 2)) \
  said("torch.addcdiv", "torch.addcdiv(x, x, y, value=2)", "", m.addcdiv(x, x, y, 2)) \
  said("torch.hypot", "torch.hypot(x, y)", "", m.hypot(x, y)) \
  said("torch.logaddexp", "torch.logaddexp(x, y)", "", m.logaddexp(x, y)) \
  said("torch.eq", "ids == 3", "eq", m.eq(ids, 3)) \
  said("torch.ne", "ids != 3", "ne", m.ne(ids, 3)) \
  said("torch.lt", "x < y", "lt", m.lt(x, y)) \
  said("torch.le", "x <= 0.5", "le", m.le(x, 0.5)) \
  said("torch.gt", "x > 0.5", "gt", m.gt(x, 0.5)) \
  said("torch.ge", "x >= y", "ge", m.ge(x, y)) \
  said("torch.logical_and", "(x > 0) & (y > 0)", "layer<op::logic>", m.logical_and(m.gt(x, 0), m.gt(y, 0))) \
  said("torch.logical_or", "(x > 0) | (y > 0)", "layer<op::logic>", m.logical_or(m.gt(x, 0), m.gt(y, 0))) \
  said("torch.logical_xor", "(x > 0) ^ (y > 0)", "layer<op::logic>", m.logical_xor(m.gt(x, 0), m.gt(y, 0))) \
  said("torch.logical_not", "torch.logical_not(ids)", "", m.logical_not(ids)) \
  said("torch.bitwise_and", "ids & 3", "layer<op::logic>", m.bitwise_and(ids, 3)) \
  said("torch.bitwise_or", "ids | 3", "layer<op::logic>", m.bitwise_or(ids, 3)) \
  said("torch.bitwise_xor", "ids ^ 3", "layer<op::logic>", m.bitwise_xor(ids, 3)) \
  said("torch.bitwise_not", "~ids", "layer<op::bitwise_not>", m.bitwise_not(ids)) \
  said("torch.isnan", "torch.isnan(x.log())", "layer<op::is_nan>", m.isnan(m.log(x))) \
  said("torch.isinf", "torch.isinf(x / (x > 0))", "layer<op::is_inf>", m.isinf(x / m.relu(m.sign(x)))) \
  said("torch.isfinite", "torch.isfinite(x.log())", "", m.isfinite(m.log(x))) \
  other("torch.atan2, lgamma, digamma, erfinv, i0, nextafter, ...", \
      "not said: no operator has them; a function of one number is a struct of yours (examples/own_operator)") \
  other("torch.real, imag, angle, complex numbers", \
      "not said: numbers are real; layer<op::dft> and layer<op::stft> have pairs")
#define CTNN_PYTORCH_TENSORS(said, other) \
  said("Tensor.reshape", "x.reshape(4, -1)", "reshape", m.reshape(x, {4, -1})) \
  said("Tensor.view", "x.view(6, 4)", "reshape", m.view(x, {6, 4})) \
  said("torch.flatten", "torch.flatten(x)", "flatten", m.flatten(x)) \
  said("torch.unflatten", "x.unflatten(-1, (2, 2))", "unflatten", m.unflatten(x, -1, {2, 2})) \
  said("torch.permute", "x.permute(2, 0, -2)", "permute", m.permute(x, {2, 0, -2})) \
  said("torch.transpose, swapaxes, swapdims", "x.transpose(0, -1)", "permute", m.transpose(x, 0, -1)) \
  said("torch.movedim, moveaxis", "torch.movedim(image, (0, 3), (-1, 0))", "permute", m.movedim(image, {0, 3}, {-1, \
      0})) \
  other("Tensor.T, mT, t()", "m.transpose(x, -2, -1)") \
  said("torch.squeeze", "torch.squeeze(volume)", "reshape", m.squeeze(volume)) \
  said("torch.squeeze(dim)", "torch.squeeze(volume, 0)", "reshape", m.squeeze(volume, 0)) \
  said("torch.unsqueeze", "torch.unsqueeze(x, -1)", "reshape", m.unsqueeze(x, -1)) \
  said("Tensor.expand, torch.broadcast_to", "row.expand(3, -1)", "expand", m.expand(row, {3, -1})) \
  said("Tensor.repeat", "x.repeat(2, 1, 1, 3)", "tile", m.repeat(x, {2, 1, 1, 3})) \
  said("torch.tile", "torch.tile(x, (2,))", "tile", m.tile(x, {2})) \
  said("torch.repeat_interleave", "torch.repeat_interleave(x, 3, 1)", "", m.repeat_interleave(x, 3, 1)) \
  said("torch.cat", "torch.cat([x, y], -1)", "concat", m.cat({x, y}, {.dim = -1})) \
  said("torch.stack", "torch.stack([x, y], 1)", "", m.stack({x, y}, 1)) \
  other("torch.hstack, vstack, dstack, column_stack", "m.cat along that axis") \
  said("torch.split", "torch.split(x, 3, -1)[1]", "split", m.split(x, 3, -1)[1]) \
  said("torch.split(list)", "torch.split(x, [1, 3], -1)[1]", "split", m.split<2>(x, {1, 3}, -1)[1]) \
  said("torch.chunk, tensor_split", "torch.chunk(x, 2, -1)[1]", "chunk", m.chunk<2>(x, -1)[1]) \
  said("torch.unbind", "torch.unbind(x, 1)[2]", "", m.unbind(x, 1)[2]) \
  said("torch.select, x[:, i]", "x[:, -1]", "", m.select(x, 1, -1)) \
  said("torch.narrow, x[:, a:b]", "x[:, 1:3]", "slice", m.narrow(x, 1, 1, 2)) \
  said("x[..., a:b:c]", "x[..., 1::2]", "slice", m.slice(x, {.dim = -1, .start = 1, .end = 4, .step = 2})) \
  said("torch.flip, fliplr, flipud", "torch.flip(x, (0, -1))", "slice", m.flip(x, {0, -1})) \
  said("torch.roll", "torch.roll(x, (1, -2), (0, 2))", "", m.roll(x, {1, -2}, {0, 2})) \
  other("torch.rot90", "m.flip(m.transpose(x, 0, 1), 0)") \
  said("torch.meshgrid", "torch.meshgrid(row, x[0, :, 0], indexing='ij')[1]", "", m.meshgrid({row, \
      m.select(m.select(x, 0, 0), 1, 0)})[1]) \
  said("torch.tril", "torch.tril(x, 1)", "tril", m.tril(x, {.diagonal = 1})) \
  said("torch.triu", "torch.triu(x)", "triu", m.triu(x)) \
  said("torch.diagonal, trace", "torch.diagonal(matrix)", "", m.einsum("ii->i", {matrix})) \
  said("torch.sum", "x.sum((0, -1))", "reduce", m.sum(x, {0, -1})) \
  said("torch.mean", "x.mean(1, keepdim=True)", "reduce", m.mean(x, 1, true)) \
  said("torch.prod", "x.prod(1)", "reduce", m.prod(x, 1)) \
  said("torch.amax, max of all", "x.max()", "reduce", m.amax(x)) \
  said("torch.amin, min of all", "x.amin((1, 2))", "reduce", m.amin(x, {1, 2})) \
  said("torch.max(dim)", "torch.max(x, 1)[0]", "", m.max(x, 1).values) \
  said("torch.min(dim)", "torch.min(x, 1, keepdim=True)[1]", "", m.min(x, 1, true).indices) \
  said("torch.argmax", "torch.argmax(x, 1)", "arg_max", m.argmax(x, 1)) \
  said("torch.argmax of all", "torch.argmax(x)", "", m.argmax(x)) \
  said("torch.argmin", "torch.argmin(x, -1, keepdim=True)", "arg_min", m.argmin(x, -1, true)) \
  said("torch.any", "torch.any(x > 1.5, 1)", "", m.any(m.gt(x, 1.5), 1)) \
  said("torch.all", "torch.all(ids, 1)", "", m.all(ids, 1)) \
  said("torch.norm, linalg.vector_norm", "torch.linalg.vector_norm(x, dim=(1, 2))", "reduce", m.norm(x, 2, {1, 2})) \
  said("torch.norm(3)", "torch.linalg.vector_norm(x, 3, dim=1)", "", m.norm(x, 3, 1)) \
  said("torch.norm(inf)", "torch.linalg.vector_norm(x, float('inf'), dim=1)", "", m.norm(x, HUGE_VAL, 1)) \
  said("torch.var", "torch.var(x, (0, 2))", "", m.var(x, {0, 2})) \
  said("torch.std", "torch.std(x, -1, unbiased=False, keepdim=True)", "", m.std(x, -1, true, 0)) \
  said("torch.logsumexp", "torch.logsumexp(x, 1)", "reduce", m.logsumexp(x, 1)) \
  said("torch.cumsum", "torch.cumsum(x, 1)", "cumsum", m.cumsum(x, {.dim = 1})) \
  said("torch.cumprod", "torch.cumprod(x, 1)", "", m.cumprod(x, 1)) \
  said("torch.diff", "torch.diff(x, 2, 1)", "", m.diff(x, 2, 1)) \
  said("torch.topk", "torch.topk(x, 2, 1, largest=False)[0]", "topk", m.topk(x, 2, 1, false).values) \
  said("torch.sort", "torch.sort(x, -1, descending=True)[1]", "", m.sort(x, -1, true).indices) \
  said("torch.argsort", "torch.argsort(x, 1)", "", m.argsort(x, 1)) \
  said("torch.kthvalue", "torch.kthvalue(x, 2, 1)[0]", "", m.kthvalue(x, 2, 1).values) \
  said("torch.median", "torch.median(x, -1)[0]", "", m.median(x).values) \
  said("torch.softmax", "torch.softmax(x, 0)", "softmax", m.softmax(x, {.dim = 0})) \
  said("torch.where", "torch.where(x > 0, x, y) + torch.where(x > 0, x, torch.tensor(-1.0))", "where", \
      m.where(m.gt(x, 0), x, y) + m.where(m.gt(x, 0), x, -1)) \
  said("Tensor.masked_fill", "x.masked_fill(x > 1, -7)", "", m.masked_fill(x, m.gt(x, 1), -7)) \
  said("torch.gather, take_along_dim", "torch.gather(x, 1, places)", "layer<op::gather_elements>", m.gather(x, 1, \
      places)) \
  said("torch.index_select, x[:, index]", "torch.index_select(matrix, 1, places[0, 0])", "gather", \
      m.index_select(matrix, 1, m.select(m.select(places, 0, 0), 0, 0))) \
  said("torch.take", "torch.take(x, ids)", "", m.take(x, ids)) \
  said("torch.scatter", "torch.scatter(x[:, :, :1], 1, places[:, :1, :1], y)", "layer<op::scatter_elements>", \
      m.scatter(m.narrow(x, 2, 0, 1), 1, m.narrow(m.narrow(places, 1, 0, 1), 2, 0, 1), m.narrow(m.narrow(y, 1, 0, \
      1), 2, 0, 1))) \
  said("torch.scatter_add", "torch.scatter_add(x, 1, places, y)", "layer<op::scatter_elements>", m.scatter_add(x, 1, \
      places, y)) \
  said("torch.matmul, mm, bmm, mv, dot, @", "x @ y.transpose(1, 2)", "matmul", m.matmul(x, m.transpose(y, 1, 2))) \
  said("torch.addmm, baddbmm", "torch.addmm(matrix, x[0], y[0].T, beta=2, alpha=3)", "", m.addmm(matrix, m.select(x, \
      0, 0), m.transpose(m.select(y, 0, 0), 0, 1), 2, 3)) \
  said("torch.outer", "torch.outer(row, row)", "", m.outer(row, row)) \
  said("torch.einsum, tensordot", "torch.einsum('bij, bkj -> bik', x, y)", "layer<op::einsum>", \
      m.einsum("bij, bkj -> bik", {x, y})) \
  said("torch.det", "torch.det(matrix)", "layer<op::det>", m.det(matrix)) \
  said("torch.cdist", "torch.cdist(x, y)", "", m.cdist(x, y)) \
  said("torch.zeros", "torch.zeros(2, 3)", "full", m.zeros({2, 3})) \
  said("torch.ones", "torch.ones(2, 3)", "full", m.ones({2, 3})) \
  said("torch.full", "torch.full((2, 3), 7.0)", "full", m.full({2, 3}, 7)) \
  said("torch.zeros_like", "torch.zeros_like(x)", "", m.zeros_like(x)) \
  said("torch.ones_like", "torch.ones_like(ids)", "", m.ones_like(ids)) \
  said("torch.full_like", "torch.full_like(x, 7)", "", m.full_like(x, 7)) \
  said("torch.arange", "torch.arange(2, 9, 3)", "layer<op::arange>", m.arange({2, 9, 3})) \
  said("torch.linspace", "torch.linspace(-1, 2, 7)", "layer<op::arange>", m.linspace(-1, 2, 7)) \
  said("torch.eye", "torch.eye(3, 4)", "layer<op::eye>", m.eye(3, 4)) \
  said("Tensor.to, float, long, type", "x.to(torch.int64)", "cast", m.cast(x, {.to = nn::dtype::i64})) \
  said("Tensor.clone, contiguous, detach", "x", "identity", m.identity(x)) \
  other("Tensor.size, shape, dim, numel", \
      "m.size(x, -1), m.shape(x): extents are known while the network is declared") \
  other("torch.nonzero, masked_select, unique, bincount, x[mask]", \
      "layer<op::nonzero>, layer<op::compress>, layer<op::unique>, which are told how many there will be") \
  other("torch.rand, randn, bernoulli, multinomial", "not said: random numbers are inputs") \
  other("torch.fft, stft", "layer<op::dft>, layer<op::stft>") \
  other("torch.linalg.inv, svd, eig, solve, cholesky", "not said: no operator has them") \
  other("Tensor.unfold", "m.narrow of each window, and m.stack; of images m.unfold")
