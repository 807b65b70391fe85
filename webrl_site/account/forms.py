"""Forms of a person's own account: sign in, change the password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm, PasswordChangeForm
from django.contrib.auth.password_validation import password_validators_help_texts
from django.core.exceptions import ValidationError
from django.utils.translation import gettext

from webrl_site.server.throttle import FailedAttempts

# Wrong passwords a minute: for one account from one address, and for all from it.
WRONG_FOR_ACCOUNT = FailedAttempts("passwords-of-account", 10)
WRONG_FROM_ADDRESS = FailedAttempts("passwords", 50)


class SignInForm(AuthenticationForm):
    """Name and password; who keeps guessing is not even listened to for a while."""

    # After how many seconds to try again; 0: the answer was about the password.
    wait_s = 0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        if self.data.get("username"):
            # The name stays after a refusal; what has to be typed anew is the other.
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password"].widget.attrs["autofocus"] = True

    def clean(self) -> dict[str, Any]:
        address = self.request.META.get("REMOTE_ADDR") if self.request else None
        address = address or "unknown"
        account = f"{address} {self.cleaned_data.get('username', '')}"
        self.wait_s = max(
            WRONG_FOR_ACCOUNT.wait_s(account), WRONG_FROM_ADDRESS.wait_s(address)
        )
        if self.wait_s:
            raise ValidationError(
                gettext("Too many attempts; try again in %(seconds)s s.")
                % {"seconds": self.wait_s}
            )
        try:
            return super().clean()
        except ValidationError:
            WRONG_FOR_ACCOUNT.count_wrong(account)
            WRONG_FROM_ADDRESS.count_wrong(address)
            raise


class PasswordForm(PasswordChangeForm):
    """The old password once, the new one twice; the rules as plain sentences."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})
        rules = " ".join(password_validators_help_texts())
        self.fields["new_password1"].help_text = rules
