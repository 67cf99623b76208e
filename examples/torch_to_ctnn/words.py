# SPDX-License-Identifier: BSL-1.0
"""PyTorch's words and how ctnn says them: `names | what they take | how it is said`. A row is for modules (ReLU), functions
(relu) and methods alike; what a module is not called with are its attributes. `self` is the word itself (MaxPool2d:
max_pool2d); `a=1` is what PyTorch takes if nothing is said, and then it is not said here either, unless `a | 2` tells that
ctnn takes 2; `a==1` is all that can be said. What is not one expression is in special_words.py."""

ROWS = """
ReLU relu | x, inplace=False | m.relu(x)
ReLU6 relu6 | x, inplace=False | m.relu6(x)
Sigmoid sigmoid expit | x | m.sigmoid(x)
SiLU silu | x, inplace=False | m.silu(x)
Mish mish | x, inplace=False | m.mish(x)
Hardsigmoid hardsigmoid | x, inplace=False | m.hardsigmoid(x)
Hardswish hardswish | x, inplace=False | m.hardswish(x)
Softsign softsign | x | m.softsign(x)
SELU selu | x, inplace=False | m.selu(x)
Tanh tanh | x | m.tanh(x)
Tanhshrink tanhshrink | x | m.tanhshrink(x)
LogSigmoid logsigmoid | x | m.logsigmoid(x)
GELU gelu | x, approximate='none' | m.gelu(x, approximate)
LeakyReLU leaky_relu | x, negative_slope=0.01, inplace=False | m.leaky_relu(x, negative_slope)
ELU elu | x, alpha=1.0, inplace=False | m.elu(x, alpha)
CELU celu | x, alpha=1.0, inplace=False | m.celu(x, alpha)
Hardtanh hardtanh | x, min_val=-1.0, max_val=1.0, inplace=False | m.hardtanh(x, min_val, max_val)
Hardshrink hardshrink | x, lambd=0.5 | m.hardshrink(x, lambd)
Softshrink softshrink | x, lambd=0.5 | m.softshrink(x, lambd)
RReLU rrelu | x, lower=0.125, upper=0.3333333333333333, training==False, inplace=False | m.rrelu(x, lower, upper)
Softplus softplus | x, beta=1, threshold=20 | m.softplus(x, beta, threshold)
Threshold threshold | x, threshold, value, inplace=False | m.threshold(x, threshold, value)
Softmin softmin | x, dim=None | m.softmin(x, dim)
Softmax softmax | x, dim=None, _stacklevel=3, dtype==None | m.softmax(x, dim=dim)
LogSoftmax log_softmax | x, dim=None, _stacklevel=3, dtype==None | m.log_softmax(x, dim=dim)
Softmax2d | x | m.softmax2d(x)
GLU glu | x, dim=-1 | m.glu(x, dim)
PReLU | x | m.prelu(name, x)

Linear | x, out_features, bias=True | m.linear(name, x, out_features=out_features, bias=bias)
Bilinear | a, b, out_features, bias=True | m.bilinear(name, a, b, out_features=out_features, bias=bias)
Conv1d Conv2d Conv3d | x, out_channels, kernel_size, stride, padding, dilation, groups, bias, padding_mode='zeros' | \
 m.self(name, x, out_channels=out_channels, kernel_size=one(kernel_size), stride=one(stride) | 1, padding=one(padding) | 0, \
 dilation=one(dilation) | 1, groups=groups | 1, bias=bias | True, padding_mode=padding_mode)
ConvTranspose1d ConvTranspose2d ConvTranspose3d | x, output_size==None, out_channels, kernel_size, stride, padding, \
 output_padding, groups, bias, dilation, padding_mode=='zeros' | \
 m.self(name, x, out_channels=out_channels, kernel_size=one(kernel_size), stride=one(stride) | 1, padding=one(padding) | 0, \
 output_padding=one(output_padding) | 0, groups=groups | 1, bias=bias | True, dilation=one(dilation) | 1)
BatchNorm1d BatchNorm2d BatchNorm3d | x, eps=1e-5, affine=True, track_running_stats=True | \
 m.self(name, x, eps=eps, affine=affine, track_running_stats=track_running_stats)
SyncBatchNorm | x, eps=1e-5, affine=True, track_running_stats==True | m.batch_norm(name, x, eps=eps, affine=affine)
GroupNorm | x, num_groups, eps=1e-5, affine=True | m.group_norm(name, x, num_groups=num_groups, eps=eps, affine=affine)
LayerNorm | x, normalized_shape, eps=1e-5, elementwise_affine=True, bias=True | m.layer_norm(name, x, \
 normalized_shape=several(normalized_shape) | None, eps=eps, elementwise_affine=elementwise_affine, bias=bias)
RMSNorm | x, normalized_shape, eps=None, elementwise_affine=True | m.rms_norm(name, x, \
 normalized_shape=several(normalized_shape) | None, eps=least(eps) | 1e-5, elementwise_affine=elementwise_affine)
InstanceNorm1d InstanceNorm2d InstanceNorm3d | x, eps=1e-5, affine=False, track_running_stats==False | \
 m.self(name, x, eps=eps, affine=affine)
LocalResponseNorm local_response_norm | x, size, alpha=1e-4, beta=0.75, k=1.0 | \
 m.local_response_norm(x, size=size, alpha=alpha, beta=beta, k=k)
normalize | x, p=2.0, dim=1, eps=1e-12 | m.normalize(x, p=p, dim=dim, eps=eps)

MaxPool1d MaxPool2d MaxPool3d max_pool1d max_pool2d max_pool3d | x, kernel_size, stride=None, padding=0, dilation=1, \
 ceil_mode=False, return_indices==False | m.self(x, kernel_size=one(kernel_size), stride=one(stride) | one(kernel_size), \
 padding=one(padding) | 0, dilation=one(dilation) | 1, ceil_mode=ceil_mode)
max_pool1d_with_indices max_pool2d_with_indices max_pool3d_with_indices | x, kernel_size, stride=None, padding=0, dilation=1, \
 ceil_mode=False, return_indices=True | m.self(x, kernel_size=one(kernel_size), stride=one(stride) | one(kernel_size), \
 padding=one(padding) | 0, dilation=one(dilation) | 1, ceil_mode=ceil_mode)
MaxUnpool1d MaxUnpool2d MaxUnpool3d max_unpool1d max_unpool2d max_unpool3d | x, indices, output_size=None, kernel_size, stride=None, \
 padding=0 | m.self(pair(x, indices), kernel_size=one(kernel_size), stride=one(stride) | one(kernel_size), padding=one(padding) | 0, \
 output_size=last_axes(output_size, kernel_size))
AvgPool1d AvgPool2d AvgPool3d avg_pool1d avg_pool2d avg_pool3d | x, kernel_size, stride=None, padding=0, ceil_mode=False, \
 count_include_pad=True, divisor_override==None | m.self(x, kernel_size=one(kernel_size), stride=one(stride) | one(kernel_size), \
 padding=one(padding) | 0, ceil_mode=ceil_mode, count_include_pad=counted(count_include_pad, padding, ceil_mode) | False)
LPPool1d LPPool2d lp_pool1d lp_pool2d | x, norm_type, kernel_size, stride=None, ceil_mode=False | m.self(x, \
 norm_type=norm_type, kernel_size=one(kernel_size), stride=one(stride) | one(kernel_size), ceil_mode=ceil_mode)
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d \
 AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d | \
 x, output_size, return_indices==False | m.self(x, output_size=zeros_for_none(output_size) | 1)
Upsample UpsamplingNearest2d UpsamplingBilinear2d interpolate | x, size=None, scale_factor=None, mode='nearest', \
 align_corners=None, recompute_scale_factor=None, antialias=False | m.interpolate(x, size=one(size), \
 scale_factor=one(scale_factor), mode=mode, align_corners=align_corners | False, antialias=antialias)
grid_sample | x, grid, mode='bilinear', padding_mode='zeros', align_corners=False | \
 m.grid_sample(x, grid, mode=mode, padding_mode=padding_mode, align_corners=align_corners | False)
Unfold unfold | x, kernel_size, dilation=1, padding=0, stride=1 | m.unfold(x, kernel_size=one(kernel_size), \
 dilation=one(dilation) | 1, padding=one(padding) | 0, stride=one(stride) | 1)
Fold fold | x, output_size, kernel_size, dilation=1, padding=0, stride=1 | m.fold(x, output_size=one(output_size), \
 kernel_size=one(kernel_size), dilation=one(dilation) | 1, padding=one(padding) | 0, stride=one(stride) | 1)
ZeroPad1d ZeroPad2d ZeroPad3d ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d \
 ReplicationPad3d CircularPad1d CircularPad2d CircularPad3d | x, padding | m.self(x, one(padding))
ConstantPad1d ConstantPad2d ConstantPad3d | x, padding, value | m.self(x, one(padding), value)
pad | x, pad, mode='constant', value=None | m.pad(x, pad, mode=mode, value=(value or 0) | 0)
PixelShuffle pixel_shuffle | x, upscale_factor | m.pixel_shuffle(x, upscale_factor=upscale_factor)
PixelUnshuffle pixel_unshuffle | x, downscale_factor | m.pixel_unshuffle(x, downscale_factor)
ChannelShuffle channel_shuffle | x, groups | m.channel_shuffle(x, groups=groups)

Embedding | ids, num_embeddings, embedding_dim, max_norm==None | \
 m.embedding(name, ids, num_embeddings=num_embeddings, embedding_dim=embedding_dim)
EmbeddingBag | ids, offsets==None, per_sample_weights==None, num_embeddings, embedding_dim, mode, max_norm==None, \
 padding_idx==None | m.embedding_bag(name, ids, num_embeddings=num_embeddings, embedding_dim=embedding_dim, mode=mode | 'mean')
CosineSimilarity cosine_similarity | a, b, dim=1, eps=1e-8 | m.cosine_similarity(a, b, dim=dim, eps=eps)
PairwiseDistance pairwise_distance | a, b, norm=None, p=2.0, eps=1e-6, keepdim=False | \
 m.pairwise_distance(a, b, p=(norm or p) | 2.0, eps=eps, keepdim=keepdim)
Flatten | x, start_dim, end_dim | m.flatten(x, start_dim=start_dim | 0, end_dim=end_dim | -1)
flatten | x, start_dim=0, end_dim=-1 | m.flatten(x, start_dim=start_dim, end_dim=end_dim)
ravel | x | m.flatten(x)
Unflatten | x, dim, unflattened_size | m.unflatten(x, dim, unflattened_size)
unflatten | x, dim, sizes | m.unflatten(x, dim, sizes)

abs absolute | x | m.abs(x)
neg negative | x | -x
exp expm1 log log1p log10 log2 exp2 sqrt rsqrt square reciprocal sign floor ceil trunc sin cos tan asin acos atan sinh cosh \
 asinh acosh atanh erf erfc frac isnan isinf isfinite bitwise_not logical_not hypot logaddexp | *x | m.self(*x)
round | x, decimals==0 | m.round(x)
invert | x | m.bitwise_not(x)
logit | x, eps==None | m.logit(x)
remainder mod | a, b | m.remainder(a, b)
fmod | a, b | m.fmod(a, b)
floor_divide floordiv | a, b | m.floor_divide(a, b)
lerp | a, b, weight | m.lerp(a, b, weight)
addcmul addcdiv | x, a, b, value=1 | m.self(x, a, b, value)
eq ne lt le gt ge logical_and logical_or logical_xor bitwise_and bitwise_or bitwise_xor | a, b | m.self(a, b)
matmul mm bmm mv dot | a, b | m.matmul(a, b)
addmm baddbmm | x, a, b, beta=1, alpha=1 | m.addmm(x, a, b, beta, alpha)
outer | a, b | m.outer(a, b)
einsum | equation, *tensors | m.einsum(equation, flat(tensors))
det | x | m.det(x)
cdist | a, b, p=2.0, compute_mode=None | m.cdist(a, b, p)

view | x, *shape | m.view(x, flat(shape))
reshape | x, *shape | m.reshape(x, flat(shape))
permute | x, *dims | m.permute(x, flat(dims))
transpose swapaxes swapdims | x, dim0, dim1 | m.transpose(x, dim0, dim1)
t T mT H mH adjoint | x | m.transpose(x, -2, -1)
movedim moveaxis | x, source, destination | m.movedim(x, one(source), one(destination))
squeeze | x, dim=None | m.squeeze(x, dim)
unsqueeze | x, dim | m.unsqueeze(x, dim)
expand broadcast_to | x, *sizes | m.expand(x, flat(sizes))
repeat | x, *sizes | m.repeat(x, flat(sizes))
tile | x, *dims | m.tile(x, flat(dims))
repeat_interleave | x, repeats, dim, output_size=None | m.repeat_interleave(x, repeats, dim)
stack | tensors, dim=0 | m.stack(tensors, dim)
hstack column_stack | tensors | m.cat(tensors, dim=1)
narrow | x, dim, start, length | m.narrow(x, dim, start, length)
select | x, dim, index | m.select(x, dim, index)
flip | x, *dims | m.flip(x, one(flat(dims)))
tril triu | x, diagonal=0 | m.self(x, diagonal=diagonal)
sum mean prod amax amin nansum logsumexp any all argmax argmin | x, dim=None, keepdim=False, dtype==None | m.self(x, one(dim), keepdim)
cumsum | x, dim, dtype==None | m.cumsum(x, dim=dim)
cumprod | x, dim, dtype==None | m.cumprod(x, dim)
diff | x, n=1, dim=-1, prepend==None, append==None | m.diff(x, n, dim)
argsort | x, dim=-1, descending=False | m.argsort(x, dim, descending)
norm | x, p='fro', dim=None, keepdim=False, dtype==None | m.norm(x, two_for_fro(p) | 2, one(dim), keepdim)
vector_norm linalg_vector_norm | x, ord=2, dim=None, keepdim=False, dtype==None | m.norm(x, ord, one(dim), keepdim)
masked_fill | x, mask, value | m.masked_fill(x, mask, number(value))
where | condition, a, b | m.where(condition, number(a), number(b))
gather take_along_dim | x, dim, index, sparse_grad=False | m.gather(x, dim, index)
index_select | x, dim, index | m.index_select(x, dim, index)
take | x, index | m.take(x, index)
one_hot | ids, num_classes | m.one_hot(ids, num_classes)
zeros_like ones_like | x, dtype==None, layout=None, device=None, requires_grad=False, memory_format=None | m.self(x)
full_like | x, fill_value, dtype==None, layout=None, device=None | m.full_like(x, fill_value)
clamp_min | x, min | m.clamp_min(x, min)
clamp_max | x, max | m.clamp_max(x, max)
"""

# What does nothing at inference.
NOTHING = set("""Identity Dropout Dropout1d Dropout2d Dropout3d AlphaDropout FeatureAlphaDropout dropout dropout1d dropout2d
dropout3d alpha_dropout feature_alpha_dropout contiguous clone detach requires_grad positive pos cpu resolve_conj
resolve_neg data""".split())

# Why there is no word.
NO_WORD = {
    "FractionalMaxPool2d": "it draws its windows at random", "FractionalMaxPool3d": "it draws its windows at random",
    **dict.fromkeys("rand randn rand_like randn_like bernoulli multinomial normal normal_ gumbel_softmax".split(),
                    "random numbers are inputs"),
    **dict.fromkeys("nonzero masked_select unique bincount".split(), "how many there will be is not known before it runs"),
    **dict.fromkeys("atan2 lgamma digamma erfinv i0".split(), "no operator has it; your own may (examples/own_operator)"),
    **dict.fromkeys("real imag angle view_as_complex view_as_real".split(), "numbers are real"),
    **dict.fromkeys("setitem index_put copy fill zero".split(), "values do not change; say it with torch.where or torch.cat"),
}
