"""Nodes: their queries, the revision log, timelines, keys and why."""
