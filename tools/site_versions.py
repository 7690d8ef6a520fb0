"""Put a built site beside those of other versions, each in a folder of its own.

    python tools/site_versions.py BUILT SITE VERSION

The start page of SITE leads to the newest release, or to 'latest' before the first, and lists all
versions.
"""

import html
import re
import shutil
import sys
from pathlib import Path

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="refresh" content="0; url={first}/index.html">
<title>sporax: versions of the manual</title>
</head>
<body>
<h1>Versions of the manual</h1>
<ul>
{items}
</ul>
</body>
</html>
"""


def _order(name):
    """Return a key that sorts releases by their numbers, and anything else before them."""
    return [int(n) for n in re.findall(r"\d+", name)] if re.match(r"v?\d", name) else []


def put(built, site, version):
    """Replace the folder of this version by the built site, and write the start page."""
    if re.fullmatch(r"[\w.+-]+", version) is None or version.startswith("."):
        raise SystemExit(f"a version must be a plain name, but got {version!r}")
    shutil.rmtree(site / version, ignore_errors=True)
    shutil.copytree(built, site / version)
    names = [path.parent.name for path in site.glob("*/index.html")]
    names.sort(key=lambda name: (_order(name), name), reverse=True)
    shown = map(html.escape, names)
    items = "\n".join(f'<li><a href="{name}/index.html">{name}</a></li>' for name in shown)
    page = _PAGE.format(first=html.escape(names[0]), items=items)
    (site / "index.html").write_text(page, "utf8")
    (site / ".nojekyll").touch()  # else the folders that begin with '_' are left out


if __name__ == "__main__":
    put(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])
