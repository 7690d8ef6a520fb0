"""The lines of text files."""

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
        raise RuntimeError(
            f"For '{who}', the file '{path}' must be UTF-8, but line {number} is not: "
            f"{error.reason} at byte {error.start}."
        ) from None
    except OSError as error:
        raise RuntimeError(
            f"For '{who}', the file '{path}' cannot be read: {untrusted_file.cause(error)}."
        ) from None
