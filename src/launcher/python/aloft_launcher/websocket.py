"""Speaks WebSocket (RFC 6455) with a client on behalf of an ASGI application."""

import asyncio
import base64
import collections
import hashlib

from .head import checked_lines

MAX_MESSAGE = 16 * 1024 * 1024
#: Of messages that wait for the application.
MAX_WAITING = 128 * 1024
MAX_REASON = 123

_KEY_SUFFIX = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
_CONTINUED, _TEXT, _BYTES, _CLOSE, _PING, _PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
_EMPTY = (b"content-length", b"0")
#: Codes that are never sent, but only told of.
_NO_CODE, _LOST = 1005, 1006


class _Broken(Exception):
    def __init__(self, code):
        super().__init__(code)
        self.code = code


class Frames:
    """Finds messages in what a client sends: (opcode, payload) of whole messages and of control frames."""

    def __init__(self):
        self._opcode = None
        self._parts = bytearray()

    def take(self, buffer):
        while True:
            frame = self._next(buffer)
            if frame is None:
                return
            final, opcode, data = frame
            if opcode >= _CLOSE:
                yield opcode, data
                continue
            if (opcode == _CONTINUED) == (self._opcode is None):
                raise _Broken(1002)
            if opcode != _CONTINUED:
                self._opcode = opcode
            self._parts += data
            if len(self._parts) > MAX_MESSAGE:
                raise _Broken(1009)
            if final:
                opcode, data = self._opcode, bytes(self._parts)
                self._opcode, self._parts = None, bytearray()
                yield opcode, data

    def _next(self, buffer):
        """The first frame, removed from `buffer`, or nothing where a part of it is still on its way."""
        if len(buffer) < 2:
            return None
        final, opcode, length = bool(buffer[0] & 0x80), buffer[0] & 0x0F, buffer[1] & 0x7F
        # Extensions were not agreed on, and clients have to mask what they send.
        if buffer[0] & 0x70 or not buffer[1] & 0x80 or opcode not in (0, 1, 2, 8, 9, 10):
            raise _Broken(1002)
        if opcode >= _CLOSE and (not final or length > 125):
            raise _Broken(1002)
        start = 2
        if length >= 126:
            size = 2 if length == 126 else 8
            start += size
            if len(buffer) < start:
                return None
            length = int.from_bytes(buffer[2:start], "big")
        if length > MAX_MESSAGE:
            raise _Broken(1009)
        end = start + 4 + length
        if len(buffer) < end:
            return None
        data = _masked(bytes(buffer[start + 4 : end]), bytes(buffer[start : start + 4]))
        del buffer[:end]
        return final, opcode, data


def _masked(data, mask):
    # One operation on large numbers is much faster than one for each byte.
    repeated = (mask * (len(data) // 4 + 1))[: len(data)]
    return (int.from_bytes(data, "big") ^ int.from_bytes(repeated, "big")).to_bytes(len(data), "big")


def _frame(opcode, data):
    length = len(data)
    if length < 126:
        head = bytes((0x80 | opcode, length))
    elif length < 65536:
        head = bytes((0x80 | opcode, 126)) + length.to_bytes(2, "big")
    else:
        head = bytes((0x80 | opcode, 127)) + length.to_bytes(8, "big")
    return head + data


def wants_websocket(head):
    found = dict(head.headers)
    return (
        head.method == "GET"
        and found.get(b"upgrade", b"").lower() == b"websocket"
        and b"upgrade" in found.get(b"connection", b"").lower()
        and found.get(b"sec-websocket-version") == b"13"
        and b"sec-websocket-key" in found
    )


class _Endless:
    done = False


class WebSocketExchange:
    """One connection that a client wants to speak WebSocket on, as an application sees it."""

    body = _Endless()
    keep = False

    def __init__(self, connection, head):
        found = dict(head.headers)
        offered = found.get(b"sec-websocket-protocol", b"").decode("latin-1").split(",")
        scope = head.scope("websocket")
        scope["scheme"] = "wss" if scope["scheme"] == "https" else "ws"
        scope["subprotocols"] = [name.strip() for name in offered if name.strip()]
        scope["extensions"] = {"websocket.http.response": {}}
        self.scope = scope
        self.request_id = head.request_id
        self._key = found[b"sec-websocket-key"]
        self._connection = connection
        self._frames = Frames()
        self._events = collections.deque([{"type": "websocket.connect"}])
        self._waiting = 0
        self._arrived = asyncio.Event()
        self._refusal = None
        self._accepted = False
        self._answered = False
        #: Whether nothing more is sent.
        self.ended = False
        #: What ended it, of the client.
        self._left = None

    def feed(self, buffer):
        # Nothing may come before the client knows that we agree, but who is quick may have sent it.
        if self._left is None and not self.ended:
            try:
                for opcode, data in self._frames.take(buffer):
                    self._on_message(opcode, data)
                    if self._left is not None:
                        break
            except _Broken as broken:
                self._close(broken.code)
                self._leave(broken.code, "")
        if self._left is not None or self.ended:
            buffer.clear()
        self._arrived.set()
        return self._waiting <= MAX_WAITING

    def _on_message(self, opcode, data):
        if opcode == _PING:
            self._write(_frame(_PONG, data))
        elif opcode == _CLOSE:
            if len(data) == 1:
                raise _Broken(1002)
            code = int.from_bytes(data[:2], "big") if data else _NO_CODE
            reason = _text(data[2:])
            self._close(code, reason)
            self._leave(code, reason)
        elif opcode != _PONG:
            event = {"type": "websocket.receive"}
            event["text" if opcode == _TEXT else "bytes"] = _text(data) if opcode == _TEXT else data
            self._events.append((event, len(data)))
            self._waiting += len(data)

    def _leave(self, code, reason):
        # What was written before still goes out.
        self._connection.transport.close()
        self._left = {"type": "websocket.disconnect", "code": code, "reason": reason}

    def lose(self):
        if self._left is None:
            self._left = {"type": "websocket.disconnect", "code": _LOST, "reason": ""}
        self._arrived.set()

    async def receive(self):
        while True:
            if self._events:
                event = self._events.popleft()
                if isinstance(event, tuple):
                    event, size = event
                    self._waiting -= size
                    if self._waiting <= MAX_WAITING:
                        self._connection.resume()
                return event
            if self._left is not None:
                return self._left
            if self.ended:
                return {"type": "websocket.disconnect", "code": 1000, "reason": ""}
            self._arrived.clear()
            await self._arrived.wait()

    async def send(self, message):
        if self._connection.lost or self.ended:
            return
        kind = message["type"]
        if kind == "websocket.accept" and not self._answered:
            self._accept(message)
        elif kind == "websocket.send" and self._accepted:
            text = message.get("text")
            data = text.encode() if text is not None else bytes(message.get("bytes") or b"")
            self._write(_frame(_TEXT if text is not None else _BYTES, data))
        elif kind == "websocket.close":
            if self._accepted:
                self._close(message.get("code", 1000), message.get("reason") or "")
            else:
                self._refuse(403, [_EMPTY])
                self.ended = True
            self._arrived.set()
        elif kind == "websocket.http.response.start" and not self._answered:
            self._refuse(message["status"], message.get("headers", []))
        elif kind == "websocket.http.response.body" and self._refusal is not None:
            self._write(bytes(message.get("body", b"")))
            self.ended = not message.get("more_body", False)
        else:
            raise RuntimeError("%s cannot be sent now" % kind)
        await self._connection.writable()

    def _accept(self, message):
        key = base64.b64encode(hashlib.sha1(self._key + _KEY_SUFFIX).digest())
        headers = [(b"upgrade", b"websocket"), (b"connection", b"Upgrade"), (b"sec-websocket-accept", key)]
        if message.get("subprotocol"):
            headers.append((b"sec-websocket-protocol", message["subprotocol"].encode("latin-1")))
        headers += [(bytes(name), bytes(value)) for name, value in message.get("headers", [])]
        self._write(checked_lines(101, headers))
        self._accepted = self._answered = True

    def _refuse(self, status, headers):
        """An ordinary answer, which ends with the connection."""
        kept = [(bytes(name), bytes(value)) for name, value in headers if bytes(name).lower() != b"connection"]
        self._write(checked_lines(int(status), kept + [(b"connection", b"close")]))
        self._answered = True
        self._refusal = status

    def _close(self, code, reason=""):
        if not self.ended and self._accepted:
            said = reason.encode()[:MAX_REASON].decode("utf-8", "ignore").encode()
            self._write(_frame(_CLOSE, b"" if code == _NO_CODE else int(code).to_bytes(2, "big") + said))
        self.ended = True

    def _write(self, data):
        if data and not self._connection.lost:
            self._connection.transport.write(data)

    def finish(self):
        """After the application has returned."""
        if not self._answered and self._left is None:
            raise RuntimeError("The application returned without accepting or closing the WebSocket")
        if not self.ended:
            self._close(1000)

    async def fail(self):
        if self._accepted:
            self._close(1011)
        elif not self._answered:
            self._refuse(500, [(b"x-vercel-error", b"FUNCTION_INVOCATION_FAILED"), _EMPTY])
        self.ended = True


def _text(data):
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise _Broken(1007) from None
