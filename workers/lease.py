"""Leases, where workers look for them."""

from timeline_app.web.services.leases import Hold, lease

__all__ = ["Hold", "lease"]
