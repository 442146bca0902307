"""Boots, waits for the runner to say what to load, serves it until it is told to stop."""

import json
import os
import queue
import socket
import sys
import threading
import time
import traceback

from .asgi import AsgiServer, is_asgi
from .command import Command
from .control import Control
from .in_flight import InFlight
from .load import find_answer, load_module
from .moved_ports import move_connections
from .output import capture
from .threads import ThreadServer, WsgiRequest, call_method, call_wsgi, exiting, handler_class

ROOT = "/var/task"


def listen(path):
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    os.chmod(path, 0o666)
    # The kernel refuses those over it at once.
    listener.listen(4096)
    return listener


def warm(path):
    """Answers itself once, so that the first request finds everything loaded."""

    def app(environ, start_response):
        start_response("200 OK", [("content-type", "application/json")])
        return [json.dumps({"path": environ["PATH_INFO"]}).encode()]

    listener = listen(path)
    handler = handler_class(WsgiRequest, call_wsgi(app), lambda _: None, InFlight(), lambda _: None)
    server = ThreadServer(listener, handler)
    threading.Thread(target=server.run, daemon=True).start()
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as client:
        client.connect(path)
        for _ in range(3):
            client.sendall(b"GET /warm HTTP/1.1\r\nhost: localhost\r\n\r\n")
            client.recv(4096)
    server.stop()
    os.unlink(path)


class Launcher:
    def __init__(self, folder, host_network=None):
        self._folder = folder
        self._host_network = host_network
        self._control = Control(os.path.join(folder, "control.sock"))
        self._in_flight = InFlight()
        self._loads = queue.Queue()
        self._server = None
        self._command = None
        self._stopping = threading.Event()

    def run(self):
        path = os.path.join(self._folder, "http.sock")
        warm(path)
        listener = listen(path)
        capture()
        self._control.accept()
        self._control.send({"type": "booted", "pid": os.getpid()})
        threading.Thread(target=self._obey, daemon=True).start()
        message = self._loads.get()
        try:
            self._load(message, listener)
        except BaseException as error:
            self._fail(error)
        self._control.send({"type": "ready"})
        self._server.run()
        if self._stopping.is_set():
            # The thread that stops us ends the process; what is registered for the end runs here.
            self._exit_normally()

    def _exit_normally(self):
        self._control.finish()
        sys.exit(0)

    def _exit(self, code):
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except (OSError, ValueError):
                pass
        self._control.finish()
        os._exit(code)

    def _fail(self, error):
        stack = "".join(traceback.format_exception(type(error), error, error.__traceback__))
        message = "%s: %s" % (type(error).__name__, error)
        self._control.send({"type": "failed", "message": message, "stack": stack})
        self._exit(1)

    def _load(self, message, listener):
        root = message.get("root") or ROOT
        for name in ("ALOFT_LAUNCH", "ALOFT_RUN_DIR", "ALOFT_HOST_NETWORK"):
            os.environ.pop(name, None)
        os.environ.update(message.get("env") or {})
        time.tzset()
        os.chdir(root)
        if message.get("compileCache"):
            sys.pycache_prefix = message["compileCache"]
            sys.dont_write_bytecode = False
        if message["shape"] == "command":
            self._start_command(message, listener, root)
            return
        if self._host_network:
            move_connections(self._host_network)
        if message["shape"] != "handler":
            raise ValueError("Python has no programs of the shape %s" % message["shape"])
        entry, _, wanted = message["entry"].partition(":")
        file = os.path.join(root, entry)
        sys.argv = [file]
        kind, answer = find_answer(load_module(file, root), wanted)
        exit_process = exiting(self._control)
        log = self._control.log
        if kind == "app" and is_asgi(answer):
            self._server = AsgiServer(listener, answer, log, self._in_flight, exit_process)
            self._server.prepare()
            return
        base, call = (WsgiRequest, call_wsgi(answer)) if kind == "app" else (answer, call_method)
        handler = handler_class(base, call, log, self._in_flight, exit_process)
        self._server = ThreadServer(listener, handler)

    def _start_command(self, message, listener, root):
        if not message.get("command"):
            raise ValueError("There is no command to run")
        self._command = self._server = Command(
            listener, message["command"], root, self._host_network
        )
        threading.Thread(target=self._watch_command, daemon=True).start()
        if not self._command.wait_ready():
            # Whoever watches it says that it is over, and ends the process.
            threading.Event().wait()

    def _watch_command(self):
        code = self._command.wait()
        if not self._stopping.is_set():
            self._control.send({"type": "finished", "code": code})
            self._exit(code)

    def _obey(self):
        for message in self._control.messages():
            if message["type"] == "load":
                self._loads.put(message)
            elif message["type"] == "stop" and not self._stopping.is_set():
                self._stopping.set()
                threading.Thread(target=self._stop, args=(message["graceMs"] / 1000,), daemon=True).start()
        os._exit(1)

    def _stop(self, seconds):
        deadline = time.monotonic() + seconds
        if self._command is not None:
            self._command.stop(seconds)
            self._exit(0)
        if self._server is None:
            self._exit(0)
        if isinstance(self._server, AsgiServer):
            self._server.stop()
            self._in_flight.wait(seconds)
            self._server.end()
        else:
            # Its end is the end of the main thread, so first what runs.
            self._in_flight.wait(seconds)
            self._server.stop()
        time.sleep(max(0, deadline - time.monotonic()))
        self._exit(0)


def main():
    host_network = os.environ.get("ALOFT_HOST_NETWORK")
    folder = os.environ.get("ALOFT_RUN_DIR") or "/aloft/run"
    Launcher(folder, json.loads(host_network) if host_network else None).run()
