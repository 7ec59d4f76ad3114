"""Samples of events, and tests of plans on them."""
