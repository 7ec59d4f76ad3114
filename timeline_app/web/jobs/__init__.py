"""Computations on client input, in children of a fork server (`timeline_app.evaluate.sandbox`).

These modules know neither Django nor the database; each message contains what they need of it.
"""
