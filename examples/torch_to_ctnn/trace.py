# SPDX-License-Identifier: BSL-1.0
"""What a module calls, by torch.fx, with numbers at hand: every value is computed while it is traced, so that shapes and all
that Python computes of them are plain numbers, and ifs and loops over them run as they do in PyTorch."""
import builtins, contextlib, inspect, operator
from unittest import mock

import torch
from torch import fx

from .python_names import argument_names, assigned_names


class Unsayable(Exception):
    """Something that ctnn has no word for: where it is, what it is, why."""

    def __init__(self, path, what, why):
        super().__init__(f"{path or 'the module itself'}: {what}: {why}")


class Call:
    """A call of a leaf module, a function or a method. `values` is what it gave: nodes, in a tuple if there were several."""

    def __init__(self, name, path, args, kwargs, module=None):
        self.name, self.path, self.args, self.kwargs, self.module = name, path, args, kwargs, module
        self.values, self.called = (), assigned_names()


class Frame:
    """A call of a module that is no leaf, and what it calls in turn."""

    def __init__(self, module, path, parent=None):
        self.module, self.path, self.parent, self.items = module, path, parent, []
        self.kind, self.called, self.argument_names = type(module), assigned_names(), []
        self.shared = False  # it has weights, and is called elsewhere, too


class Value(fx.Proxy):
    """A tensor that is being traced: all but its numbers can be asked for."""

    def __getattr__(self, name):
        found = getattr(self.node.meta["value"], name)
        if callable(found):
            return lambda *args, **kwargs: self.tracer.create_proxy("call_method", name, (self, *args), kwargs)
        return self.tracer.create_proxy("call_function", getattr, (self, name), {})

    def __len__(self):
        return len(self.node.meta["value"])

    def __iter__(self):
        return iter(self.unbind(0))

    def __int__(self):
        raise Unsayable(self.tracer.frame.path, "a number of Python", "it depends on the numbers of a tensor")

    __float__ = __index__ = __int__

    def __setitem__(self, index, to):
        raise Unsayable(self.tracer.frame.path, "x[...] = y", "values do not change; say it with torch.where or torch.cat")


def value_of(thing):
    return fx.node.map_aggregate(thing, lambda a: a.node.meta["value"] if type(a) is Value else a)


def nodes_of(thing):
    return fx.node.map_aggregate(thing, lambda a: a.node if type(a) is Value else a)


def each_tensor(result, f):
    """As a function gave it, with f of each tensor."""
    if isinstance(result, torch.Tensor):
        return f(result)
    if not isinstance(result, (tuple, list)):
        return result
    parts = [each_tensor(r, f) for r in result]
    return type(result)(*parts) if hasattr(result, "_fields") else type(result)(parts)


def depends_on_input(thing):
    found = []
    fx.node.map_aggregate(thing, lambda a: found.append(a) if type(a) is Value and a.node.op != "get_attr" else None)
    return bool(found)


def torch_class(module):
    """The class of torch.nn whose forward() the module has; none if it has one of its own or calls others."""
    for kind in type(module).__mro__:
        if kind.__module__.startswith("torch.nn.modules"):
            return None if issubclass(kind, (torch.nn.Sequential, torch.nn.ModuleList)) or kind is torch.nn.Module else kind
        if "forward" in vars(kind) and not kind.__module__.startswith("torch.nn"):
            return None
    return None


def is_instance(thing, kinds):
    """isinstance(), by which a value is a tensor."""
    if type(thing) is Value:
        return torch.Tensor in (kinds if builtins.isinstance(kinds, tuple) else (kinds,))
    return builtins.isinstance(thing, kinds)


@contextlib.contextmanager
def asked_as_tensors(root):
    """The modules' own Python asks by is_instance(). (PyTorch's would take a value for the memory of a tensor.)"""
    kinds = {kind for module in root.modules() for kind in type(module).__mro__ if "forward" in vars(kind)}
    with contextlib.ExitStack() as stack:
        for kind in kinds:
            if not kind.__module__.startswith("torch."):
                stack.enter_context(mock.patch.dict(inspect.unwrap(kind.forward).__globals__, isinstance=is_instance))
        yield


class Recorder(fx.Tracer):
    """trace(module, inputs) gives the frame of the whole module, with its inputs and outputs."""

    ASKED = {"size", "dim", "shape", "ndim", "ndimension", "numel", "nelement", "dtype", "device", "is_floating_point", "is_cuda",
             "is_contiguous", "stride", "type", "requires_grad", "layout", "is_sparse", "is_quantized", "names", "is_complex", "len",
             "get_device", "itemsize", "element_size", "is_meta", "is_mps", "is_nested"}
    INPLACE = {"iadd": "add", "isub": "sub", "imul": "mul", "itruediv": "truediv"}

    def trace(self, root, inputs):
        self.inputs, self.given, self.weights, self.constants, self.names_of = [], list(inputs), {}, {}, {}
        self.changed, self.running = {}, False
        self.frame = self.root_frame = Frame(root, "")
        for path, module in root.named_modules(remove_duplicate=False):
            prefix = path + "." if path else ""
            for name, tensor in [*module._parameters.items(), *module._buffers.items()]:
                if tensor is not None:
                    self.names_of.setdefault(id(tensor), []).append(prefix + name)
        self.path_of = {module: path for path, module in root.named_modules()}
        with torch.no_grad(), asked_as_tensors(root):
            try:
                super().trace(root)
            except (TypeError, ValueError, RuntimeError, AttributeError, NotImplementedError) as why:
                raise Unsayable(self.frame.path, self.frame.kind.__name__, f"it cannot be traced: {why}") from why
        if self.given:
            raise Unsayable("", f"{len(inputs)} inputs", f"its forward takes {len(self.inputs)}")
        return self.root_frame

    # What fx calls
    def proxy(self, node):
        return Value(node, self)

    def create_arg(self, a):  # of the module's result
        self.outputs = fx.node.map_aggregate(self.latest(a), lambda v: v.node if type(v) is Value else v)
        return None

    def to_bool(self, value):
        raise Unsayable(self.frame.path, "if", "it depends on the numbers of a tensor")

    def path_of_module(self, module):
        return self.path_of[module]

    def getattr(self, attr, value, cache):
        if self.running or not isinstance(value, torch.Tensor):
            return value
        return self.weight(value, attr)

    def call_module(self, module, forward, args, kwargs):
        if self.running:
            return forward(*args, **kwargs)
        path = self.path_of[module]
        if torch_class(module) is not None:
            result = self.record(Call(torch_class(module).__name__, path, args, kwargs, module), lambda a, k: forward(*a, **k))
            if getattr(module, "inplace", False):
                self.change(args[0], result)
            return result
        self.frame = Frame(module, path, self.frame)
        self.frame.parent.items.append(self.frame)
        self.frame.argument_names = [(n, a.node) for n, a in argument_names(module, args, kwargs) if type(a) is Value]
        result = forward(*args, **kwargs)
        self.frame = self.frame.parent
        return result

    def create_proxy(self, kind, target, args, kwargs, *_, **__):
        if kind == "placeholder":
            return self.placeholder(target, args)
        name = target if isinstance(target, str) else target.__name__
        if kind == "call_function" and (target.__module__ or "torch").split(".")[0] not in ("torch", "_operator", "builtins", "math"):
            return target(*args, **kwargs)  # what fx.wrap keeps whole
        if target is getattr:
            name, run = args[1], lambda a, k: getattr(*a)
            args = args[:1]
        elif kind == "call_method":
            run = lambda a, k: getattr(a[0], target)(*a[1:], **k)
        else:
            run = lambda a, k: target(*a, **k)
        of_operator = getattr(target, "__module__", "") == "_operator"  # and_ is none of those in place
        ends = name.endswith("_") and not name.endswith("__") and not of_operator
        inplace = name in self.INPLACE or ends or kwargs.get("inplace") is True
        name = self.INPLACE.get(name, name if name.startswith("__") else name.rstrip("_"))
        result = self.record(Call(name, self.frame.path, args, kwargs), run if target is not getattr else lambda a, k: getattr(*a, name))
        if inplace:
            self.change(args[0], result)
        return result

    # How calls are kept
    def placeholder(self, name, default):
        if name.startswith("**"):
            return {}
        if name.startswith("*"):
            return tuple(self.new_input(f"{name[1:]}_{k}") for k in range(len(self.given)))
        if self.given:
            return self.new_input(name)
        if default:
            return default[0]
        raise Unsayable("", f"input {name}", "no shape is given for it")

    def new_input(self, name):
        value = self.node("placeholder", name, self.given.pop(0))
        self.inputs.append(value.node)
        return value

    def node(self, op, target, value):
        node = self.create_node(op, target, (), {})
        node.meta["value"] = value
        return Value(node, self)

    def change(self, value, to):
        if type(value) is Value and type(to) is Value:
            self.changed[value.node] = to

    def latest(self, thing):
        def of(a):
            while type(a) is Value and a.node in self.changed:
                a = self.changed[a.node]
            return self.weight(a) if type(a) is not Value and isinstance(a, torch.Tensor) else a
        return fx.node.map_aggregate(thing, of)

    def weight(self, tensor, attr=None):
        """A parameter, a buffer, or a tensor that the module's own Python made."""
        names = self.names_of.get(id(tensor))
        if names is None:
            names = self.names_of[id(tensor)] = [self.unused_name(attr or "constant")]
            self.constants[names[0]] = tensor
        here = self.frame.path + "." if self.frame.path else ""
        name = next((n for n in names if n.startswith(here)), names[0])
        if name not in self.weights:
            self.weights[name] = self.node("get_attr", name, tensor)
        return self.weights[name]

    def unused_name(self, name):
        here = self.frame.path + "." if self.frame.path else ""
        taken = {n for names in self.names_of.values() for n in names}
        numbers = [""] + [f"_{k}" for k in range(1, len(taken) + 2)]
        return next(here + name + n for n in numbers if here + name + n not in taken)

    def record(self, call, run):
        call.args, call.kwargs = self.latest(call.args), self.latest(call.kwargs)
        self.running = True
        try:
            copies = fx.node.map_aggregate(value_of(call.args), lambda a: a.clone() if isinstance(a, torch.Tensor) else a)
            result = run(copies, value_of(call.kwargs))
        finally:
            self.running = False
        plain = not any(isinstance(r, torch.Tensor) for r in (result if isinstance(result, (tuple, list)) else [result]))
        if plain and call.module is None:
            if call.name not in self.ASKED and depends_on_input((call.args, call.kwargs)):
                raise Unsayable(call.path, call.name, "what it gives depends on the numbers of a tensor")
            return result
        made = call.name.startswith("new_")  # of x only the type counts
        if made or self.is_constant((call.args, call.kwargs)) and call.module is None:
            return result
        call.args, call.kwargs = nodes_of(call.args), nodes_of(call.kwargs)
        self.frame.items.append(call)
        traced = each_tensor(result, lambda r: self.node("call_function", operator.getitem, r))
        call.values = nodes_of(traced)
        return traced

    def is_constant(self, thing):
        """Made of nothing that is in a state_dict."""
        found = []
        fx.node.map_aggregate(thing, lambda a: found.append(a.node) if type(a) is Value else None)
        return all(n.op == "get_attr" and n.target in self.constants for n in found)
