"""The lines of a chart's table: a thousand of them are too many for a template."""

from __future__ import annotations

from django import template
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from webrl_site.charts import Chart

register = template.Library()


@register.filter
def table_lines(chart: Chart) -> SafeString:
    """Return the first lines as HTML; what is counted is linked in the second cell."""
    numbers = '<td class="number">{}</td>' * (len(chart.columns()) - 2)
    line = '<tr><td>{}</td><td><a href="{}">{}</a></td>' + numbers + "</tr>"
    return format_html_join(
        "", line, ((cells[0], url, *cells[1:]) for url, cells in chart.table())
    )
