"""Loads a program's entry and finds in it what answers requests."""

import importlib
import importlib.util
import os
import sys
from http.server import BaseHTTPRequestHandler

NAMES = ("handler", "Handler", "app", "application")


def load_module(file, root):
    packages = package_folders(file, root)
    for folder in filter(os.path.isdir, packages):
        import site

        # Also what `.pth` files in it name.
        site.addsitedir(folder)
    folders = [root, *packages]
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


def package_folders(file, root):
    """What a list of packages asks for is installed beside it, for the code there and below: the nearest comes first."""
    found, folder = [], os.path.dirname(file)
    while folder != root and len(folder) > len(root):
        if os.path.isdir(os.path.join(folder, "_vendor")):
            found.append(os.path.join(folder, "_vendor"))
        folder = os.path.dirname(folder)
    return [*found, os.path.join(root, "_vendor")]


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
