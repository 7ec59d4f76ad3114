"""Backups of all stored data, made while the product runs, and restored while it does not."""
