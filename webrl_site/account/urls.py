"""A person's own account."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from webrl_site.account import token_views, views

urlpatterns: list[URLPattern] = [
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("sign-in/", views.SignIn.as_view(), name="login"),
    path("account/password/", views.ChangePassword.as_view(), name="change_password"),
    path("account/tokens/", token_views.token_list, name="token_list"),
    path(
        "account/tokens/<int:token_id>/revoke/", token_views.revoke, name="revoke_token"
    ),
    path("admin/login/", views.admin_sign_in),
]
