"""Sinks: delivery of the timelines of nodes."""
