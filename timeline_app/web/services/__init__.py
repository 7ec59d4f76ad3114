"""Writes that span models or leave the process."""
