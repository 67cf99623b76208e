# SPDX-License-Identifier: BSL-1.0
"""The published models in a folder of shared ones, with their inputs and reference outputs."""
import fnmatch, glob, json, os, subprocess, sys
from array import array

from common import read_floats
from generated import sides


class Values:
    """An array that a file describes; it is read when it is asked for."""
    def __init__(self, name, shape, numbers):
        self.name, self.shape, self.numbers = name, tuple(shape), numbers


class Case:
    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs

    def shapes(self):
        return {v.name: v.shape for v in self.inputs}


class Published:
    """name: as in the folder, "ncnn/squeezenet11"; file: to load; cases: made when they are asked for."""
    def __init__(self, name, file, cases, weights=None):
        self.name, self.file, self.cases, self.weights = name, file, cases, weights


def from_file(folder, described):
    types = {"float32": "f", "int64": "q"}
    def numbers():
        out = array(types[described.get("dtype", "float32")])
        out.frombytes(open(f"{folder}/{described['file']}", "rb").read())
        return out
    return Values(described["name"], described["shape"], numbers)


def ordinary(folder, about):
    return lambda: [Case([from_file(folder, v) for v in c["inputs"]], [from_file(folder, v) for v in c["outputs"]]) for c in about["cases"]]


def light(folder, about):
    """Inputs 0/n, 1/n, ..., as in ONNX's own runner."""
    count = 1
    for n in about["input"]["shape"]:
        count *= n
    ramp = Values(about["input"]["name"], about["input"]["shape"], lambda: array("f", [i / count for i in range(count)]))
    return lambda: [Case([ramp], [from_file(folder, about["output"])])]


def tiny(file, ctnn):
    """MLPerf Tiny's: one input, one output, shapes as in the model."""
    def cases():
        (given,), (answer,) = sides(ctnn, [file])
        stem = file[:-len(".onnx")]
        return [Case([Values(*given, lambda: read_floats(stem + "_in_nchw.bin"))], [Values(*answer, lambda: read_floats(stem + "_out.bin"))])]
    return cases


def synthetic(models, folder, about, scratch):
    """ncnn's benchmark architectures; their weights and inputs are made by the shared models' own generator (it needs NumPy)."""
    name = os.path.basename(folder)
    shape = about["input"]["shape_chw"]
    made = [f"{scratch}/{name}.{what}.bin" for what in ("weights", "input")]

    def weights():
        if not os.path.exists(made[0]):
            generator = f"{models}/tools/gen_ncnn_weights.py"
            subprocess.run([sys.executable, generator, f"{models}/{about['param']}", made[0], *map(str, reversed(shape)), made[1]], check=True,
                           stdout=subprocess.DEVNULL)
        return made[0]

    def cases():
        weights()
        return [Case([Values(about["input"]["blob"], shape, lambda: read_floats(made[1]))], [from_file(folder, v) for v in about["outputs"]])]
    return Published(f"ncnn_synth/{name}", f"{models}/{about['param']}", cases, weights)


def find(models, ctnn, patterns, scratch):
    """Those whose names match one of the patterns, such as "onnx/*"."""
    wanted = lambda name: any(fnmatch.fnmatchcase(name, p) for p in patterns)
    for file in sorted(glob.glob(f"{models}/mlperf_tiny/*.onnx")):
        name = "mlperf_tiny/" + os.path.basename(file)[:-len(".onnx")]
        if wanted(name):
            yield Published(name, file, tiny(file, ctnn))
    for file in sorted(f for kind in ("onnx", "light", "ncnn*") for f in glob.glob(f"{models}/{kind}/*/model.*")):
        folder = os.path.dirname(file)
        name = os.path.relpath(folder, models)
        if file.endswith((".onnx", ".param")) and os.path.exists(f"{folder}/model.json") and wanted(name):
            about = json.load(open(f"{folder}/model.json"))
            yield Published(name, file, ordinary(folder, about) if "cases" in about else light(folder, about))
    for file in sorted(glob.glob(f"{models}/ncnn_synth/*/case.json")):
        folder = os.path.dirname(file)
        if wanted(os.path.relpath(folder, models)):
            yield synthetic(models, folder, json.load(open(file)), scratch)
