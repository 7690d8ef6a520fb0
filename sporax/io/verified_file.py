"""Files that `sporax verify` runs: reproducers, and exported graphs with their test vectors."""

from sporax._src.diagnosis.rules import rejection
from sporax.io import graph_file, graph_file_2, program_file, reproducer, untrusted_file
from sporax.io.corrupt_file import CorruptFile


def load(path):
    """Load the `Reproducer` or `TestedGraph` of a file; raises ValueError, also for an unreadable
    file."""
    try:
        with untrusted_file.opened(path) as file:
            begin = file.read(200)
        is_graph = program_file.GRAPH.encode() in begin or begin.startswith(graph_file_2.FIRST)
        return graph_file.TestedGraph(path) if is_graph else reproducer.Reproducer(path)
    except CorruptFile as error:
        fields = {"argument": path, "cause": error, "remedy": error.remedy}
        raise rejection("cannot-run", "verify", **fields) from None
    except OSError as error:
        raise rejection("unreadable-file", "verify", path=path, cause=error.strerror) from None
