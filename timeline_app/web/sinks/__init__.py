"""Sinks: where timelines of nodes are delivered to."""
