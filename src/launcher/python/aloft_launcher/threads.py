"""Answers requests in threads: subclasses of BaseHTTPRequestHandler, and WSGI applications."""

import io
import os
import socket
import sys
import threading
import traceback
import urllib.parse
from http.server import BaseHTTPRequestHandler

from .bodies import ChunkedWriter, ConnectionWriter, LimitedBody, read_chunked
from .output import Exchange

ID_HEADER = "x-aloft-request-id"
FAILURE = b"A server error has occurred\n\nFUNCTION_INVOCATION_FAILED\n"


def without_body(status):
    return status < 200 or status in (204, 304)


def call_method(handler):
    """As `BaseHTTPRequestHandler` does."""
    method = getattr(handler, "do_" + handler.command, None)
    if method is None:
        handler.send_error(501, "Unsupported method (%r)" % handler.command)
    else:
        method()


def handler_class(base, answer, log, in_flight, exit_process):
    """`base` with connections that are kept, bodies that end, and lines that carry the id of their request."""

    class Handler(base):
        protocol_version = "HTTP/1.1"

        def address_string(self):
            return self.client_address[0]

        def handle_one_request(self):
            try:
                self.raw_requestline = self.rfile.readline(65537)
                if not self.raw_requestline:
                    self.close_connection = True
                    return
                if len(self.raw_requestline) > 65536:
                    self.requestline = self.request_version = self.command = ""
                    self.send_error(414)
                    return
                if not self.parse_request():
                    return
                with in_flight, Exchange(self.aloft_take_id(), log):
                    self.aloft_exchange()
            except (ConnectionError, TimeoutError, ValueError):
                self.close_connection = True

        def aloft_take_id(self):
            request_id = self.headers.get(ID_HEADER)
            del self.headers[ID_HEADER]
            address = self.headers.get("x-real-ip") or "127.0.0.1"
            self.client_address = (address, 0)
            return request_id

        def aloft_exchange(self):
            connection_in, connection_out = self.rfile, self.wfile
            rest = self.aloft_open_body()
            visitor = self.wfile = ConnectionWriter(connection_out)
            self.aloft_status = 0
            self.aloft_has_length = False
            self.aloft_headers_sent = False
            self.aloft_chunks = None
            try:
                answer(self)
                if self.aloft_chunks is not None:
                    self.aloft_chunks.end()
                visitor.flush()
            except SystemExit as end:
                exit_process(end.code)
            except Exception as error:
                self.close_connection = True
                has_left = visitor.failed or (rest is not None and rest.failed)
                # That of a connection to somewhere else is a failure like any other.
                if not (has_left and isinstance(error, ConnectionError)):
                    traceback.print_exc()
                    self.aloft_fail()
            finally:
                self.rfile, self.wfile = connection_in, connection_out
            if rest is not None and not rest.skip_rest():
                self.close_connection = True

        def aloft_open_body(self):
            if "chunked" in self.headers.get("transfer-encoding", "").lower():
                self.rfile, length = read_chunked(self.rfile)
                del self.headers["transfer-encoding"]
                self.headers["Content-Length"] = str(length)
                return None
            rest = LimitedBody(self.rfile, int(self.headers.get("content-length") or 0))
            self.rfile = io.BufferedReader(rest)
            return rest

        def aloft_fail(self):
            if self.aloft_headers_sent:
                return
            self._headers_buffer = []
            self.aloft_has_length = False
            self.send_response(500)
            self.send_header("content-type", "text/plain; charset=utf-8")
            self.send_header("content-length", str(len(FAILURE)))
            self.send_header("x-vercel-error", "FUNCTION_INVOCATION_FAILED")
            self.end_headers()
            self.wfile.write(FAILURE)

        def send_response_only(self, code, message=None):
            self.aloft_status = int(code)
            super().send_response_only(code, message)

        def send_header(self, keyword, value):
            if keyword.lower() in ("content-length", "transfer-encoding"):
                self.aloft_has_length = True
            super().send_header(keyword, value)

        def end_headers(self):
            if self.aloft_status == 100:
                super().end_headers()
                return
            is_open = not (self.aloft_has_length or self.command == "HEAD" or without_body(self.aloft_status))
            if is_open and self.request_version == "HTTP/1.1":
                self.send_header("transfer-encoding", "chunked")
                super().end_headers()
                self.aloft_chunks = self.wfile = ChunkedWriter(self.wfile)
            else:
                if is_open:
                    self.close_connection = True
                super().end_headers()
            self.aloft_headers_sent = True

    # Before any request: `parse_request` may answer one that is malformed.
    Handler.aloft_status, Handler.aloft_has_length, Handler.command = 0, False, None
    return Handler


def environment(handler):
    path, _, query = handler.path.partition("?")
    headers = handler.headers
    host = headers.get("x-forwarded-host") or headers.get("host") or "localhost"
    scheme = (headers.get("x-forwarded-proto") or "https").split(",")[0].strip()
    name, _, port = host.partition(":")
    environ = {
        "REQUEST_METHOD": handler.command,
        "SCRIPT_NAME": "",
        "PATH_INFO": urllib.parse.unquote(path, "iso-8859-1"),
        "QUERY_STRING": query,
        "REQUEST_URI": handler.path,
        "RAW_URI": handler.path,
        "CONTENT_TYPE": headers.get("content-type", ""),
        "CONTENT_LENGTH": headers.get("content-length", ""),
        "SERVER_NAME": name,
        "SERVER_PORT": port or ("443" if scheme == "https" else "80"),
        "SERVER_PROTOCOL": handler.request_version,
        "SERVER_SOFTWARE": "aloft",
        "REMOTE_ADDR": handler.client_address[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scheme,
        "wsgi.input": handler.rfile,
        "wsgi.input_terminated": True,
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
    }
    for key, value in headers.items():
        # One with an underscore would pass for another.
        if "_" in key:
            continue
        key = key.upper().replace("-", "_")
        if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
            key = "HTTP_" + key
            environ[key] = environ[key] + "," + value if key in environ else value
    if headers.get("host"):
        environ["HTTP_HOST"] = host
    return environ


class WsgiRequest(BaseHTTPRequestHandler):
    """The application writes the log it wants."""

    def log_message(self, *_):
        pass


def call_wsgi(app):
    """Has a WSGI application answer the request of a handler."""

    def answer(handler):
        pending = []

        def send_head(length=None):
            if not pending or handler.aloft_headers_sent:
                return
            status, headers = pending[-1]
            code, _, reason = status.partition(" ")
            handler.send_response_only(int(code), reason)
            for key, value in headers:
                if key.lower() not in ("connection", "keep-alive", "transfer-encoding"):
                    handler.send_header(key, value)
            if length is not None and not handler.aloft_has_length and not without_body(int(code)):
                handler.send_header("content-length", str(length))
            handler.end_headers()

        def write(data):
            send_head()
            if data and handler.command != "HEAD" and not without_body(handler.aloft_status):
                handler.wfile.write(data)

        def start_response(status, headers, exc_info=None):
            if exc_info and handler.aloft_headers_sent:
                raise exc_info[1].with_traceback(exc_info[2])
            if pending and not exc_info:
                raise AssertionError("start_response was called twice")
            pending.append((status, list(headers)))
            return write

        result = app(environment(handler), start_response)
        try:
            if isinstance(result, (list, tuple)):
                body = b"".join(result)
                send_head(len(body))
                write(body)
            else:
                for data in result:
                    if data:
                        write(data)
                send_head(0)
        finally:
            if hasattr(result, "close"):
                result.close()
        if not pending:
            raise AssertionError("The application did not call start_response")

    return answer


class ThreadServer:
    """One thread a connection."""

    def __init__(self, listener, handler):
        self._listener = listener
        self._handler = handler

    def run(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def stop(self):
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _serve(self, connection):
        with connection:
            try:
                self._handler(connection, ("127.0.0.1", 0), self)
            except OSError:
                pass
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


def exit_code(code):
    return code if isinstance(code, int) else 0 if code is None else 1


def exiting(control):
    """`sys.exit` in a request ends the process, as it would in a program of its own."""

    def exit_process(code):
        sys.stdout.flush()
        sys.stderr.flush()
        control.finish()
        os._exit(exit_code(code))

    return exit_process
