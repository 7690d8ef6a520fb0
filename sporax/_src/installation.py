"""The command that installs an extra of sporax, for the way in which sporax is installed here."""

import functools
import json
import re
from pathlib import Path

_EXTRA = re.compile(r"'sporax\[([\w,-]+)\]'")  # as the texts name it
_ROOT = Path(__file__).parents[2]


@functools.cache
def _form():
    """Return the requirement, for `format`: from an index by name, else from the same folder, file
    or repository, which PEP 610 records."""
    from importlib import metadata  # slow, and only errors need them
    from urllib.parse import urlparse
    from urllib.request import url2pathname

    try:
        record = metadata.distribution("sporax").read_text("direct_url.json")
    except metadata.PackageNotFoundError:
        is_checkout = (_ROOT / "pyproject.toml").exists()
        record = json.dumps({"url": _ROOT.as_uri(), "dir_info": {}}) if is_checkout else None
    if record is None:
        return "'sporax[{}]'"
    origin = json.loads(record)
    if "dir_info" in origin:
        flag = "-e " if origin["dir_info"].get("editable") else ""
        return f"{flag}'{url2pathname(urlparse(origin['url']).path)}[{{}}]'"
    version = origin.get("vcs_info", {})
    url = f"{version['vcs']}+{origin['url']}@{version['commit_id']}" if version else origin["url"]
    return f"'sporax[{{}}] @ {url}'"


def as_installed(text):
    """Replace `'sporax[extra]'` in a command of a text by the requirement that works here."""
    return _EXTRA.sub(lambda extra: _form().format(extra[1]), text)
