"""How many requests are being answered."""

import threading


class InFlight:
    def __init__(self):
        self._count = 0
        self._changed = threading.Condition()

    def __enter__(self):
        with self._changed:
            self._count += 1

    def __exit__(self, *_):
        with self._changed:
            self._count -= 1
            self._changed.notify_all()

    def wait(self, seconds):
        """Until there are none, for at most so long."""
        with self._changed:
            return self._changed.wait_for(lambda: self._count == 0, seconds)
