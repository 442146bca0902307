"""Bodies of requests as files that end where the body ends, and responses whose length nobody knows."""

import io
import tempfile

MAX_LINE = 65536
IN_MEMORY = 1024 * 1024
#: Of a body without a length, which has to be kept to tell its length.
MAX_CHUNKED = 100 * 1024 * 1024
#: A longer rest is not read to keep the connection.
MAX_REST = 1024 * 1024


class LimitedBody(io.RawIOBase):
    """The next `length` bytes of a connection."""

    def __init__(self, file, length):
        self._file = file
        self._rest = length
        #: Whether the connection failed, or ended too early.
        self.failed = False

    def readable(self):
        return True

    def readinto(self, target):
        wanted = min(len(target), self._rest)
        if wanted <= 0:
            return 0
        try:
            data = self._file.read1(wanted)
            if not data:
                raise ConnectionError("The client closed the connection")
        except OSError:
            self.failed = True
            raise
        target[: len(data)] = data
        self._rest -= len(data)
        return len(data)

    def skip_rest(self):
        """False where the connection cannot be used for another request."""
        if self._rest > MAX_REST:
            return False
        while self._rest > 0:
            data = self._file.read1(self._rest)
            if not data:
                return False
            self._rest -= len(data)
        return True


def read_chunked(file):
    """The whole of a chunked body: a file at its start, and the length."""
    body = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)
    total = 0
    while True:
        size = int(file.readline(MAX_LINE).split(b";")[0], 16)
        total += size
        if total > MAX_CHUNKED:
            raise ValueError("The body of the request is too large")
        if size == 0:
            while file.readline(MAX_LINE) not in (b"\r\n", b"\n", b""):
                pass
            break
        while size > 0:
            data = file.read(min(size, 65536))
            if not data:
                raise ConnectionError("The client closed the connection")
            body.write(data)
            size -= len(data)
        file.readline(MAX_LINE)
    body.seek(0)
    return body, total


class ConnectionWriter(io.BufferedIOBase):
    """What a connection is written to, which remembers whether that failed."""

    def __init__(self, file):
        self._file = file
        self.failed = False

    def writable(self):
        return True

    def write(self, data):
        try:
            return self._file.write(data)
        except OSError:
            self.failed = True
            raise

    def flush(self):
        try:
            self._file.flush()
        except OSError:
            self.failed = True
            raise

    def fileno(self):
        return self._file.fileno()


class ChunkedWriter(io.RawIOBase):
    """Each write is a chunk."""

    def __init__(self, file):
        self._file = file

    def writable(self):
        return True

    def write(self, data):
        size = len(data)
        if size:
            self._file.write(b"%x\r\n%s\r\n" % (size, bytes(data)))
        return size

    def flush(self):
        self._file.flush()

    def end(self):
        self._file.write(b"0\r\n\r\n")
