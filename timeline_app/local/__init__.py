"""The local engine: a plan on files of events, at once, with the same algebra as the streaming host."""
