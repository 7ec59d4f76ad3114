"""The Django application."""

from django.apps import AppConfig


class WebConfig(AppConfig):
    """Models, services, selectors, REST, consumers, admin and pages."""

    name = "timeline_app.web"
    label = "web"
    verbose_name = "Timelines"
    default_auto_field = "django.db.models.BigAutoField"
