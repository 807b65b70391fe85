"""A chart's figure and the lines of its table: too many for a template's loops."""

from __future__ import annotations

from typing import Any

from django import template
from django.core.serializers.json import DjangoJSONEncoder
from django.utils.formats import get_format
from django.utils.html import format_html_join, json_script
from django.utils.safestring import SafeString

from webrl_site.charts import Chart

register = template.Library()


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
    return format_html_join(
        "",
        line,
        (
            (cells[0], url, cells[1], *(_say(cell, sign) for cell in cells[2:]))
            for url, cells in chart.table()
        ),
    )


def _say(cell: Any, sign: str) -> Any:
    """Write a fraction with the decimal sign of the reader's language."""
    return str(cell).replace(".", sign) if isinstance(cell, float) else cell
