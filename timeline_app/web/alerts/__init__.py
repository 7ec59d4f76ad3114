"""Alerts, their incidents, and notifications."""
