"""A person's own account, and the accounts that administrators make."""

from __future__ import annotations

from django.contrib.auth.views import LogoutView
from django.urls import URLPattern, path

from webrl_site.account import people_views, token_views, views

urlpatterns: list[URLPattern] = [
    path("sign-out/", LogoutView.as_view(), name="logout"),
    path("sign-in/", views.SignIn.as_view(), name="login"),
    path("account/password/", views.ChangePassword.as_view(), name="change_password"),
    path("account/tokens/", token_views.token_list, name="token_list"),
    path(
        "account/tokens/<int:token_id>/revoke/", token_views.revoke, name="revoke_token"
    ),
    path("people/", people_views.people, name="people"),
    path("people/<int:user_id>/", people_views.change_person, name="change_person"),
    path(
        "welcome/<uidb64>/<token>/",
        people_views.ChoosePassword.as_view(),
        name="choose_password",
    ),
    path("admin/login/", views.admin_sign_in),
]
