"""All URLs: pages, admin, REST."""

from __future__ import annotations

from django.contrib import admin
from django.contrib.auth.views import LogoutView
from django.urls import include, path
from django.views.generic import RedirectView

from timeline_app.web.core import pages
from timeline_app.web.ops import pages as operations
from timeline_app.web.people import passwords

handler404 = pages.not_found
handler500 = pages.failed

urlpatterns = [
    path("login/", passwords.LoginPage.as_view(), name="login"),
    path("logout/", LogoutView.as_view(), name="logout"),
    path("password/", passwords.PasswordPage.as_view(), name="password"),
    path("favicon.ico", pages.favicon, name="favicon"),
    path("healthz", operations.healthz, name="healthz"),
    path("readyz", operations.readyz, name="readyz"),
    path("metrics", operations.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("api/", include("timeline_app.web.urls")),
    path("", pages.app, name="plans"),
    path("plans/", RedirectView.as_view(pattern_name="plans", query_string=True), name="plans-list"),
    path("plans/new/", pages.app, name="plan-new"),
    path("plans/<int:plan>/", pages.app, name="plan"),
    path("dashboards/", pages.app, name="dashboards"),
    path("dashboards/<int:dashboard>/", pages.app, name="dashboard"),
    path("dashboards/<int:dashboard>/kiosk/", pages.app, name="kiosk"),
    path("public/", pages.public_app, name="public"),
    path("operations/", pages.app, name="operations"),
    path("storage/", pages.app, name="storage"),
    path("looks/", pages.app, name="looks"),
    path("tokens/", pages.app, name="tokens"),
    path("audit/", pages.app, name="audit"),
    path("people/", pages.app, name="people"),
    path("nodes/", pages.app, name="nodes"),
    path("nodes/<str:digest>/", pages.app, name="node"),
    path("alerts/", pages.app, name="alerts"),
    path("alerts/<int:alert>/", pages.app, name="alert"),
    path("incidents/", pages.app, name="incidents"),
    path("silences/", pages.app, name="silences"),
    path("channels/", pages.app, name="channels"),
    path("incidents/<int:incident>/", pages.app, name="incident"),
    path("streams/", pages.app, name="streams"),
    path("streams/declare-new/", pages.app, name="stream-new"),
    path("streams/<str:stream>/", pages.app, name="stream"),
]
