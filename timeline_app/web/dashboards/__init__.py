"""Dashboards."""
