"""Every component in every state, for developers of pages; see docs/design.md."""

from __future__ import annotations

from django import forms
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from webrl_site.statistics import wilson

COLORS = ("bg", "surface", "sunken", "line", "line-strong", "text", "muted")
ROLES = ("accent", "good", "bad", "warn")
PLOTS = tuple(f"plot-{number}" for number in range(1, 7))
SIZES = ("xxs", "xs", "s", "m", "l", "xl", "xxl")
SPACES = tuple(f"s{number}" for number in range(7))


class SampleForm(forms.Form):
    """Fields as every form shows them; nothing is ever sent."""

    name = forms.CharField(help_text="Unique; shown everywhere.")
    amount = forms.IntegerField(min_value=1, initial=4)
    kind = forms.ChoiceField(choices=[("a", "First"), ("b", "Second")])
    is_on = forms.BooleanField(label="Use replay", required=False)
    text = forms.CharField(widget=forms.Textarea(attrs={"rows": 2}), required=False)


@require_safe
@login_required
def styleguide(request: HttpRequest) -> HttpResponse:
    if not (settings.DEBUG or request.user.is_staff):
        raise PermissionDenied
    context = {
        "tones": ("", "badge-accent", "badge-good", "badge-warn", "badge-bad"),
        "buttons": ("", "button-main", "button-bad", "button-quiet"),
        "colors": COLORS + ROLES + PLOTS,
        "sizes": SIZES,
        "spaces": SPACES,
        "form": SampleForm({"name": "", "amount": "0", "kind": "a"}, label_suffix=""),
        "share": wilson(24, 60),
    }
    return render(request, "help/styleguide.html", context)
