"""The admin pages as a Django application."""

from django.contrib.admin.apps import AdminConfig as DjangoAdminConfig


class AdminConfig(DjangoAdminConfig):
    """The admin pages, with the login of the product."""

    default_site = "timeline_app.web.admin_site.Site"
    default = False
