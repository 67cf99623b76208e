# SPDX-License-Identifier: BSL-1.0
"""Dense sweeps of ONNX's operators of bytes: every pair of bytes, or every byte, with scales and zero points of all kinds. cases(folder)
writes a model and its inputs for each, and gives (name, model, inputs, steps): what ONNX Runtime makes of them ctnn makes, to so many
steps."""
import math, os, random, struct, sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import onnx_bytes as onnx

NAMES = {onnx.UINT8: "uint8", onnx.INT8: "int8", onnx.FLOAT: "float32"}
LEAST = {onnx.UINT8: 0, onnx.INT8: -128}
MICROSOFT = "com.microsoft"


def as_float(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


class Draw:
    """Scales, zero points and bytes: the same in every run."""
    def __init__(self, seed, kind):
        self.random, self.kind = random.Random(seed), kind

    def scale(self):
        return as_float(math.exp(self.random.uniform(-4, -2.5)))

    def zero(self):
        return LEAST[self.kind] + self.random.randrange(256)

    def bytes(self, n):
        return [self.zero() for _ in range(n)]

    def all_bytes(self):
        return [LEAST[self.kind] + i for i in range(256)]


class Model:
    """One operator of inputs and a result of bytes."""
    def __init__(self, draw):
        self.draw, self.inputs, self.nodes, self.constants, self.scales = draw, [], [], [], {}

    def input(self, name, shape, numbers):
        self.inputs.append((name, shape, numbers))
        return self.element(name, self.draw.scale(), self.draw.zero())

    def element(self, name, scale, zero, kind=None):
        self.constants += [onnx.tensor(f"{name}_scale", [], [scale]), onnx.tensor(f"{name}_zero", [], [zero], kind or self.draw.kind)]
        self.scales[name] = scale
        return [name, f"{name}_scale", f"{name}_zero"]

    def constant(self, name, shape, numbers, kind):
        self.constants.append(onnx.tensor(name, shape, numbers, kind))
        return name

    def result(self, scale=None, zero=None):
        return self.element("y", scale or self.draw.scale(), self.draw.zero() if zero is None else zero)[1:]

    def node(self, kind, inputs, output="y", domain="", **attributes):
        self.nodes.append(onnx.node(kind, inputs, [output], f"{kind}_{output}", domain, **attributes))
        return output

    def between(self, kind, inputs, **attributes):
        """The operator of real numbers between DequantizeLinear and QuantizeLinear."""
        reals = [self.node("DequantizeLinear", x, f"{x[0]}_real") for x in inputs]
        return self.node(kind, reals, "y_real", **attributes)

    def write(self, folder, name, shape, kind=None, opset=15):
        file, inputs = f"{folder}/{name}.onnx", []
        kind = kind or self.draw.kind
        values = [onnx.value(n, s, kind) for n, s, _ in self.inputs]
        g = onnx.graph(self.nodes, values, [onnx.value("y", shape, kind)], self.constants)
        with open(file, "wb") as out:
            out.write(onnx.model(g, opset, MICROSOFT))
        for n, s, numbers in self.inputs:
            path = f"{folder}/{name}.{n}"
            with open(path, "wb") as out:
                out.write(struct.pack(f"{len(numbers)}{onnx.FORMATS[kind]}", *numbers))
            inputs.append({"name": n, "file": path, "type": NAMES[kind], "shape": s})
        return name, file, inputs


def pairs(m, operator):
    """Every pair of bytes."""
    every = m.draw.all_bytes()
    a, b = m.input("a", [256, 256], [x for x in every for _ in every]), m.input("b", [256, 256], every * 256)
    combine(m, operator, a, b)
    return [256, 256]


def broadcast(m, operator, first):
    """Images and a number for each channel, which is the first operand or the second."""
    big, small = m.input("a", [1, 64, 10, 10], m.draw.bytes(6400)), m.input("b", [1, 64, 1, 1], m.draw.bytes(64))
    combine(m, operator, small if first else big, big if first else small)
    return [1, 64, 10, 10]


def combine(m, operator, a, b):
    products = operator.endswith("Mul")
    made = m.result(as_float(m.scales["a"] * m.scales["b"] * 80) if products else None)
    if operator.startswith("QLinear"):
        m.node(operator, a + b + made, domain=MICROSOFT)
    else:
        m.node("QuantizeLinear", [m.between(operator, [a, b])] + made)


def function(m, operator, **attributes):
    """A function of one number, of every byte."""
    x = m.input("a", [1, 256], m.draw.all_bytes())
    unit = operator.endswith("Sigmoid")
    made = m.result(1 / 256, LEAST[m.draw.kind]) if unit else m.result()
    if operator.startswith("QLinear"):
        m.node(operator, x + made, domain=MICROSOFT, **attributes)
    else:
        m.node("QuantizeLinear", [m.between(operator, [x], **attributes)] + made)
    return [1, 256]


def rows(m, operator):
    x = m.input("a", [256, 16], m.draw.bytes(4096))
    made = m.result(1 / 256, LEAST[m.draw.kind])
    if operator.startswith("QLinear"):
        m.node(operator, x + made, domain=MICROSOFT, axis=-1, opset=13)
    else:
        m.node("QuantizeLinear", [m.between(operator, [x], axis=-1)] + made)
    return [256, 16]


def averages(m, operator, **attributes):
    x = m.input("a", [1, 64, 17, 17], m.draw.bytes(64 * 289))
    made = m.result()
    if operator.startswith("QLinear"):
        m.node(operator, x + made, domain=MICROSOFT, **({"channels_last": 0} if "Global" in operator else {}), **attributes)
    else:
        m.node("QuantizeLinear", [m.between(operator, [x], **attributes)] + made)
    return [1, 64, 1, 1] if "Global" in operator else [1, 64, 15, 15]


def joined(m):
    a, b = m.input("a", [1, 256], m.draw.all_bytes()), m.input("b", [1, 256], m.draw.all_bytes())
    m.node("QLinearConcat", m.result() + a + b, domain=MICROSOFT, axis=0)
    return [2, 256]


def weight(m, shape, outputs, by_output, kind):
    """Bytes whose scales are one, or one for each output along axis 0 or, of matrices, 1."""
    draw = m.draw.random
    scales = [as_float(math.exp(draw.uniform(-5, -4))) for _ in range(outputs if by_output else 1)]
    zero = draw.randint(100, 150) if kind == onnx.UINT8 else 0
    each = [outputs] if by_output else []
    m.weight_scales = scales
    m.constant("w", shape, [draw.randint(-127, 127) if kind == onnx.INT8 else draw.randrange(256) for _ in range(math.prod(shape))], kind)
    m.constant("w_scale", each, scales, onnx.FLOAT)
    m.constant("w_zero", each, [zero] * len(scales), kind)
    return ["w", "w_scale", "w_zero"]


def convolution(m, kind, groups=1, bias=False):
    x = m.input("a", [1, 16, 24, 24], m.draw.bytes(16 * 576))
    w = weight(m, [32, 16 // groups, 3, 3], 32, kind == onnx.INT8, kind)
    made = m.result(as_float(m.scales["a"] * m.weight_scales[0] * m.draw.random.uniform(300, 900)))
    more = [m.constant("bias", [32], [m.draw.random.randint(-3000, 3000) for _ in range(32)], onnx.INT32)] if bias else []
    m.node("QLinearConv", x + w + made + more, kernel_shape=[3, 3], pads=[1, 1, 1, 1], group=groups)
    return [1, 32, 24, 24]


def convolution_between(m, kind):
    x = m.input("a", [1, 16, 24, 24], m.draw.bytes(16 * 576))
    w = weight(m, [32, 16, 3, 3], 32, kind == onnx.INT8, kind)
    made = m.result(as_float(m.scales["a"] * m.weight_scales[0] * m.draw.random.uniform(300, 900)))
    reals = [m.node("DequantizeLinear", x, "a_real"), m.node("DequantizeLinear", w, "w_real", axis=0)]
    m.node("QuantizeLinear", [m.node("Conv", reals, "y_real", kernel_shape=[3, 3], pads=[1, 1, 1, 1])] + made)
    return [1, 32, 24, 24]


def product(m, operator, kind):
    x = m.input("a", [64, 48], m.draw.bytes(64 * 48))
    w = weight(m, [48, 80], 80, operator == "MatMul" and kind == onnx.INT8, kind)
    made = m.result(as_float(m.scales["a"] * m.weight_scales[0] * m.draw.random.uniform(200, 600)))
    if operator == "QLinearMatMul":
        m.node(operator, x + w + made)
    else:
        reals = [m.node("DequantizeLinear", x, "a_real"), m.node("DequantizeLinear", w, "w_real", axis=1)]
        m.node("QuantizeLinear", [m.node(operator, reals, "y_real")] + made)
    return [64, 80]


def reals(m, shape):
    m.inputs.append(("a", shape, [m.draw.random.uniform(-1, 1) for _ in range(math.prod(shape))]))
    return "a"


def scales(m, shape):
    return m.constant("w_scale", shape, [as_float(math.exp(m.draw.random.uniform(-5, -4))) for _ in range(math.prod(shape))], onnx.FLOAT)


def product_of_bits(m, bits, block, zeros, rows, k, n, bias=False):
    """Real numbers by numbers of so many bits; zero points are none, packed, or real numbers."""
    draw, blocks = m.draw.random, -(-k // block)
    packed = lambda count: draw.choices(range(256), k=count)
    inputs = [reals(m, [rows, k]), m.constant("w", [n, blocks, block * bits // 8], packed(n * block * blocks * bits // 8), onnx.UINT8),
              scales(m, [n * blocks])]
    if zeros == "packed":
        inputs.append(m.constant("w_zero", [n * -(-blocks * bits // 8)], packed(n * -(-blocks * bits // 8)), onnx.UINT8))
    elif zeros == "real":
        inputs.append(m.constant("w_zero", [n * blocks], [as_float(draw.uniform(0, 15)) for _ in range(n * blocks)], onnx.FLOAT))
    if bias:
        inputs += [""] * (5 - len(inputs)) + [m.constant("bias", [n], [as_float(draw.uniform(-1, 1)) for _ in range(n)], onnx.FLOAT)]
    m.node("MatMulNBits", inputs, domain=MICROSOFT, K=k, N=n, bits=bits, block_size=block, accuracy_level=1)
    return [rows, n]


def product_of_dequantized(m, kind, block, zeros, rows, k, n, gemm=False):
    """Real numbers by what DequantizeLinear makes of bytes, with a scale for each output, or for blocks of the inputs."""
    of_scales = [n] if not block else [n, k // block] if gemm else [k // block, n]
    shape = [n, k] if gemm else [k, n]
    w = [m.constant("w", shape, [LEAST[kind] + b for b in m.draw.random.choices(range(256), k=k * n)], kind), scales(m, of_scales)]
    if zeros:
        least = 0 if kind == onnx.UINT8 else -100
        w.append(m.constant("w_zero", of_scales, [least + z for z in m.draw.random.choices(range(200), k=math.prod(of_scales))], kind))
    along = {"axis": (1 if gemm else 0) if block else (0 if gemm else 1), **({"block_size": block} if block else {})}
    m.node("Gemm" if gemm else "MatMul", [reals(m, [rows, k]), m.node("DequantizeLinear", w, "w_real", **along)], **({"transB": 1} if gemm else {}))
    return [rows, n]


def packed_products():
    for bits in 4, 8:
        for block in 16, 32, 128:
            for zeros in "none", "packed", "real":
                for rows in 1, 5:
                    if zeros != "real" or bits == 4:  # of 8 bits ONNX Runtime has no real zero points
                        yield f"MatMulNBits_{bits}_{block}_{zeros}_{rows}", lambda m, f=(bits, block, zeros, rows): product_of_bits(m, *f, 256, 83)
        yield f"MatMulNBits_{bits}_part", lambda m, b=bits: product_of_bits(m, b, 32, "packed", 3, 200, 40)
        yield f"MatMulNBits_{bits}_bias", lambda m, b=bits: product_of_bits(m, b, 32, "packed", 3, 128, 40, True)
    for kind in onnx.INT8, onnx.UINT8:
        for block in 0, 32:
            for zeros in False, True:
                for rows in 1, 5:
                    for gemm in False, True:
                        yield (f"{'Gemm' if gemm else 'MatMul'}_{NAMES[kind]}_{block}_{zeros}_{rows}",
                               lambda m, f=(kind, block, zeros, rows), g=gemm: product_of_dequantized(m, *f, 256, 83, g))


def packed(folder):
    """Products of real numbers by weights that stay packed, as cases() has them: what is off is so much of the largest number."""
    for name, make in packed_products():
        m = Model(Draw(name, onnx.UINT8))
        # ONNX Runtime, as users open it, makes bytes of the left matrix of MatMul.
        rounded = name.startswith("MatMul_")
        yield (*m.write(folder, name, make(m), onnx.FLOAT, 21), 1e-2 if rounded else 1e-5)


# ONNX Runtime adds the real numbers, ctnn by ratios of scales, as QLinearAdd does: a byte of a hundred thousand is a step off.
NEAR = {"Add": 1, "Sub": 1}


def operators():
    """(name, how a model is made, how often): so that each operator sees 100,000 bytes or, where fewer are all there are, all of them."""
    for operator in "QLinearAdd", "QLinearMul", "Add", "Mul":
        yield operator, lambda m, o=operator: pairs(m, o), 3
        if operator.startswith("QLinear"):
            for first in False, True:
                yield f"{operator}_{'first' if first else 'second'}_by_channel", lambda m, o=operator, f=first: broadcast(m, o, f), 3
    yield "Sub", lambda m: pairs(m, "Sub"), 3
    for operator in "QLinearSigmoid", "Relu", "Sigmoid", "Tanh", "HardSwish", "Elu", "Softplus":
        yield operator, lambda m, o=operator: function(m, o), 8
    for operator in "QLinearLeakyRelu", "LeakyRelu":
        yield operator, lambda m, o=operator: function(m, o, alpha=0.1), 8
    for operator in "QLinearSoftmax", "Softmax":
        yield operator, lambda m, o=operator: rows(m, o), 3
    for operator in "QLinearGlobalAveragePool", "GlobalAveragePool":
        yield operator, lambda m, o=operator: averages(m, o), 8
    for operator in "QLinearAveragePool", "AveragePool":
        yield operator, lambda m, o=operator: averages(m, o, kernel_shape=[3, 3]), 4
    yield "QLinearConcat", joined, 8
    for kind in onnx.INT8, onnx.UINT8:
        of = NAMES[kind]
        yield f"QLinearConv_{of}", lambda m, k=kind: convolution(m, k), 3
        yield f"QLinearConv_{of}_bias", lambda m, k=kind: convolution(m, k, bias=True), 3
        yield f"QLinearConv_{of}_depthwise", lambda m, k=kind: convolution(m, k, groups=16), 3
        yield f"Conv_{of}", lambda m, k=kind: convolution_between(m, k), 3
        for operator in "QLinearMatMul", "MatMul":
            yield f"{operator}_{of}", lambda m, o=operator, k=kind: product(m, o, k), 10


def cases(folder):
    for operator, make, times in operators():
        for kind in onnx.UINT8, onnx.INT8:
            if kind == onnx.INT8 and "uint8" in operator:
                continue  # ONNX Runtime multiplies no signed bytes by unsigned ones
            for i in range(times):
                m = Model(Draw(f"{operator}{i}", kind))
                yield (*m.write(folder, f"{operator}_of_{NAMES[kind]}_{i}", make(m)), NEAR.get(operator, 0))
