"""Streams: declaration, ingestion, sources, and rejected events."""
