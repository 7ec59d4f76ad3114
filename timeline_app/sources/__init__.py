"""Where events come from: sources that split, say how far they have come, and are acknowledged (docs/sources.md)."""
