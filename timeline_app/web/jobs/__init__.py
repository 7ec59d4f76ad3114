"""What is computed from what somebody sent: in children of a fork server (`timeline_app.evaluate.sandbox`).

These modules know neither Django nor the database; what they need of it comes along with what is asked.
"""
