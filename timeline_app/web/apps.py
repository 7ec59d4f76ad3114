"""The Django application."""

from django.apps import AppConfig
from django.core.exceptions import ImproperlyConfigured

from timeline_app.operators import operators
from timeline_app.operators.own import BadOperators


class WebConfig(AppConfig):
    """Models, services, selectors, REST, consumers, admin and pages."""

    name = "timeline_app.web"
    label = "web"
    verbose_name = "Timelines"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        """Connect the signals of people and tasks.

        Unusable custom operators refuse to start here, in every process that uses Django.
        """
        from timeline_app.web.ops import tasks  # noqa: PLC0415  (Celery, once settings are there)
        from timeline_app.web.people import passwords, signals  # noqa: F401, PLC0415  (models, once the applications are there)

        tasks.connect()
        try:
            operators()
        except BadOperators as error:
            raise ImproperlyConfigured(f"Cannot start. {error}. See docs/own-operators.md.") from None
