# SPDX-License-Identifier: BSL-1.0
"""What a module's Python calls the values that it computes, so that the C++ may call them so, too."""
import dis, inspect, os, sys

import torch

TORCH = os.path.dirname(torch.__file__) + os.sep
HERE = os.path.dirname(os.path.abspath(__file__)) + os.sep


def assigned_names():
    """Names that the statement which is running assigns what is being called: `q, k, v = x.split(...)`; else none."""
    frame = sys._getframe(1)
    while frame and frame.f_code.co_filename.startswith((TORCH, HERE)):
        if frame.f_code.co_filename.endswith("container.py"):
            return []
        frame = frame.f_back
    if frame is None:
        return []
    following = [i for i in dis.get_instructions(frame.f_code) if i.offset > frame.f_lasti]
    if not following:
        return []
    count = following[0].argval if following[0].opname == "UNPACK_SEQUENCE" else 1
    stores = following[1:1 + count] if following[0].opname == "UNPACK_SEQUENCE" else following[:1]
    return [i.argval for i in stores] if all(i.opname == "STORE_FAST" for i in stores) else []


def argument_names(module, args, kwargs):
    """[(name, argument)] as the module's forward() calls them."""
    try:
        bound = inspect.signature(type(module).forward).bind(module, *args, **kwargs).arguments
    except TypeError:
        return []
    return [(name, given) for name, given in list(bound.items())[1:] if not isinstance(given, (tuple, dict))]
