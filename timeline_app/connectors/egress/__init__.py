"""Decide about, and make, all connections to hosts that users name.

`policy.Egress` says which addresses may be reached and connects to them; `reaches` reads TIMELINE_REACHES;
`failures` describes errors without repeating anything that the other side sent.
"""
