"""`python -m sporax`."""

import sys

from sporax._src.workbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
