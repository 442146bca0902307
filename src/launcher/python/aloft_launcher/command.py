"""Programs that are servers of their own: run as a child, connections passed on byte by byte."""

import os
import socket
import subprocess
import threading
import time

DEFAULT_PORT = "3000"
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


class Command:
    def __init__(self, listener, argv, root):
        self._listener = listener
        self._port = int(os.environ.setdefault("PORT", DEFAULT_PORT))
        self._address = None
        self._child = subprocess.Popen(argv, cwd=root, stdin=subprocess.DEVNULL)

    def _connect(self, family, host):
        connection = socket.socket(family, socket.SOCK_STREAM)
        try:
            connection.connect((host, self._port))
            return connection
        except OSError:
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
