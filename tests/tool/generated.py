# SPDX-License-Identifier: BSL-1.0
"""A model as a generated header: written by the tool, compiled, and run as a static engine."""
import os, re, subprocess
from array import array

from common import compiled, compiler

def has_avx2():
    try:
        return " avx2 " in open("/proc/cpuinfo").read()
    except OSError:
        return False


# One target for the static engine, and the loaded model on the same one: then their answers are the same bits.
COMPILED_FOR = ["-march=x86-64-v3"] if has_avx2() else []


def same_target(ctnn, file):
    """The option of `ctnn run` for it; a tool that was compiled for one target has nothing to choose."""
    said = subprocess.run([ctnn.program, "run", file, "--target", "?"], capture_output=True, text=True).stderr
    return ["--target", "AVX2"] if COMPILED_FOR and " AVX2" in said else []


MAIN = """#include "{name}.hpp"
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
static ctnn::parameters<{name}> weights{{ctnn::zeros}};
static ctnn::engine<{name}> run{{weights}};
template <std::size_t... I>
void read_all(std::index_sequence<I...>, const float** in) {{
  const auto one = [](const char* file, std::size_t n) {{
    float* to = static_cast<float*>(std::malloc(n));
    std::FILE* from = std::fopen(file, "rb");
    if (!from || std::fread(to, 1, n, from) != n || std::fclose(from) != 0) std::abort();
    return to;
  }};
  ((in[I] = one(("in" + std::to_string(I)).c_str(), sizeof(typename decltype(run)::template input_span<I>::element_type) * run.template input_size<I>)), ...);
}}
template <class Engine, std::size_t... I>
void run_on(Engine& engine, std::index_sequence<I...>, const float* const* in) {{
  if constexpr (requires {{ engine.run(std::span<const float* const, Engine::inputs>(in, Engine::inputs)); }})
    engine.run(std::span<const float* const, Engine::inputs>(in, Engine::inputs));
  else
    engine.run(typename Engine::template input_span<I>(
        static_cast<typename Engine::template input_span<I>::element_type*>(static_cast<const void*>(in[I])), Engine::template input_size<I>)...);
}}
template <std::size_t... I>
void write_all(std::index_sequence<I...>) {{
  (std::fwrite(run.template output<I>().data(), 1, run.template output<I>().size_bytes(), stdout), ...);
}}
int main() {{
  if (ctnn::load(weights, {name}::weights).found) return 1;
  const float* in[decltype(run)::inputs];
  read_all(std::make_index_sequence<decltype(run)::inputs>{{}}, in);
  run_on(run, std::make_index_sequence<decltype(run)::inputs>{{}}, in);
  write_all(std::make_index_sequence<decltype(run)::outputs>{{}});
}}
"""


class Refused(Exception):
    """The tool has no header for the model, and says why."""


class Header:
    """Files NAME.hpp, NAME.cpp and the program NAME in `folder`. `source`: the model's file and options of the tool."""
    def __init__(self, ctnn, folder, source, name="net"):
        self.folder, self.name = folder, name
        done = subprocess.run([ctnn.program, "header", *source, "-o", f"{folder}/{name}.hpp"], capture_output=True, text=True)
        if done.returncode:
            raise Refused(done.stderr.strip())
        self.layers = int(re.search(r"(\d+) layers", done.stdout)[1])
        self.bytes = os.path.getsize(f"{folder}/{name}.hpp")

    def compile(self, flags):
        """(seconds of processor time, megabytes)"""
        source = f"{self.folder}/{self.name}.cpp"
        open(source, "w").write(MAIN.format(name=self.name))
        return compiled([*compiler(), "-std=c++20", "-O2", *COMPILED_FOR, "-DHWY_COMPILE_ONLY_STATIC", "-Wall", "-Wextra", "-Wconversion", "-Werror",
                         *flags, source, "-o", f"{self.folder}/{self.name}"])

    def run(self, inputs):
        """The bytes of all outputs, one after the other, as floats; inputs are floats, or an array of its own type."""
        for k, numbers in enumerate(inputs):
            with open(f"{self.folder}/in{k}", "wb") as out:
                (numbers if isinstance(numbers, array) else array("f", numbers)).tofile(out)
        out = array("f")
        out.frombytes(subprocess.run([f"{self.folder}/{self.name}"], check=True, capture_output=True, cwd=self.folder).stdout)
        return out


def sides(ctnn, source):
    """Names and shapes of a model's inputs and outputs, in the engine's order."""
    found = {"input": [], "output": []}
    for line in ctnn("info", *source, "--summary").splitlines():
        words = line.split(None, 1)
        if words and words[0] in found:
            name, value = words[1].rsplit(": ", 1)
            shape = value.partition(" ")[2]  # behind the element type
            found[words[0]].append((name, tuple(int(n) for n in shape.split(" x ")) if shape != "scalar" else ()))
    return found["input"], found["output"]
