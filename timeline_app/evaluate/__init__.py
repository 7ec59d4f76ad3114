"""Evaluates a plan on files of events, with the same algebra as the streaming hosts."""
