"""Whose sockets listen on a port of this machine, where programs share its network."""

import errno
import os
import random
import socket
import subprocess

# Below those that outgoing connections are given.
FIRST, COUNT, TRIES = 20000, 12000, 64
LISTENING = "0A"
# Older kernels list a connection that is being opened with the socket that it is for.
OPENING = "03"
TABLES = ("/proc/net/tcp", "/proc/net/tcp6")
# As the kernel writes addresses: those that a connection to the host may end at, its own and wildcards.
ADDRESSES = {
    "127.0.0.1": (
        "0100007F",
        "00000000",
        "0" * 32,
        "0000000000000000FFFF00000100007F",
        "0000000000000000FFFF000000000000",
    ),
    "::1": ("00000000000000000000000001000000", "0" * 32),
}


def find_port():
    for _ in range(TRIES):
        port = FIRST + random.randrange(COUNT)
        if all(_is_free(family, host, port) for family, host in ((socket.AF_INET, ""), (socket.AF_INET6, "::"))):
            return port
    raise OSError("This machine has no free port for the program")


def _is_free(family, host, port):
    try:
        probe = socket.socket(family, socket.SOCK_STREAM)
    except OSError:
        # This machine has no such addresses.
        return True
    with probe:
        if family == socket.AF_INET6:
            probe.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        try:
            probe.bind((host, port))
            return True
        except OSError as error:
            return family == socket.AF_INET6 and error.errno == errno.EADDRNOTAVAIL


def _read(file):
    try:
        with open(file, encoding="latin-1") as opened:
            return opened.read()
    except OSError:
        return ""


def _listening(file, come_first):
    """The rows of a table of the kernel for sockets that listen. Those come first, and whatever is behind them may be
    tens of thousands of connections, so it is not read. What imitates the kernel, as gVisor does, has an order of its
    own."""
    rows = []
    try:
        with open(file, encoding="latin-1") as opened:
            next(opened, None)
            for line in opened:
                words = line.split()
                if words[3] == LISTENING:
                    rows.append(words)
                elif come_first and words[3] != OPENING:
                    break
    except OSError:
        pass
    return rows


def _run(*argv):
    null = subprocess.DEVNULL
    return subprocess.run(argv, stdin=null, stdout=subprocess.PIPE, stderr=null).stdout.decode("latin-1")


def _family_of(processes):
    """The numbers of this process, of those that it has started, and of those that these did."""
    own = os.getpid()
    parents = {pid: parent for pid, parent, _ in processes}
    # One whose parent has ended belongs to nobody any more, but is still in the group.
    leads = os.getpgrp() == own

    def is_ours(pid):
        while pid is not None and pid > 1:
            if pid == own:
                return True
            pid = parents.get(pid)
        return False

    return [pid for pid, _, group in processes if (leads and group == own) or is_ours(pid)]


class Linux:
    @staticmethod
    def listeners(host, port, files=TABLES, come_first=None):
        if come_first is None:
            come_first = os.path.exists("/proc/softirqs")
        wanted = "%04X" % port
        found = []
        for file in files:
            for words in _listening(file, come_first):
                address, _, on = words[1].partition(":")
                if on == wanted and address in ADDRESSES[host]:
                    found.append(words[9])
        return sorted(found)

    @staticmethod
    def owned_by(sockets):
        processes = []
        for name in os.listdir("/proc"):
            if name.isdigit():
                # The name of the program, in brackets, may contain anything.
                stat = _read("/proc/%s/stat" % name).rpartition(") ")[2].split()
                if len(stat) > 2:
                    processes.append((int(name), int(stat[1]), int(stat[2])))
        left = {"socket:[%s]" % inode for inode in sockets}
        for pid in _family_of(processes):
            folder = "/proc/%d/fd" % pid
            try:
                for fd in os.listdir(folder):
                    try:
                        left.discard(os.readlink("%s/%s" % (folder, fd)))
                    except OSError:
                        pass
            except OSError:
                pass
        return not left


class Bsd:
    """Where there is no /proc, such as on macOS, `lsof` and `ps` tell."""

    @staticmethod
    def listeners(host, port):
        found, pid, kind = [], "", ""
        for line in _run("lsof", "-nP", "-a", "-iTCP:%d" % port, "-sTCP:LISTEN", "-FpPtn").splitlines():
            if line[0] == "p":
                pid = line[1:]
            elif line[0] == "t":
                kind = line[1:]
            elif line[0] == "n":
                address = line[1:].rpartition(":")[0].strip("[]")
                # A wildcard of the newer family takes connections of both.
                if address == host or (address == "*" and (kind == "IPv6" or host != "::1")):
                    found.append(pid)
        return sorted(found)

    @staticmethod
    def owned_by(pids):
        lines = _run("ps", "-axo", "pid=,ppid=,pgid=").splitlines()
        ours = _family_of([tuple(int(word) for word in line.split()) for line in lines])
        return all(int(pid) in ours for pid in pids)


class Ownership:
    """Whether a port is listened on, and by nobody but this process and what it has started."""

    def __init__(self, port):
        self._port = port
        self._system = Linux if os.path.exists("/proc/net/tcp") else Bsd
        self._known = None

    def of(self, host):
        """The sockets, so that one can ask again whether they are the same; None where it is not ours."""
        sockets = self._system.listeners(host, self._port)
        if not sockets:
            return None
        # A socket's number is never given to another; a process's may be.
        if self._system is Linux and sockets == self._known:
            return sockets
        if not self._system.owned_by(sockets):
            return None
        self._known = sockets
        return sockets
