#!/usr/bin/python3
# SPDX-License-Identifier: BSL-1.0
"""A PyTorch module as a C++ type, checked: exported to ONNX, written as a header with its weights by the tool `ctnn`, compiled,
run, and its outputs compared with PyTorch's on the same random inputs.

    examples/torch_to_ctnn.py mine.py:Net 1x3x32x32 -o net.hpp      # Net() is a torch.nn.Module, or gives one
    examples/torch_to_ctnn.py                                       # a small network of this file
    examples/torch_to_ctnn.py --declare mine.py:Net 1x3x32x32 -o net.hpp  # as a function that one could have written

--declare traces the module (torch_to_ctnn/), writes its forward() in ctnn's words, and loads its state_dict by name.

A shape for each input, i64:1x16 where it takes other numbers than float32. What is needed besides: Debian's python3-torch,
a C++ compiler ($CXX) and the tool, which examples/setup-and-run builds."""
import argparse, importlib.util, math, os, shutil, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.abspath(__file__))
MANY = 1_000_000  # parameters: more are linked, not written as C++

MAIN = """#include "{name}.hpp"
#include <cstdio>
{engine}
{arrays}
static bool read(const char* path, void* to, std::size_t bytes) {{
  std::FILE* f = std::fopen(path, "rb");
  const bool all = f && std::fread(to, 1, bytes, f) == bytes;
  if (f) std::fclose(f);
  return all;
}}
static bool write(const char* path, auto numbers) {{
  std::FILE* f = std::fopen(path, "wb");
  return f && std::fwrite(numbers.data(), 1, numbers.size_bytes(), f) == numbers.size_bytes() && !std::fclose(f);
}}
int main() {{
  {reads}
  run.run({takes});
  {writes}
}}
"""


WRITTEN = "static ctnn::engine<{name}> run{{{name}::packed}};"
DECLARED = """#include <ctnn/weights.hpp>
using fused = ctnn::optimized<{name}>;
static ctnn::parameters<fused> packed{{ctnn::weights::folded<{name}>(ctnn::weights::open("weights.pt"))}};
static ctnn::engine<fused> run{{packed}};"""


def example():
    from torch import nn

    class Residual(nn.Module):
        def __init__(self, channels):
            super().__init__()
            self.body = nn.Sequential(nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels), nn.ReLU(),
                                      nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels))

        def forward(self, x):
            return (x + self.body(x)).relu()

    return nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1), nn.BatchNorm2d(8), nn.ReLU(), Residual(8), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(8, 10), nn.Softmax(1))


def module_of(what):
    if not what:
        return example()
    path, _, name = what.rpartition(":")
    if not path:
        sys.exit(f"{what}: expected FILE.py:NAME")
    spec = importlib.util.spec_from_file_location("given", path)
    given = importlib.util.module_from_spec(spec)
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec.loader.exec_module(given)
    found = getattr(given, name, None)
    if found is None:
        sys.exit(f"{path}: nothing in it is called {name}")
    import torch
    return found if isinstance(found, torch.nn.Module) else found()


def random_input(torch, text):
    kind, _, shape = text.rpartition(":")
    kinds = {"": torch.float32, "f32": torch.float32, "f64": torch.float64, "i64": torch.int64, "i32": torch.int32, "bool": torch.bool}
    try:
        kind, shape = kinds[kind], [int(n) for n in shape.split("x")]
    except (KeyError, ValueError):
        sys.exit(f"{text}: expected a shape such as 1x3x32x32 or i64:1x16")
    return torch.randn(shape, dtype=kind) if kind.is_floating_point else torch.randint(0, 2, shape).to(kind)


def tool(given):
    for path in [given] if given else [shutil.which("ctnn"), f"{HERE}/../build/bin/ctnn", f"{HERE}/../build/tests/bin/ctnn"]:
        if path and os.path.isfile(path):
            return path
    sys.exit(f"{given or 'ctnn'}: no such program; build the tool (examples/setup-and-run), or say where it is with --tool")


def run(command, **more):
    begin = time.time()
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **more)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip(), time.time() - begin


def program(name, inputs, outputs, names, engine):
    """Reads every x<k>, writes every y<k>."""
    types = {"float32": "float", "float64": "double", "int64": "std::int64_t", "int32": "std::int32_t", "bool": "bool"}
    word = lambda t: types[str(t.dtype).removeprefix("torch.")]
    return MAIN.format(
        name=name, engine=engine.format(name=name),
        arrays="\n".join(f"static {word(x)} x{k}[{x.numel()}];" for k, x in enumerate(inputs)),
        reads="\n  ".join(f'if (!read("x{k}", x{k}, sizeof x{k})) return 1;' for k, _ in enumerate(inputs)),
        takes=", ".join(f'ctnn::in<"{called}">(x{k})' for k, called in enumerate(names)),
        writes="\n  ".join(f'if (!write("y{k}", run.output<{k}>())) return 1;' for k, _ in enumerate(outputs)))


def deviation(torch, got, want):
    """Of the largest number there is; of whole numbers 0 or all."""
    if len(got) != want.numel() * want.element_size():
        return math.inf
    got = torch.frombuffer(bytearray(got), dtype=want.dtype).reshape(want.shape)
    if not want.dtype.is_floating_point:
        return 0.0 if torch.equal(got, want) else math.inf
    if not torch.isfinite(got).all() or not torch.isfinite(want).all():
        return math.inf
    return float((got.double() - want.double()).abs().max() / want.double().abs().max().clamp(min=1e-30))


def write_declaration(torch, net, inputs, name, out, work):
    """The header, and what its weights are called: weights.pt in `work`; beside the header what no state_dict has."""
    from torch_to_ctnn.declare import Declaration
    from torch_to_ctnn.trace import Unsayable
    try:
        declared = Declaration(net, inputs, name)
    except Unsayable as why:
        sys.exit(f"not declared: {why}")
    with open(out, "w") as to:
        to.write(declared.text)
    torch.save(declared.weights, f"{work}/weights.pt")
    print(f"{out}: {len(declared.text.splitlines())} lines, {sum(p.numel() for p in net.parameters())} parameters")
    unread = [name for name in declared.unread if not name.endswith("num_batches_tracked")]
    if unread:
        print(f"not read of the state_dict: {', '.join(unread[:8])}{' ...' if len(unread) > 8 else ''}")
    if declared.extra:
        print(f"read besides the state_dict: {', '.join(declared.extra)}")
    if unread or declared.extra:
        shutil.copy(f"{work}/weights.pt", os.path.splitext(out)[0] + ".pt")
        print(f"{os.path.splitext(out)[0]}.pt: what the network reads")
    return declared.inputs


def main():
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("module", nargs="?", help="FILE.py:NAME")
    asked.add_argument("shapes", nargs="*", help="of the inputs, such as 1x3x224x224")
    asked.add_argument("-o", "--out", help="NAME.hpp to keep; also NAME.blob and NAME.blob.cpp if there are many weights")
    asked.add_argument("--declare", action="store_true", help="write forward() as a function, nn::declared, without weights")
    asked.add_argument("--blob", action=argparse.BooleanOptionalAction, help="link the weights (by default if there are a million)")
    asked.add_argument("--tolerance", type=float, default=1e-5, help="in parts of an output's largest number (%(default)s)")
    asked.add_argument("--tool", help="the program ctnn")
    asked.add_argument("--flags", default="-O2 -march=native", help="of the compiler (%(default)s)")
    asked.add_argument("--include", action="append", default=[], help="folder of headers; may be repeated")
    asked = asked.parse_args()
    if asked.module and not asked.shapes:
        sys.exit("expected the shape of each input, such as 1x3x224x224")
    try:
        import torch
    except ImportError:
        sys.exit(f"{sys.executable} has no torch (Debian: python3-torch, for /usr/bin/python3)")
    ctnn = None if asked.declare else tool(asked.tool)
    torch.manual_seed(1)
    net = module_of(asked.module).eval()
    inputs = [random_input(torch, s) for s in asked.shapes or ["1x3x32x32"]]
    with torch.no_grad():
        for norm in net.modules():  # of a new network they would do nothing
            if getattr(norm, "running_var", None) is not None and not asked.module:
                norm.running_mean.normal_(0, 0.5)
                norm.running_var.uniform_(0.5, 2)
        wants = net(*inputs)
    wants = [wants] if isinstance(wants, torch.Tensor) else list(wants.values() if isinstance(wants, dict) else wants)
    with tempfile.TemporaryDirectory() as work:
        out = os.path.abspath(asked.out or f"{work}/net.hpp")
        stem = os.path.splitext(os.path.basename(out))[0]
        name = "".join(c if c.isalnum() else "_" for c in stem)
        names, engine, linked = [f"x{k}" for k, _ in enumerate(inputs)], WRITTEN, []
        if asked.declare:
            names, engine = write_declaration(torch, net, inputs, name, out, work), DECLARED
            linked = ["-DCTNN_ZLIB", "-lz"]
        else:
            torch.onnx.export(net, tuple(inputs), f"{work}/model.onnx", input_names=names,
                              output_names=[f"y{k}" for k, _ in enumerate(wants)])
            blob = asked.blob if asked.blob is not None else sum(p.numel() for p in net.parameters()) > MANY
            where = ["--blob"] if blob else ["--packed", 16]
            said, took = run([ctnn, "header", f"{work}/model.onnx", "-o", out, "--name", name, *where])
            print(f"{said}\n  {took:.1f} s")
            linked = [f"{os.path.splitext(out)[0]}.blob.cpp"] if blob else []
        with open(f"{work}/main.cpp", "w") as to:
            to.write(program(name, inputs, wants, names, engine).replace(f'"{name}.hpp"', f'"{stem}.hpp"'))
        folders = [f"-I{d}" for d in [os.path.dirname(out), *asked.include, f"{HERE}/../include"]]
        _, took = run([*os.environ.get("CXX", "g++").split(), "-std=c++20", "-DHWY_COMPILE_ONLY_STATIC", *asked.flags.split(), *folders,
                       f"{work}/main.cpp", *linked, "-o", f"{work}/main"])
        print(f"compiled: {took:.1f} s")
        for k, x in enumerate(inputs):
            open(f"{work}/x{k}", "wb").write(x.contiguous().numpy().tobytes())
        _, took = run([f"{work}/main"], cwd=work)
        print(f"run: {took:.2f} s")
        furthest = max(deviation(torch, open(f"{work}/y{k}", "rb").read(), y) for k, y in enumerate(wants))
    print(f"furthest from PyTorch: {furthest:.2g} of an output's largest number")
    if not furthest <= asked.tolerance:
        sys.exit(f"FAILED: more than {asked.tolerance:g}")


if __name__ == "__main__":
    main()
