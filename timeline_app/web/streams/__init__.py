"""Streams: declared, pushed to, fed from sources, and what of them is rejected."""
