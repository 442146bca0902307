"""Answers requests with an ASGI application, all of them on one event loop."""

import asyncio
import collections
import inspect
import traceback

from .head import Head, checked_lines
from .output import Exchange
from .threads import FAILURE, without_body
from .websocket import WebSocketExchange, wants_websocket

MAX_HEAD = 64 * 1024
#: Of a request's body that waits for the application.
MAX_WAITING = 128 * 1024


def is_asgi(app):
    if inspect.iscoroutinefunction(app) or inspect.iscoroutinefunction(getattr(app, "__call__", None)):
        return True
    if inspect.isclass(app):
        return False
    try:
        names = list(inspect.signature(app).parameters)
    except (TypeError, ValueError):
        return False
    return names[:3] == ["scope", "receive", "send"]


class _Lost(Exception):
    pass


class _Body:
    """Finds the body's pieces in what a connection brings."""

    def __init__(self, length, chunked):
        self._rest = 0 if chunked else length
        self._chunked = chunked
        self._state = "size" if chunked else "data"
        self.done = not chunked and length == 0

    def take(self, buffer):
        """Removes what can be understood of `buffer`, and gives the pieces."""
        pieces = []
        while buffer and not self.done:
            if self._state == "data":
                piece = bytes(buffer[: self._rest])
                del buffer[: len(piece)]
                self._rest -= len(piece)
                pieces.append(piece)
                if self._rest == 0:
                    self._state = "after"
                    self.done = not self._chunked
                continue
            end = buffer.find(b"\n")
            if end == -1:
                if len(buffer) > MAX_HEAD:
                    raise ValueError("A line is too long")
                break
            line = bytes(buffer[:end]).strip()
            del buffer[: end + 1]
            if self._state == "after":
                self._state = "size"
            elif self._state == "size":
                self._rest = int(line.split(b";")[0], 16)
                self._state = "data" if self._rest else "trailer"
            elif line == b"":
                self.done = True
        return pieces


class _Exchange:
    """One request and its answer, as an application sees them."""

    def __init__(self, connection, head):
        found = dict(head.headers)
        chunked = b"chunked" in found.get(b"transfer-encoding", b"").lower()
        self.body = _Body(int(found.get(b"content-length", 0)), chunked)
        self.keep = b"close" not in found.get(b"connection", b"").lower() and head.version == "HTTP/1.1"
        self.wants_continue = found.get(b"expect", b"").lower() == b"100-continue"
        self._connection = connection
        self._pieces = collections.deque()
        self._size = 0
        self._given = False
        self._arrived = asyncio.Event()
        self._method = head.method
        self._head = None
        self.started = False
        self.ended = False
        self._chunked = False
        self._version = head.version
        self.request_id = head.request_id
        self.scope = dict(head.scope("http"), method=head.method)

    def feed(self, buffer):
        for piece in self.body.take(buffer):
            self._pieces.append(piece)
            self._size += len(piece)
        self._arrived.set()
        return self._size <= MAX_WAITING

    def lose(self):
        self._arrived.set()

    async def receive(self):
        while True:
            if self._pieces or (self.body.done and not self._given):
                data = b"".join(self._pieces)
                self._pieces.clear()
                self._size = 0
                self._given = self.body.done
                self._connection.resume()
                return {"type": "http.request", "body": data, "more_body": not self.body.done}
            if self._connection.lost or self.ended:
                return {"type": "http.disconnect"}
            if self.wants_continue and not self.started:
                self.wants_continue = False
                self._connection.transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self._arrived.clear()
            await self._arrived.wait()

    async def send(self, message):
        if self._connection.lost or self.ended:
            return
        if message["type"] == "http.response.start":
            if self._head is not None:
                raise RuntimeError("The response has been started already")
            self._head = message
        elif message["type"] == "http.response.body":
            if self._head is None:
                raise RuntimeError("The response has not been started")
            data, more = bytes(message.get("body", b"")), message.get("more_body", False)
            out = b"" if self.started else self._start(data, more)
            if data and not self._is_bare():
                out += b"%x\r\n%s\r\n" % (len(data), data) if self._chunked else data
            if not more:
                if self._chunked:
                    out += b"0\r\n\r\n"
                self.ended = True
                self._arrived.set()
            self._connection.transport.write(out)
            await self._connection.writable()

    def _is_bare(self):
        return self._method == "HEAD" or without_body(self._head["status"])

    def _start(self, data, more):
        self.started = True
        status = int(self._head["status"])
        headers = [
            (bytes(name), bytes(value))
            for name, value in self._head.get("headers", [])
            if bytes(name).lower() not in (b"connection", b"keep-alive", b"transfer-encoding")
        ]
        names = {name.lower() for name, _ in headers}
        if b"content-length" not in names and not self._is_bare():
            if not more:
                headers.append((b"content-length", b"%d" % len(data)))
            elif self._version == "HTTP/1.1":
                self._chunked = True
                headers.append((b"transfer-encoding", b"chunked"))
            else:
                self.keep = False
        headers.append((b"connection", b"keep-alive" if self.keep else b"close"))
        return checked_lines(status, headers)

    def finish(self):
        """After the application has returned."""
        if not self.ended:
            raise RuntimeError("The application returned without a complete response")

    async def fail(self):
        self.keep = False
        if self.started:
            self.ended = True
            return
        self._head = None
        headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"x-vercel-error", b"FUNCTION_INVOCATION_FAILED")]
        await self.send({"type": "http.response.start", "status": 500, "headers": headers})
        await self.send({"type": "http.response.body", "body": FAILURE})


class _Connection(asyncio.Protocol):
    def __init__(self, server):
        self._server = server
        self._buffer = bytearray()
        self._exchange = None
        self._paused = False
        self._drained = asyncio.Event()
        self._drained.set()
        self.transport = None
        self.lost = False

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(high=MAX_WAITING)

    def connection_lost(self, _):
        self.lost = True
        self._drained.set()
        if self._exchange is not None:
            self._exchange.lose()

    def pause_writing(self):
        self._drained.clear()

    def resume_writing(self):
        self._drained.set()

    async def writable(self):
        await self._drained.wait()

    def resume(self):
        if self._paused and not self.lost:
            self._paused = False
            self.transport.resume_reading()

    def data_received(self, data):
        self._buffer += data
        self._advance()

    def _advance(self):
        try:
            if self._exchange is not None and not self._exchange.body.done:
                wants_more = self._exchange.feed(self._buffer)
            else:
                wants_more = len(self._buffer) <= MAX_HEAD
            if not wants_more and not self._paused:
                self._paused = True
                self.transport.pause_reading()
            if self._exchange is None:
                self._begin()
        except ValueError:
            self.transport.write(b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            self.transport.close()

    def _begin(self):
        end = self._buffer.find(b"\r\n\r\n")
        if end == -1:
            if len(self._buffer) > MAX_HEAD:
                raise ValueError("The head is too long")
            return
        head = Head(bytes(self._buffer[:end]))
        del self._buffer[: end + 4]
        self._exchange = WebSocketExchange(self, head) if wants_websocket(head) else _Exchange(self, head)
        self._advance()
        asyncio.ensure_future(self._answer(self._exchange))

    async def _answer(self, exchange):
        server = self._server
        with server.in_flight, Exchange(exchange.request_id, server.log):
            try:
                await server.app(exchange.scope, exchange.receive, exchange.send)
                if not self.lost:
                    exchange.finish()
            except SystemExit as end:
                server.exit_process(end.code)
            except Exception:
                traceback.print_exc()
                await exchange.fail()
        self._exchange = None
        if exchange.keep and exchange.body.done:
            self.resume()
            self._advance()
        elif not self.lost:
            self.transport.close()


class _Lifespan:
    """Tells the application when it starts and when it ends, where it wants to know."""

    def __init__(self, app):
        self._app = app
        self._events = asyncio.Queue()
        self._answers = asyncio.Queue()
        self._task = None
        self.state = {}

    async def _run(self):
        scope = {"type": "lifespan", "asgi": {"version": "3.0", "spec_version": "2.3"}, "state": self.state}
        try:
            await self._app(scope, self._events.get, self._answers.put)
        except Exception:
            # An application that knows nothing of this says so by failing.
            pass
        await self._answers.put({"type": "over"})

    async def _tell(self, event):
        await self._events.put({"type": "lifespan." + event})
        return await self._answers.get()

    async def start(self):
        self._task = asyncio.ensure_future(self._run())
        answer = await self._tell("startup")
        if answer["type"] == "lifespan.startup.failed":
            raise RuntimeError("The application failed to start: %s" % answer.get("message", ""))

    async def end(self):
        if not self._task.done():
            await self._tell("shutdown")


class AsgiServer:
    def __init__(self, listener, app, log, in_flight, exit_process):
        self._listener = listener
        self._loop = asyncio.new_event_loop()
        self._lifespan = None
        self._server = None
        self.app = app
        self.log = log
        self.in_flight = in_flight
        self.exit_process = exit_process

    def prepare(self):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._prepare())

    async def _prepare(self):
        self._lifespan = _Lifespan(self.app)
        await self._lifespan.start()
        app, state = self.app, self._lifespan.state

        async def with_state(scope, receive, send):
            await app(dict(scope, state=dict(state)), receive, send)

        self.app = with_state
        self._server = await self._loop.create_unix_server(lambda: _Connection(self), sock=self._listener)

    def run(self):
        self._loop.run_forever()
        self._loop.run_until_complete(self._lifespan.end())

    def stop(self):
        """From another thread."""
        self._loop.call_soon_threadsafe(self._server.close)

    def end(self):
        self._loop.call_soon_threadsafe(self._loop.stop)
