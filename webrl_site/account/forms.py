"""Forms of accounts: sign in, choose and change a password, invite people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib.auth.forms import (
    AuthenticationForm,
    PasswordChangeForm,
    SetPasswordForm,
)
from django.contrib.auth.models import User
from django.contrib.auth.password_validation import password_validators_help_texts
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.core.exceptions import ValidationError
from django.utils.translation import gettext, gettext_lazy

from curriculum.access.roles import ROLE_ANNOTATOR, ROLE_RESEARCHER
from webrl_site.server.guess_limits import GuessLimit, name_address

if TYPE_CHECKING:
    PasswordTwice = SetPasswordForm[User]
else:
    PasswordTwice = SetPasswordForm

# Wrong passwords a minute: for one account from one address, for one account from
# anywhere, and from one address for any account.
WRONG_FOR_ACCOUNT_FROM_ADDRESS = GuessLimit("passwords-account-address", 10)
WRONG_FOR_ACCOUNT = GuessLimit("passwords-account", 30)
WRONG_FROM_ADDRESS = GuessLimit("passwords-address", 50)


class SignInForm(AuthenticationForm):
    """Name and password; too many wrong ones block further tries for a while."""

    # After how many seconds to try again; 0: the answer was about the password.
    wait_s = 0

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        # Django's own speaks of a username, which no page here has.
        wrong = gettext_lazy(
            "Name and password do not match. Capital and small letters differ."
        )
        self.error_messages = {**self.error_messages, "invalid_login": wrong}
        if self.data.get("username"):
            # The name stays after a refusal; only the password has to be typed again.
            self.fields["username"].widget.attrs.pop("autofocus", None)
            self.fields["password"].widget.attrs["autofocus"] = True

    def clean(self) -> dict[str, Any]:
        account = self.cleaned_data.get("username", "")
        address = name_address(
            self.request.META.get("REMOTE_ADDR") if self.request else None
        )
        counted = {
            WRONG_FROM_ADDRESS: address,
            WRONG_FOR_ACCOUNT_FROM_ADDRESS: f"{address} {account}",
            WRONG_FOR_ACCOUNT: account,
        }
        # A reached limit ends it: the other limits do not count a try that is refused.
        for limit, who in counted.items():
            if not self.wait_s:
                self.wait_s = limit.take(who)
        if self.wait_s:
            raise ValidationError(
                gettext("Too many attempts; try again in %(seconds)s s.")
                % {"seconds": self.wait_s}
            )
        cleaned = super().clean()
        for limit, who in counted.items():
            limit.give_back(who)
        return cleaned


class PasswordForm(PasswordChangeForm):
    """The old password once, the new one twice; the rules as plain sentences."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})
        rules = " ".join(password_validators_help_texts())
        self.fields["new_password1"].help_text = rules


class ChoosePasswordForm(PasswordTwice):
    """A first or forgotten password, twice; the rules as plain sentences."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"label_suffix": "", **options})
        rules = " ".join(password_validators_help_texts())
        self.fields["new_password1"].help_text = rules
        self.fields["new_password1"].widget.attrs["autofocus"] = True


ROLE_CHOICES = [
    (ROLE_ANNOTATOR, gettext_lazy("Annotator")),
    (ROLE_RESEARCHER, gettext_lazy("Researcher")),
]
ALL_ROLES = [("", gettext_lazy("No role")), *ROLE_CHOICES]


class InviteForm(forms.Form):
    """A new account: its name and role."""

    name = forms.CharField(
        max_length=150,
        label=gettext_lazy("Name"),
        help_text=gettext_lazy("Letters, digits and @ . + - _; used to sign in."),
        validators=[
            UnicodeUsernameValidator(
                message=gettext_lazy("Use only letters, digits and @ . + - _.")
            )
        ],
        widget=forms.TextInput({"autocomplete": "off", "autocapitalize": "none"}),
    )
    role = forms.ChoiceField(
        label=gettext_lazy("Role"),
        choices=ROLE_CHOICES,
        help_text=gettext_lazy(
            "Annotators review and watch; researchers also launch and stop runs."
        ),
    )

    def __init__(self, data: Any) -> None:
        super().__init__(data, label_suffix="")


class PersonForm(forms.Form):
    """A change of an account: of its role, or with `active` of the right to sign in."""

    role = forms.ChoiceField(required=False, choices=ALL_ROLES)
    active = forms.ChoiceField(
        required=False, choices=[("", ""), ("yes", "yes"), ("no", "no")]
    )
