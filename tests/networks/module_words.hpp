// SPDX-License-Identifier: BSL-1.0
// PyTorch's words and how networks say them: a row for each module of torch.nn, losses apart; functions are in
// function_words.hpp.
//   said(PyTorch's name, an example in Python, the word of lists of layers, the example as a function)
//   other(PyTorch's name, what is said instead, or why it is not said)
// pytorch_words.py makes PyTorch's answers of the examples; w(module) gives a module weights that are made up of their
// names behind "w". What examples read: x and y (2, 3, 4), matrix (3, 3), row (4), signal (2, 4, 9),
// image (2, 4, 6, 8), volume (1, 2, 4, 4, 6), steps (5, 2, 6), ids (2, 3) of 5, places (2, 3, 4) of 3.
#pragma once

// clang-format off
#define CTNN_PYTORCH_MODULES(said, other) \
  said("nn.Identity", "nn.Identity()(x)", "identity", m.identity(x)) \
  said("nn.Linear", "w(nn.Linear(4, 5))(x)", "linear", m.linear("w", x, {.out_features = 5})) \
  said("nn.Bilinear", "w(nn.Bilinear(4, 4, 5))(x, y)", "bilinear", m.bilinear("w", x, y, {.out_features = 5})) \
  said("nn.Conv1d", "w(nn.Conv1d(4, 6, 3, stride=2, padding=1))(signal)", "conv1d", m.conv1d("w", signal, \
      {.out_channels = 6, .kernel_size = 3, .stride = 2, .padding = 1})) \
  said("nn.Conv2d", "w(nn.Conv2d(4, 6, 3, padding='same', dilation=2, groups=2))(image)", "conv2d", m.conv2d("w", \
      image, {.out_channels = 6, .kernel_size = 3, .padding = "same", .dilation = 2, .groups = 2})) \
  said("nn.Conv2d(padding_mode)", "w(nn.Conv2d(4, 6, (3, 4), padding='same', padding_mode='reflect'))(image)", "", \
      m.conv2d("w", image, {.out_channels = 6, .kernel_size = {3, 4}, .padding = "same", .padding_mode = "reflect"})) \
  said("nn.Conv3d", "w(nn.Conv3d(2, 3, (1, 2, 3), padding=(0, 1, 1), padding_mode='circular', bias=False))(volume)", \
      "conv3d", m.conv3d("w", volume, {.out_channels = 3, .kernel_size = {1, 2, 3}, .padding = {0, 1, 1}, \
      .bias = false, .padding_mode = "circular"})) \
  said("nn.ConvTranspose1d", "w(nn.ConvTranspose1d(4, 6, 3, stride=2, padding=1))(signal)", "conv_transpose1d", \
      m.conv_transpose1d("w", signal, {.out_channels = 6, .kernel_size = 3, .stride = 2, .padding = 1})) \
  said("nn.ConvTranspose2d", "w(nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1))(image)", "conv_transpose2d", \
      m.conv_transpose2d("w", image, {.out_channels = 6, .kernel_size = 3, .stride = 2, .output_padding = 1})) \
  said("nn.ConvTranspose3d", "w(nn.ConvTranspose3d(2, 3, 2))(volume)", "conv_transpose3d", m.conv_transpose3d("w", \
      volume, {.out_channels = 3, .kernel_size = 2})) \
  other("nn.LazyConv2d and all that are lazy", "the same without Lazy: numbers of inputs are never said") \
  said("nn.Unfold", "nn.Unfold((2, 3), padding=1, stride=2)(image)", "unfold", m.unfold(image, {.kernel_size = {2, \
      3}, .padding = 1, .stride = 2})) \
  said("nn.Fold", "nn.Fold((4, 5), (2, 2), stride=(2, 3))(signal[:, :, :4])", "layer<op::fold_blocks>", \
      m.fold(m.narrow(signal, 2, 0, 4), {.output_size = {4, 5}, .kernel_size = {2, 2}, .stride = {2, 3}})) \
  said("nn.MaxPool1d", "nn.MaxPool1d(3, 2, 1)(signal)", "max_pool1d", m.max_pool1d(signal, {.kernel_size = 3, \
      .stride = 2, .padding = 1})) \
  said("nn.MaxPool2d", "nn.MaxPool2d(3, 2, ceil_mode=True)(image)", "max_pool2d", m.max_pool2d(image, \
      {.kernel_size = 3, .stride = 2, .ceil_mode = true})) \
  said("nn.MaxPool3d", "nn.MaxPool3d(2)(volume)", "max_pool3d", m.max_pool3d(volume, {.kernel_size = 2})) \
  said("nn.MaxUnpool1d", "nn.MaxUnpool1d(2)(*F.max_pool1d(signal[:, :, :8], 2, return_indices=True))", \
      "layer<op::max_unpool>", m.max_unpool1d( \
      m.max_pool1d_with_indices(m.narrow(signal, 2, 0, 8), {.kernel_size = 2}), {.kernel_size = 2})) \
  said("nn.MaxUnpool2d", "nn.MaxUnpool2d(2)(*F.max_pool2d(image, 2, return_indices=True))", "layer<op::max_unpool>", \
      m.max_unpool2d( \
      m.max_pool2d_with_indices(image, {.kernel_size = 2}), {.kernel_size = 2})) \
  said("nn.MaxUnpool3d", "nn.MaxUnpool3d(2)(*F.max_pool3d(volume, 2, return_indices=True))", "layer<op::max_unpool>", \
      m.max_unpool3d( \
      m.max_pool3d_with_indices(volume, {.kernel_size = 2}), {.kernel_size = 2})) \
  said("nn.AvgPool1d", "nn.AvgPool1d(3, count_include_pad=False, padding=1)(signal)", "avg_pool1d", \
      m.avg_pool1d(signal, {.kernel_size = 3, .padding = 1})) \
  said("nn.AvgPool2d", "nn.AvgPool2d(3, 2, 1)(image)", "avg_pool2d", m.avg_pool2d(image, {.kernel_size = 3, \
      .stride = 2, .padding = 1, .count_include_pad = true})) \
  said("nn.AvgPool3d", "nn.AvgPool3d((1, 2, 3))(volume)", "avg_pool3d", m.avg_pool3d(volume, {.kernel_size = {1, 2, \
      3}})) \
  other("nn.FractionalMaxPool2d", "not said: it draws its windows at random") \
  other("nn.FractionalMaxPool3d", "not said: it draws its windows at random") \
  said("nn.LPPool1d", "nn.LPPool1d(2, 3, stride=2)(signal)", "lp_pool1d", m.lp_pool1d(signal, {.norm_type = 2, \
      .kernel_size = 3, .stride = 2})) \
  said("nn.LPPool2d", "nn.LPPool2d(2, 2)(image)", "lp_pool2d", m.lp_pool2d(image, {.norm_type = 2, .kernel_size = 2})) \
  said("nn.LPPool3d", "", "lp_pool3d", m.lp_pool3d(volume, {.norm_type = 2, .kernel_size = 2})) \
  said("nn.AdaptiveMaxPool1d", "nn.AdaptiveMaxPool1d(4)(signal)", "adaptive_max_pool1d", \
      m.adaptive_max_pool1d(signal, {.output_size = 4})) \
  said("nn.AdaptiveMaxPool2d", "nn.AdaptiveMaxPool2d((4, 5))(image)", "adaptive_max_pool2d", \
      m.adaptive_max_pool2d(image, {.output_size = {4, 5}})) \
  said("nn.AdaptiveMaxPool3d", "nn.AdaptiveMaxPool3d(3)(volume)", "adaptive_max_pool3d", \
      m.adaptive_max_pool3d(volume, {.output_size = 3})) \
  said("nn.AdaptiveAvgPool1d", "nn.AdaptiveAvgPool1d(4)(signal)", "adaptive_avg_pool1d", \
      m.adaptive_avg_pool1d(signal, {.output_size = 4})) \
  said("nn.AdaptiveAvgPool2d", "nn.AdaptiveAvgPool2d((None, 5))(image)", "adaptive_avg_pool2d", \
      m.adaptive_avg_pool2d(image, {.output_size = {0, 5}})) \
  said("nn.AdaptiveAvgPool3d", "nn.AdaptiveAvgPool3d(1)(volume)", "adaptive_avg_pool3d", \
      m.adaptive_avg_pool3d(volume)) \
  said("nn.ZeroPad1d", "", "zero_pad", m.zero_pad1d(signal, 2)) \
  said("nn.ZeroPad2d", "nn.ZeroPad2d((1, 2, 0, 3))(image)", "zero_pad", m.zero_pad2d(image, {1, 2, 0, 3})) \
  said("nn.ZeroPad3d", "", "zero_pad", m.zero_pad3d(volume, 1)) \
  said("nn.ConstantPad1d", "nn.ConstantPad1d(2, 7)(signal)", "constant_pad", m.constant_pad1d(signal, 2, 7)) \
  said("nn.ConstantPad2d", "nn.ConstantPad2d((1, 2, 0, 3), 7)(image)", "constant_pad", m.constant_pad2d(image, {1, \
      2, 0, 3}, 7)) \
  said("nn.ConstantPad3d", "nn.ConstantPad3d(1, 7)(volume)", "constant_pad", m.constant_pad3d(volume, 1, 7)) \
  said("nn.ReflectionPad1d", "nn.ReflectionPad1d((3, 1))(signal)", "reflection_pad", m.reflection_pad1d(signal, {3, \
      1})) \
  said("nn.ReflectionPad2d", "nn.ReflectionPad2d(2)(image)", "reflection_pad", m.reflection_pad2d(image, 2)) \
  said("nn.ReflectionPad3d", "nn.ReflectionPad3d(2)(volume)", "reflection_pad", m.reflection_pad3d(volume, 2)) \
  said("nn.ReplicationPad1d", "nn.ReplicationPad1d((3, 1))(signal)", "replication_pad", m.replication_pad1d(signal, \
      {3, 1})) \
  said("nn.ReplicationPad2d", "nn.ReplicationPad2d(2)(image)", "replication_pad", m.replication_pad2d(image, 2)) \
  said("nn.ReplicationPad3d", "nn.ReplicationPad3d(2)(volume)", "replication_pad", m.replication_pad3d(volume, 2)) \
  said("nn.CircularPad1d", "F.pad(signal, (3, 1), mode='circular')", "circular_pad", m.circular_pad1d(signal, {3, 1})) \
  said("nn.CircularPad2d", "F.pad(image, (2, 2, 2, 2), mode='circular')", "circular_pad", m.circular_pad2d(image, 2)) \
  said("nn.CircularPad3d", "F.pad(volume, (2,) * 6, mode='circular')", "circular_pad", m.circular_pad3d(volume, 2)) \
  said("nn.ELU", "nn.ELU()(x)", "elu", m.elu(x)) \
  said("nn.Hardshrink", "nn.Hardshrink()(x)", "hardshrink", m.hardshrink(x)) \
  said("nn.Hardsigmoid", "nn.Hardsigmoid()(x)", "hardsigmoid", m.hardsigmoid(x)) \
  said("nn.Hardtanh", "nn.Hardtanh(-0.5, 1)(x)", "hardtanh, clip", m.hardtanh(x, -0.5, 1)) \
  said("nn.Hardswish", "nn.Hardswish()(x)", "hardswish", m.hardswish(x)) \
  said("nn.LeakyReLU", "nn.LeakyReLU()(x)", "leaky_relu", m.leaky_relu(x)) \
  said("nn.LogSigmoid", "nn.LogSigmoid()(x)", "log_sigmoid", m.logsigmoid(x)) \
  said("nn.PReLU", "w(nn.PReLU())(image)", "", m.prelu("w", image)) \
  said("nn.PReLU(num_parameters)", "w(nn.PReLU(4))(image)", "prelu", m.prelu("w", image, {.num_parameters = 4})) \
  said("nn.ReLU", "nn.ReLU()(x)", "relu", m.relu(x)) \
  said("nn.ReLU6", "nn.ReLU6()(x * 5)", "relu6", m.relu6(x * 5)) \
  said("nn.RReLU", "nn.RReLU().eval()(x)", "rrelu", m.rrelu(x)) \
  said("nn.SELU", "nn.SELU()(x)", "selu", m.selu(x)) \
  said("nn.CELU", "nn.CELU(0.5)(x)", "celu", m.celu(x, 0.5)) \
  said("nn.GELU", "nn.GELU()(x)", "gelu", m.gelu(x)) \
  said("nn.GELU(approximate)", "nn.GELU('tanh')(x)", "gelu_tanh", m.gelu(x, "tanh")) \
  said("nn.Sigmoid", "nn.Sigmoid()(x)", "sigmoid", m.sigmoid(x)) \
  said("nn.SiLU", "nn.SiLU()(x)", "silu", m.silu(x)) \
  said("nn.Mish", "nn.Mish()(x)", "mish", m.mish(x)) \
  said("nn.Softplus", "nn.Softplus(2, 1)(x)", "softplus_beta", m.softplus(x, 2, 1)) \
  said("nn.Softshrink", "nn.Softshrink()(x)", "softshrink", m.softshrink(x)) \
  said("nn.Softsign", "nn.Softsign()(x)", "softsign", m.softsign(x)) \
  said("nn.Tanh", "nn.Tanh()(x)", "tanh_activation", m.tanh(x)) \
  said("nn.Tanhshrink", "nn.Tanhshrink()(x)", "tanhshrink", m.tanhshrink(x)) \
  said("nn.Threshold", "nn.Threshold(0.1, 0.7)(x)", "threshold", m.threshold(x, 0.1, 0.7)) \
  said("nn.GLU", "nn.GLU()(x)", "glu", m.glu(x)) \
  said("nn.Softmin", "nn.Softmin(1)(x)", "softmin", m.softmin(x, 1)) \
  said("nn.Softmax", "nn.Softmax(1)(x)", "softmax", m.softmax(x, {.dim = 1})) \
  said("nn.Softmax2d", "nn.Softmax2d()(image)", "softmax2d", m.softmax2d(image)) \
  said("nn.LogSoftmax", "nn.LogSoftmax(-1)(x)", "log_softmax", m.log_softmax(x, {.dim = -1})) \
  other("nn.AdaptiveLogSoftmaxWithLoss", "not said: a loss; its head is linear and log_softmax") \
  said("nn.BatchNorm1d", "w(nn.BatchNorm1d(4))(signal)", "batch_norm1d", m.batch_norm1d("w", signal)) \
  said("nn.BatchNorm2d", "w(nn.BatchNorm2d(4, eps=0.1))(image)", "batch_norm2d", m.batch_norm2d("w", image, \
      {.eps = 0.1})) \
  said("nn.BatchNorm3d", "w(nn.BatchNorm3d(2))(volume)", "batch_norm3d", m.batch_norm3d("w", volume)) \
  said("nn.BatchNorm2d(affine=False)", "w(nn.BatchNorm2d(4, affine=False))(image)", "", m.batch_norm2d("w", image, \
      {.affine = false})) \
  said("nn.BatchNorm2d(track_running_stats=False)", "w(nn.BatchNorm2d(4, track_running_stats=False))(image)", "", \
      m.batch_norm2d("w", image, {.track_running_stats = false})) \
  other("nn.SyncBatchNorm", "m.batch_norm: at inference it is that") \
  said("nn.GroupNorm", "w(nn.GroupNorm(2, 4))(image)", "group_norm", m.group_norm("w", image, {.num_groups = 2})) \
  said("nn.GroupNorm(affine=False)", "nn.GroupNorm(2, 4, affine=False)(image)", "", m.group_norm("w", image, \
      {.num_groups = 2, .affine = false})) \
  said("nn.InstanceNorm1d", "nn.InstanceNorm1d(4)(signal)", "instance_norm1d", m.instance_norm1d("w", signal)) \
  said("nn.InstanceNorm2d", "w(nn.InstanceNorm2d(4, affine=True))(image)", "affine_instance_norm2d", \
      m.instance_norm2d("w", image, {.affine = true})) \
  said("nn.InstanceNorm3d", "w(nn.InstanceNorm3d(2, affine=True))(volume)", "affine_instance_norm3d", \
      m.instance_norm3d("w", volume, {.affine = true})) \
  other("nn.InstanceNorm2d(track_running_stats=True)", "m.batch_norm2d: at inference it is that") \
  said("nn.LayerNorm", "w(nn.LayerNorm(4))(x)", "affine_layer_norm", m.layer_norm("w", x)) \
  said("nn.LayerNorm(several axes)", "w(nn.LayerNorm((3, 4)))(x)", "", m.layer_norm("w", x, {.normalized_shape = {3, \
      4}})) \
  said("nn.RMSNorm", "", "affine_rms_norm", m.rms_norm("w", x, {.eps = 1e-6})) \
  said("nn.LocalResponseNorm", "nn.LocalResponseNorm(3, alpha=0.1)(image)", "local_response_norm (of odd sizes)", \
      m.local_response_norm(image, {.size = 3, .alpha = 0.1})) \
  said("nn.RNN", "w(nn.RNN(6, 5, 2, nonlinearity='relu'))(steps)[0]", "rnn, stacked_rnn", m.rnn("w", steps, \
      {.hidden_size = 5, .num_layers = 2, .nonlinearity = "relu"}).output) \
  said("nn.GRU", "w(nn.GRU(6, 5, bidirectional=True))(steps)[0]", "gru, stacked_gru", m.gru("w", steps, \
      {.hidden_size = 5, .bidirectional = true}).output) \
  said("nn.GRU, its states", "w(nn.GRU(6, 6, 2))(steps, steps[:2])[1]", "", m.gru("w", {steps, m.narrow(steps, 0, 0, \
      2)}, {.hidden_size = 6, .num_layers = 2}).h) \
  said("nn.LSTM", "w(nn.LSTM(6, 5, 2, bidirectional=True, batch_first=True))(steps)[0]", "lstm, stacked_lstm", \
      m.lstm("w", steps, {.hidden_size = 5, .num_layers = 2, .batch_first = true, .bidirectional = true}).output) \
  said("nn.LSTM, its states", "w(nn.LSTM(6, 6, 2))(steps, (steps[:2], steps[2:4]))[1][1]", "", m.lstm("w", {steps, \
      m.narrow(steps, 0, 0, 2), m.narrow(steps, 0, 2, 2)}, {.hidden_size = 6, .num_layers = 2}).c) \
  said("nn.LSTM(proj_size)", "w(nn.LSTM(6, 5, 2, proj_size=3, bidirectional=True))(steps)[0]", "projected_lstm", \
      m.lstm("w", steps, {.hidden_size = 5, .num_layers = 2, .bidirectional = true, .proj_size = 3}).output) \
  said("nn.LSTM(proj_size), its state", "w(nn.LSTM(6, 5, proj_size=3))(steps)[1][0]", "", m.lstm("w", steps, \
      {.hidden_size = 5, .proj_size = 3}).h) \
  said("nn.RNNCell", "w(nn.RNNCell(6, 6, nonlinearity='relu'))(steps[0], steps[1])", "rnn_cell", m.rnn_cell("w", \
      {m.select(steps, 0, 0), m.select(steps, 0, 1)}, {.hidden_size = 6, .nonlinearity = "relu"})) \
  said("nn.GRUCell", "w(nn.GRUCell(6, 6, bias=False))(steps[0], steps[1])", "gru_cell", m.gru_cell("w", \
      {m.select(steps, 0, 0), m.select(steps, 0, 1)}, {.hidden_size = 6, .bias = false})) \
  said("nn.LSTMCell", "w(nn.LSTMCell(6, 6))(steps[0], (steps[1], steps[2]))[1]", "lstm_cell", m.lstm_cell("w", \
      {m.select(steps, 0, 0), m.select(steps, 0, 1), m.select(steps, 0, 2)}, {.hidden_size = 6}).c) \
  said("nn.MultiheadAttention", "w(nn.MultiheadAttention(6, 2))(steps, steps, steps)[0]", "multihead_attention", \
      m.multihead_attention("w", steps, {.num_heads = 2})) \
  said("nn.MultiheadAttention(attn_mask)", \
      "w(nn.MultiheadAttention(6, 2))(steps, steps, steps, attn_mask=torch.ones(5, 5).triu(1) > 0)[0]", "", \
      m.multihead_attention("w", steps, {.num_heads = 2, .attn_mask = m.gt(m.triu(m.ones({5, 5}), {.diagonal = 1}), \
      0)})) \
  said("nn.MultiheadAttention(key_padding_mask)", \
      "w(nn.MultiheadAttention(6, 2))(steps, steps, steps, attn_mask=steps[:, 0, :5], " \
      "key_padding_mask=steps[:, :, 0].T > 0.5)[0]", "", m.multihead_attention("w", steps, {.num_heads = 2, \
      .attn_mask = m.narrow(m.select(steps, 1, 0), 1, 0, 5), .key_padding_mask = m.gt(m.transpose(m.select(steps, 2, \
      0), 0, 1), 0.5)})) \
  said("nn.MultiheadAttention(kdim, vdim, batch_first)", \
      "w(nn.MultiheadAttention(4, 2, kdim=9, vdim=9, batch_first=True))(x, signal, signal)[0]", "", \
      m.multihead_attention("w", {x, signal, signal}, {.num_heads = 2, .batch_first = true})) \
  other("nn.MultiheadAttention(add_bias_kv, add_zero_attn)", \
      "m.cat of the keys and values, then m.scaled_dot_product_attention") \
  said("nn.TransformerEncoderLayer", "w(nn.TransformerEncoderLayer(6, 2, 8, norm_first=True, activation='gelu', " \
      "layer_norm_eps=1e-3))(steps)", "transformer_encoder_layer", m.transformer_encoder_layer("w", steps, \
      {.nhead = 2, .dim_feedforward = 8, .activation = nn::function::gelu, .layer_norm_eps = 1e-3, \
      .norm_first = true})) \
  said("nn.TransformerDecoderLayer", "w(nn.TransformerDecoderLayer(6, 2, 8))(steps, steps * 2)", \
      "transformer_decoder_layer", m.transformer_decoder_layer("w", steps, steps * 2, {.nhead = 2, \
      .dim_feedforward = 8})) \
  said("nn.TransformerEncoder", \
      "w(nn.TransformerEncoder(nn.TransformerEncoderLayer(6, 2, 8), 2, nn.LayerNorm(6)))(steps, " \
      "src_key_padding_mask=steps[:, :, 0].T > 0.5)", "repeat<\"layers\", 2, transformer_encoder_layer>", \
      m.transformer_encoder("w", steps, {.layer = {.nhead = 2, .dim_feedforward = 8, \
      .src_key_padding_mask = m.gt(m.transpose(m.select(steps, 2, 0), 0, 1), 0.5)}, .num_layers = 2, .norm = true})) \
  said("nn.TransformerDecoder", "w(nn.TransformerDecoder(nn.TransformerDecoderLayer(6, 2, 8), 2))(steps, steps * 2)", \
      "repeat<\"layers\", 2, transformer_decoder_layer>", m.transformer_decoder("w", steps, steps * 2, \
      {.layer = {.nhead = 2, .dim_feedforward = 8}, .num_layers = 2})) \
  said("nn.Transformer", "w(nn.Transformer(6, 2, 1, 2, 8))(steps, steps * 2)", "", m.transformer("w", steps, \
      steps * 2, {.layer = {.nhead = 2, .dim_feedforward = 8}, .num_encoder_layers = 1, .num_decoder_layers = 2})) \
  said("nn.Dropout", "x", "dropout", m.dropout(x)) \
  said("nn.Dropout1d", "x", "dropout", m.dropout1d(x)) \
  said("nn.Dropout2d", "x", "dropout", m.dropout2d(x)) \
  said("nn.Dropout3d", "x", "dropout", m.dropout3d(x)) \
  said("nn.AlphaDropout", "x", "dropout", m.alpha_dropout(x)) \
  said("nn.FeatureAlphaDropout", "x", "dropout", m.feature_alpha_dropout(x)) \
  said("nn.Embedding", "w(nn.Embedding(7, 5))(ids)", "embedding", m.embedding("w", ids, {.num_embeddings = 7, \
      .embedding_dim = 5})) \
  said("nn.EmbeddingBag", "w(nn.EmbeddingBag(7, 5, mode='max'))(ids)", "embedding_bag", m.embedding_bag("w", ids, \
      {.num_embeddings = 7, .embedding_dim = 5, .mode = "max"})) \
  said("nn.CosineSimilarity", "nn.CosineSimilarity()(x, y)", "cosine_similarity", m.cosine_similarity(x, y)) \
  said("nn.PairwiseDistance", "nn.PairwiseDistance(1)(x, y)", "pairwise_distance", m.pairwise_distance(x, y, \
      {.p = 1})) \
  said("nn.PixelShuffle", "nn.PixelShuffle(2)(image)", "pixel_shuffle", m.pixel_shuffle(image, {.upscale_factor = 2})) \
  said("nn.PixelUnshuffle", "nn.PixelUnshuffle(2)(image)", "pixel_unshuffle", m.pixel_unshuffle(image, 2)) \
  said("nn.ChannelShuffle", "nn.ChannelShuffle(2)(image)", "channel_shuffle", m.channel_shuffle(image, {.groups = 2})) \
  said("nn.Upsample", "nn.Upsample(scale_factor=2)(image)", "interpolate_nearest", m.interpolate(image, \
      {.scale_factor = 2})) \
  said("nn.Upsample(linear)", "nn.Upsample(size=14, mode='linear', align_corners=True)(signal)", \
      "interpolate_linear", m.interpolate(signal, {.size = 14, .mode = "linear", .align_corners = true})) \
  said("nn.Upsample(bilinear)", "nn.Upsample(scale_factor=(1.5, 2), mode='bilinear')(image)", "interpolate_bilinear", \
      m.interpolate(image, {.scale_factor = {1.5, 2}, .mode = "bilinear"})) \
  said("nn.Upsample(trilinear)", "nn.Upsample(size=(3, 5, 7), mode='trilinear')(volume)", "interpolate_trilinear", \
      m.interpolate(volume, {.size = {3, 5, 7}, .mode = "trilinear"})) \
  said("nn.Upsample(bicubic)", "nn.Upsample(size=(9, 7), mode='bicubic')(image)", "interpolate_bicubic", \
      m.interpolate(image, {.size = {9, 7}, .mode = "bicubic"})) \
  said("nn.UpsamplingNearest2d", "nn.UpsamplingNearest2d((9, 7))(image)", "interpolate_nearest", \
      m.interpolate(image, {.size = {9, 7}})) \
  said("nn.UpsamplingBilinear2d", "nn.UpsamplingBilinear2d((9, 7))(image)", "interpolate_bilinear", \
      m.interpolate(image, {.size = {9, 7}, .mode = "bilinear", .align_corners = true})) \
  said("nn.Flatten", "nn.Flatten()(x)", "flatten<..., start_dim<1>>", m.flatten(x, {.start_dim = 1})) \
  said("nn.Unflatten", "nn.Unflatten(2, (2, 2))(x)", "unflatten", m.unflatten(x, 2, {2, 2})) \
  other("nn.Sequential, nn.ModuleList, nn.ModuleDict", \
      "C++: calls one after the other, loops; m.module(\"layers\", i, f)(x) and m.scope(\"layers\", i) give names " \
      "their number") \
  said("nn.Parameter", "", "constant", m.parameter("w", {3, 4})) \
  other("nn.utils.rnn.pack_padded_sequence", "the option `lengths` of m.rnn, m.gru and m.lstm") \
  other("nn.utils.parametrizations.weight_norm, spectral_norm", "nothing: weights are given as they are computed")
