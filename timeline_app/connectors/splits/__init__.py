"""Splits of a source: how they are planned, read, tracked and acknowledged."""
