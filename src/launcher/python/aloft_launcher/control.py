"""The line to the runner: JSON messages, one a line, both ways over a unix socket."""

import collections
import json
import os
import socket
import threading

MAX_WAITING = 1024 * 1024


class Control:
    """Nobody ever waits for the runner; log lines are dropped when it is slow."""

    def __init__(self, path):
        self._path = path
        self._connection = None
        self._waiting = collections.deque()
        self._size = 0
        self._dropped = 0
        self._writing = False
        self._changed = threading.Condition()

    def accept(self):
        """Takes the first connection and no other."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self._path)
        os.chmod(self._path, 0o666)
        listener.listen(1)
        self._connection, _ = listener.accept()
        listener.close()
        os.unlink(self._path)
        threading.Thread(target=self._write, daemon=True).start()

    def messages(self):
        """Those of the runner, until it hangs up."""
        try:
            with self._connection.makefile("r", encoding="utf-8", newline="\n") as lines:
                for line in lines:
                    yield json.loads(line)
        except OSError:
            return

    def send(self, message):
        with self._changed:
            self._push(message)

    def log(self, message):
        with self._changed:
            if self._size > MAX_WAITING:
                self._dropped += 1
            else:
                self._push(message)

    def finish(self, seconds=0.5):
        """Before the process exits: gives the runner a moment to take the rest."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting and not self._writing, seconds)

    def _push(self, message):
        line = (json.dumps(message) + "\n").encode()
        self._waiting.append(line)
        self._size += len(line)
        self._changed.notify_all()

    def _write(self):
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting)
                lines = b"".join(self._waiting)
                self._waiting.clear()
                self._writing = True
            try:
                self._connection.sendall(lines)
            except OSError:
                pass
            with self._changed:
                self._writing = False
                self._size -= len(lines)
                if self._dropped:
                    text = "… %d lines dropped" % self._dropped
                    self._dropped = 0
                    self._push({"type": "log", "stream": "stderr", "text": text})
                self._changed.notify_all()
