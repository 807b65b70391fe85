"""Forms of a site's set-up page."""

from __future__ import annotations

from django import forms
from django.utils.translation import gettext_lazy

from curriculum.models import SiteInstance


class InstanceForm(forms.Form):
    """The address of one more instance."""

    url = forms.URLField(
        label=gettext_lazy("Address"),
        max_length=SiteInstance._meta.get_field("base_url").max_length,
        assume_scheme="http",
    )


class NumberForm(forms.Form):
    """The number of an instance; by default the first."""

    number = forms.IntegerField(min_value=1, max_value=10**6, required=False)

    def read(self) -> int:
        """Return the number."""
        return int((self.is_valid() and self.cleaned_data["number"]) or 1)
