"""`python -m sporax`."""

import sys

from sporax.cli import main

if __name__ == "__main__":
    sys.exit(main())
