"""The thread in which programs run on a CPU.

By default it is one of XLA's, so that Python records or prepares the next step meanwhile. To wake
it, and then the caller who waits for the result, takes 20 to 70 us on a virtual machine, more than
a small program. With SPORAX_ASYNC_DISPATCH=off programs run in the thread that calls them.
"""

import jax

from sporax._src.core.environment import choice
from sporax._src.core.jax_internals import backends_are_initialized
from sporax._src.diagnosis.rules import require

ASYNC = "SPORAX_ASYNC_DISPATCH"


def configure():
    """Run programs in the thread that calls them if the environment says so. Raises RuntimeError if
    XLA has started, which decides that once."""
    if choice(ASYNC, "on", "off") == "off":
        require(not backends_are_initialized(), "jax-has-started", variable=ASYNC)
        jax.config.update("jax_cpu_enable_async_dispatch", False)
