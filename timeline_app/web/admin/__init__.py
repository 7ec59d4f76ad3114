"""Admin pages: who owns what, how it runs, and the few things that staff may do to it."""

from django.contrib import admin

from timeline_app.web.admin import alerts, audit, dashboards, nodes, people, plans, samples, streams, tokens

__all__ = ["alerts", "audit", "dashboards", "nodes", "people", "plans", "samples", "streams", "tokens"]

admin.site.site_header = admin.site.site_title = "Timelines"
admin.site.enable_nav_sidebar = False
admin.site.index_title = "Who owns what, and how it runs"
