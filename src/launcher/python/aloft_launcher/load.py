"""Loads a program's entry and finds in it what answers requests."""

import importlib
import importlib.util
import os
import sys
from http.server import BaseHTTPRequestHandler

NAMES = ("handler", "Handler", "app", "application")


def load_module(file, root):
    folders = [root, os.path.join(root, "_vendor")]
    if os.path.isdir(folders[1]):
        import site

        # Also what `.pth` files in it name.
        site.addsitedir(folders[1])
    sys.path[:] = folders + [folder for folder in sys.path if folder not in folders]
    sys.path.append(os.path.dirname(file))
    importlib.invalidate_caches()
    name = os.path.splitext(os.path.relpath(file, root))[0].replace(os.sep, ".")
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None:
        raise ImportError("%s is no Python module" % os.path.basename(file))
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def find_answer(module, wanted):
    """`("handler", class)` or `("app", callable)`."""
    names = (wanted,) if wanted else NAMES
    for name in names:
        value = module
        for part in name.split("."):
            value = getattr(value, part, None)
        if value is None:
            continue
        if isinstance(value, type) and issubclass(value, BaseHTTPRequestHandler):
            return "handler", value
        if callable(value):
            return "app", value
    raise LookupError(
        "The module exports nothing that answers requests. Define a class `handler` that inherits from "
        "BaseHTTPRequestHandler, or a WSGI or ASGI application `app`."
        if not wanted
        else "The module has no application %s" % wanted
    )
