"""An HTTP server of exported graphs: `sporax serve net.mindir`."""

from sporax._src.workbench.serving.application import application
from sporax._src.workbench.serving.served_graph import ServedGraph

__all__ = ["ServedGraph", "application"]
