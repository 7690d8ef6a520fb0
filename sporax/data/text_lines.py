"""The lines of text files."""

from sporax._src.diagnosis.rules import rejection
from sporax.io import untrusted_file


def lines(who, path, keepends=False):
    """Yield the lines of a UTF-8 file, without the byte order mark, and without line endings unless
    `keepends`."""
    try:
        with untrusted_file.opened(path) as file:
            for number, content in enumerate(file, 1):
                content = content.removeprefix(b"\xef\xbb\xbf") if number == 1 else content
                if not keepends:
                    content = content.removesuffix(b"\n").removesuffix(b"\r")
                yield content.decode()
    except UnicodeDecodeError as error:
        fields = {"number": number, "reason": error.reason, "start": error.start}
        raise rejection("file-utf-8-line", who, path=path, **fields) from None
    except OSError as error:
        cause = untrusted_file.cause(error)
        raise rejection("file-cannot-read", who, path=path, cause=cause) from None
