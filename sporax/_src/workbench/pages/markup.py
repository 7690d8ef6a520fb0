"""HTML from text: `escape`, elements, and data for a page's script."""

import html
import json


class Markup(str):
    """A string of HTML; `escape` returns it unchanged."""

    __slots__ = ()


def escape(content):
    """Convert to HTML: `Markup` unchanged, None to the empty string, anything else escaped.

    >>> from sporax._src.workbench import pages
    >>> pages.escape("a < b")
    'a &lt; b'
    """
    if isinstance(content, Markup):
        return content
    return Markup("" if content is None else html.escape(str(content)))


def join(contents, between=""):
    """Concatenate the HTML of several contents, separated by `between`."""
    return Markup(escape(between).join(escape(content) for content in contents))


def element(tag, *contents, **attributes):
    """Return `<tag attributes>contents</tag>`, escaped. Attributes that are None or False are
    omitted, True gives one without a value; `class_` becomes `class`, `data_x` becomes `data-x`.

    >>> from sporax._src.workbench import pages
    >>> pages.element("p", "1 < 2", class_="note")
    '<p class="note">1 &lt; 2</p>'
    """
    words = [tag]
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        name = name.rstrip("_").replace("_", "-")
        words.append(name if value is True else f'{name}="{html.escape(str(value))}"')
    return Markup(f"<{' '.join(words)}>{join(contents)}</{tag}>")


def embedded(name, data):
    """Embed data for the page's script as JSON in an element with the id `name`.

    The script reads `JSON.parse(document.getElementById(name).textContent)`.

    >>> from sporax._src.workbench import pages
    >>> pages.embedded("rows", ["</script>"])
    '<script type="application/json" id="rows">["\\\\u003c/script\\\\u003e"]</script>'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json" id="{html.escape(name)}">{text}</script>')
