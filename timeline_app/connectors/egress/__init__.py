"""The one place that decides, and makes, connections to hosts that people name.

`policy.Egress` says which addresses may be reached and connects to them; `reaches` reads TIMELINE_REACHES;
`failures` describes what went wrong without repeating anything that the other side sent.
"""
