"""Connectors: sources bring events in, sinks deliver timelines; a folder for each system."""
