"""`MindPage`: rows of MindRecord files, grouped by the values of a field and read in pages."""

import json

from sporax._src.diagnosis.argument_kinds import INT, at_least
from sporax._src.diagnosis.rules import require
from sporax.data.mindrecord import MRMDefineCategoryError, ParamTypeError, ParamValueError, opened


class MindPage:
    """Rows of MindRecord files, grouped by the values of a field.

    `file_name`: one file of a set written together, or a list of files. `num_consumer` has no
    effect here.

    >>> import tempfile
    >>> from sporax.data.mindrecord import FileWriter
    >>> path = tempfile.mkdtemp() + "/rows"
    >>> writer = FileWriter(path)
    >>> writer.add_schema({"label": {"type": "int32"}, "x": {"type": "int32"}})
    >>> writer.write_raw_data([{"label": i % 2, "x": i} for i in range(5)])
    >>> writer.commit()
    >>> pages = MindPage(path)
    >>> pages.category_field = "label"
    >>> pages.read_at_page_by_name("1", page=0, num_row=10)
    [{'label': 1, 'x': 1}, {'label': 1, 'x': 3}]
    """

    def __init__(self, file_name, num_consumer=4):
        self._files = opened(file_name)
        header = self._files[0].header
        self._fields = [field["index_field"] for field in header.get("index_fields") or []]
        self._field, self._groups = None, {}

    @property
    def candidate_fields(self):
        """The fields of the index, by which rows can be grouped."""
        return list(self._fields)

    @property
    def category_field(self):
        """The field by which rows are grouped; None until it is set."""
        return self._field

    @category_field.setter
    def category_field(self, category_field):
        fields = {"category_field": category_field, "error": ParamTypeError}
        require(isinstance(category_field, str), "must-be-type", "MindPage", **fields, kind="a-str")
        fields |= {"value": self._fields, "error": MRMDefineCategoryError}
        require(category_field in self._fields, "among", "MindPage", **fields)
        groups = {}
        for file in self._files:
            for i in range(len(file)):
                groups.setdefault(file.row(i)[category_field], []).append((file, i))
        self._field = category_field
        self._groups = {str(value): groups[value] for value in sorted(groups, key=str)}

    def _begun(self):
        require(self._field is not None, "category-field", "MindPage")
        return self._groups

    def read_category_info(self):
        """Return the groups as JSON text: the count, id and name of each."""
        categories = [
            {"count": len(rows), "id": i, "name": name}
            for i, (name, rows) in enumerate(self._begun().items())
        ]
        about = {"categories": categories, "key": f"{self._field}_0"}
        return json.dumps(about, separators=(",", ":"), ensure_ascii=False)

    def read_at_page_by_id(self, category_id, page, num_row):
        """Return a page of `num_row` rows of a group, as dicts."""
        _number("category_id", category_id, 0)
        groups = list(self._begun().values())
        fields = {"interval": f"[0, {len(groups)})", "error": RuntimeError}
        fits = category_id < len(groups)
        require(fits, "in-interval", "MindPage", category_id=category_id, **fields)
        return self._page(groups[category_id], page, num_row)

    def read_at_page_by_name(self, category_name, page, num_row):
        """Return a page like `read_at_page_by_id`, for the group of that name."""
        is_str = isinstance(category_name, str)
        require(
            is_str,
            "must-be-type",
            "MindPage",
            category_name=category_name,
            error=ParamValueError,
            kind="a-str",
        )
        known = category_name in self._begun()
        require(known, "category-of-info", "MindPage", category_name=category_name)
        return self._page(self._groups[category_name], page, num_row)

    def _page(self, rows, page, num_row):
        _number("page", page, 0)
        _number("num_row", num_row, 1)
        chosen = rows[page * num_row : (page + 1) * num_row]
        fields = {"n": len(rows), "num_row": num_row}
        require(chosen, "page-of-group", "MindPage", page=page, **fields)
        return [file.row(i) for file, i in chosen]


def _number(name, value, least):
    fits, fields = at_least(least, INT).accepts(value), {"n": least, "got": value}
    require(fits, "int-at-least", "MindPage", argument=name, **fields, error=ParamValueError)


__all__ = ["MindPage"]
