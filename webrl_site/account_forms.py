"""Forms of a person's own account."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import PasswordChangeForm
from django.contrib.auth.password_validation import password_validators_help_texts


class PasswordForm(PasswordChangeForm):
    """The old password once, the new one twice; the rules as plain sentences."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})
        rules = " ".join(password_validators_help_texts())
        self.fields["new_password1"].help_text = rules
