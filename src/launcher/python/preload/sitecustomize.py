"""Loaded by programs of Python that share this machine's network with others, before anything of their own."""

import importlib.machinery
import importlib.util
import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _move():
    import json

    try:
        facts = json.loads(os.environ["ALOFT_HOST_NETWORK"])
    except (KeyError, ValueError):
        # Started by hand, or with variables of its own: then nothing is moved.
        return
    spec = importlib.util.spec_from_file_location(
        "_aloft_moved_ports", os.path.join(_HERE, "..", "aloft_launcher", "moved_ports.py")
    )
    module = importlib.util.module_from_spec(spec)
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    finally:
        sys.dont_write_bytecode = written
    module.move_listening(facts)
    module.move_connections(facts)


def _load_next():
    """The machine may have a file of this name as well, which would have been loaded in the place of this one."""
    folders = [folder for folder in sys.path if os.path.abspath(folder) != _HERE]
    spec = importlib.machinery.PathFinder.find_spec("sitecustomize", folders)
    if spec is not None and spec.loader is not None:
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


_move()
_load_next()
