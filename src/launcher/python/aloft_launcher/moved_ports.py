"""Where programs share this machine's network, each has a port of its own in the place of the one that it asks for."""

import socket

LOOPBACK = ("localhost", "127.0.0.1", "::1", "0.0.0.0", "::", "")


def _moved(address, facts):
    own = facts.get("own")
    if own and isinstance(address, tuple) and len(address) >= 2 and address[1] == facts.get("asked"):
        return (address[0], own) + tuple(address[2:])
    return address


def move_listening(facts):
    """A server that asks for the usual port gets the program's own."""
    bind = socket.socket.bind

    def moved_bind(self, address):
        is_stream = self.family in (socket.AF_INET, socket.AF_INET6) and self.type == socket.SOCK_STREAM
        return bind(self, _moved(address, facts) if is_stream else address)

    socket.socket.bind = moved_bind


def _is_site(host, domain):
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    return isinstance(name, str) and name.lower().rstrip(".").endswith("." + domain)


def move_connections(facts):
    """A program that asks itself finds itself, and a site of this installation whatever the ports outside."""
    sites = facts.get("sites")
    connect, connect_ex = socket.socket.connect, socket.socket.connect_ex
    getaddrinfo = socket.getaddrinfo

    def own(address):
        return _moved(address, facts) if isinstance(address, tuple) and address[0] in LOOPBACK else address

    socket.socket.connect = lambda self, address: connect(self, own(address))
    socket.socket.connect_ex = lambda self, address: connect_ex(self, own(address))

    def moved_getaddrinfo(host, port, *args, **options):
        if sites and _is_site(host, sites["domain"]):
            target = sites["ports"].get({"http": "80", "https": "443"}.get(port, str(port)))
            if target is not None:
                return getaddrinfo(sites["address"], target, *args, **options)
        return getaddrinfo(host, port, *args, **options)

    socket.getaddrinfo = moved_getaddrinfo
