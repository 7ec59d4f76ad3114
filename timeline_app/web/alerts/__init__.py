"""Alerts, their incidents, and who is notified of them."""
