"""Addresses of the API."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.urls import path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from timeline_app.web.api.me import MeView
from timeline_app.web.api.tokens import TokenView

urlpatterns = [
    path("me/", MeView.as_view(), name="api-me"),
    path("tokens/", TokenView.as_view(), name="api-tokens"),
    path("schema/", SpectacularAPIView.as_view(), name="api-schema"),
    path(
        "docs/", login_required(SpectacularSwaggerSplitView.as_view(url_name="api-schema")), name="api-docs"
    ),
]
