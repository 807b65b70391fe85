"""`{% oneline %}`: line breaks in a template that the page does not have."""

from __future__ import annotations

import re

from django import template
from django.template.base import Node, NodeList, Parser, TextNode, Token
from django.template.context import Context

register = template.Library()

LINE_BREAK = re.compile(r"\s*\n\s*")


class OneLine(Node):
    """Its content, written as if it were on one line."""

    def __init__(self, nodelist: NodeList) -> None:
        self.nodelist = nodelist

    def render(self, context: Context) -> str:
        return self.nodelist.render(context)


@register.tag
def oneline(parser: Parser, token: Token) -> OneLine:
    """Leave out the line breaks of the template, with the white space around them.

    A browser shows a line break as a space, which must not be before a comma. The
    values of variables are not changed.
    """
    nodelist = parser.parse(("endoneline",))
    parser.delete_first_token()
    for text in nodelist.get_nodes_by_type(TextNode):
        if isinstance(text, TextNode):
            text.s = LINE_BREAK.sub("", text.s)
    return OneLine(nodelist)
