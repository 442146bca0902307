"""The heads of requests and responses, as an ASGI application sees them."""

import urllib.parse
from http import HTTPStatus

from .threads import ID_HEADER


class Head:
    """What a request says before its body."""

    def __init__(self, data):
        lines = data.split(b"\r\n")
        self.method, self._target, self.version = lines[0].decode("latin-1").split(" ")
        self.headers = []
        self.request_id = None
        for line in lines[1:]:
            name, _, value = line.partition(b":")
            name, value = name.strip().lower(), value.strip()
            if name == ID_HEADER.encode():
                self.request_id = value.decode("latin-1")
            else:
                self.headers.append((name, value))

    def scope(self, kind):
        found = dict(self.headers)

        def of(name, default):
            return found.get(name, default).decode("latin-1").split(",")[0].strip()

        path, _, query = self._target.partition("?")
        scheme = of(b"x-forwarded-proto", b"https")
        host, _, port = of(b"x-forwarded-host", found.get(b"host", b"localhost")).partition(":")
        return {
            "type": kind,
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": self.version.partition("/")[2],
            "scheme": scheme,
            "path": urllib.parse.unquote(path),
            "raw_path": path.encode("latin-1"),
            "query_string": query.encode("latin-1"),
            "root_path": "",
            "headers": self.headers,
            "client": (of(b"x-real-ip", b"127.0.0.1"), 0),
            "server": (host, int(port) if port.isdigit() else 443 if scheme == "https" else 80),
        }


def checked_lines(status, headers):
    """The head of a response."""
    for part in (part for pair in headers for part in pair):
        if b"\r" in part or b"\n" in part:
            raise ValueError("A header of the response has a line break")
    try:
        reason = HTTPStatus(status).phrase.encode()
    except ValueError:
        reason = b""
    lines = [b"HTTP/1.1 %d %s" % (status, reason)] + [name + b": " + value for name, value in headers]
    return b"\r\n".join(lines) + b"\r\n\r\n"
