"""Lines that are written while a request is answered go to the runner with the request's id."""

import contextvars
import io
import sys
import threading

MAX_LINE = 8192

_exchange = contextvars.ContextVar("aloft_exchange", default=None)


class Exchange:
    """A request that is being answered, as far as its lines are concerned."""

    def __init__(self, request_id, log):
        self._id = request_id
        self._log = log
        self._partial = {"stdout": "", "stderr": ""}
        self._lock = threading.Lock()
        self._token = None
        self._ended = False

    def __enter__(self):
        self._token = _exchange.set(self if self._id else None)
        return self

    def __exit__(self, *_):
        _exchange.reset(self._token)
        self._ended = True
        self._end_lines()

    def write(self, stream, text):
        with self._lock:
            lines = (self._partial[stream] + text).split("\n")
            self._partial[stream] = lines.pop()[:MAX_LINE]
            for line in lines:
                self._send(stream, line)
        if self._ended:
            self._end_lines()

    def _end_lines(self):
        with self._lock:
            for stream, rest in self._partial.items():
                if rest:
                    self._send(stream, rest)
                    self._partial[stream] = ""

    def _send(self, stream, line):
        text = line.rstrip("\r")
        if len(text) * 4 > MAX_LINE:
            text = text.encode("utf-8", "replace")[:MAX_LINE].decode("utf-8", "ignore")
        self._log({"type": "log", "stream": stream, "text": text, "requestId": self._id})


class _Bytes(io.RawIOBase):
    """What `sys.stdout.buffer` is."""

    def __init__(self, name, buffer):
        self._name = name
        self._buffer = buffer

    def writable(self):
        return True

    def write(self, data):
        exchange = _exchange.get()
        if exchange is None:
            return self._buffer.write(data)
        exchange.write(self._name, bytes(data).decode("utf-8", "replace"))
        return len(data)

    def flush(self):
        self._buffer.flush()

    def fileno(self):
        return self._buffer.fileno()


class _Text(io.TextIOBase):
    """What `sys.stdout` is. Outside of requests it writes as ever, line by line."""

    def __init__(self, name, stream):
        self._name = name
        self._stream = stream
        self.buffer = _Bytes(name, stream.buffer)

    encoding = "utf-8"
    errors = "backslashreplace"

    def writable(self):
        return True

    def write(self, text):
        exchange = _exchange.get()
        if exchange is None:
            self._stream.write(text)
            if "\n" in text:
                self._stream.flush()
        else:
            exchange.write(self._name, text)
        return len(text)

    def flush(self):
        self._stream.flush()

    def fileno(self):
        return self._stream.fileno()

    def isatty(self):
        return False


def capture():
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
        setattr(sys, name, _Text(name, stream))
