"""Runs inside the sandbox and hosts one Python program; see ../README.md for what is said on control.sock."""

import os
import sys

# The sources are read-only in the sandbox, and nobody else's business outside of it.
sys.dont_write_bytecode = True
sys.path[0] = os.path.dirname(os.path.abspath(__file__))

from aloft_launcher.launcher import main  # noqa: E402

if __name__ == "__main__":
    # Modules of the launcher are no modules of the program.
    del sys.path[0]
    main()
