"""Text as HTML: `escape`, elements, and data for a page's own script."""

import html
import json


class Markup(str):
    """A string that is HTML; `escape` leaves it as it is."""

    __slots__ = ()


def escape(content):
    """Anything as HTML: `Markup` as it is, None as nothing, all else as escaped text.

    >>> from sporax import pages
    >>> pages.escape("a < b")
    'a &lt; b'
    """
    if isinstance(content, Markup):
        return content
    return Markup("" if content is None else html.escape(str(content)))


def join(contents, between=""):
    """The HTML of several contents, one after another."""
    return Markup(escape(between).join(escape(content) for content in contents))


def element(tag, *contents, **attributes):
    """`<tag attributes>contents</tag>`, all escaped. An attribute that is None or False is left
    out, True has no value; `class_` is `class`, and `data_x` is `data-x`.

    >>> from sporax import pages
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
    """Data for the page's script, as JSON in an element with the id `name`.

    The script reads `JSON.parse(document.getElementById(name).textContent)`.

    >>> from sporax import pages
    >>> pages.embedded("rows", ["</script>"])
    '<script type="application/json" id="rows">["\\\\u003c/script\\\\u003e"]</script>'
    """
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(f'<script type="application/json" id="{html.escape(name)}">{text}</script>')
