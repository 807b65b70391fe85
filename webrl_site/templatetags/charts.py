"""A chart's figure and the lines of its table: too many for a template's loops."""

from __future__ import annotations

from itertools import repeat
from typing import Any

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.formats import get_format
from django.utils.html import format_html_join, json_script
from django.utils.safestring import SafeString

from webrl_site.charts import Chart
from webrl_site.templatetags.workbench import decimal

register = template.Library()

# Columns that hold per cent; the file has all their digits.
SHARES = {"percent", "low", "high"}


class Compact(DjangoJSONEncoder):
    """JSON without the spaces between thousands of numbers."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options | {"separators": (",", ":")})


@register.filter
def figure_json(chart: Chart) -> SafeString:
    """Return the element that carries the figure to the page's script."""
    return json_script(chart.figure, chart.script_id, encoder=Compact)


@register.filter
def table_lines(chart: Chart) -> SafeString:
    """Return the first lines as HTML; what is counted is linked in the second cell."""
    numbers = '<td class="number">{}</td>' * (len(chart.columns()) - 2)
    line = '<tr><td>{}</td><td><a href="{}">{}</a></td>' + numbers + "</tr>"
    sign = get_format("DECIMAL_SEPARATOR")
    names = chart.columns()
    return format_html_join(
        "",
        line,
        (
            (cells[0], url, cells[1], *map(_say, names[2:], cells[2:], repeat(sign)))
            for url, cells in chart.table()
        ),
    )


def _say(name: str, cell: Any, sign: str) -> Any:
    """Write a number as a reader wants it: shares as in the figure, to a tenth."""
    if not isinstance(cell, float):
        return cell
    return decimal(cell, 1) if name in SHARES else str(cell).replace(".", sign)
