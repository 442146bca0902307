"""Programs that are servers of their own: run as a child, connections passed on byte by byte."""

import json
import os
import socket
import subprocess
import threading
import time

from .port_owner import Ownership, find_port

DEFAULT_PORT = 3000
PRELOAD = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "preload")
NODE_PRELOAD = os.path.join(os.path.dirname(os.path.dirname(PRELOAD)), "node", "host-network", "preload.cjs")
ADDRESSES = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1"))


def _pass_on(source, target):
    try:
        while True:
            data = source.recv(65536)
            if not data:
                break
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        for end in (source, target):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def _port_variables(env, asked, own, host_network):
    """
    By these a command learns of its port. One that listens on the usual port without a look at `PORT` is moved to its
    own all the same, if it is a program of Node or Python: these load the files that are named here.
    """
    node = "--require " + json.dumps(NODE_PRELOAD)
    return {
        "PORT": str(own),
        "NODE_OPTIONS": node + " " + env["NODE_OPTIONS"] if env.get("NODE_OPTIONS") else node,
        "PYTHONPATH": PRELOAD + ":" + env["PYTHONPATH"] if env.get("PYTHONPATH") else PRELOAD,
        "ALOFT_HOST_NETWORK": json.dumps(dict(host_network, asked=asked, own=own)),
    }


class Command:
    def __init__(self, listener, argv, root, host_network=None):
        self._listener = listener
        asked = int(os.environ.get("PORT") or DEFAULT_PORT)
        if host_network is None:
            self._port, self._ownership, variables = asked, None, {"PORT": str(asked)}
        else:
            # All programs share the network of this machine: this one has a port of its own, or is not spoken to.
            self._port = find_port()
            self._ownership = Ownership(self._port)
            variables = _port_variables(os.environ, asked, self._port, host_network)
        self._address = None
        env = dict(os.environ, **variables)
        self._child = subprocess.Popen(argv, cwd=root, env=env, stdin=subprocess.DEVNULL)

    def _connect(self, family, host):
        """A connection, if by the time it is open the same sockets listen, ours, that did before."""
        before = self._ownership and self._ownership.of(host)
        if self._ownership and before is None:
            return None
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.connect((host, self._port))
            if self._ownership is None or self._ownership.of(host) == before:
                return connection
        except OSError:
            pass
        connection.close()
        return None

    def wait_ready(self):
        """Until the port takes connections; false where the command is over before."""
        pause = 0.01
        while self._child.poll() is None:
            for address in ADDRESSES:
                connection = self._connect(*address)
                if connection is not None:
                    connection.close()
                    self._address = address
                    return True
            time.sleep(pause)
            pause = min(pause * 2, 0.2)
        return False

    def run(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._bridge, args=(connection,), daemon=True).start()

    def _bridge(self, connection):
        upstream = self._connect(*self._address)
        if upstream is None:
            connection.close()
            return
        with connection, upstream:
            back = threading.Thread(target=_pass_on, args=(upstream, connection), daemon=True)
            back.start()
            _pass_on(connection, upstream)
            back.join()

    def wait(self):
        code = self._child.wait()
        return code if code >= 0 else 128 - code

    def stop(self, seconds):
        self._child.terminate()
        try:
            self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            self._child.kill()
