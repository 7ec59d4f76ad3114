"""What people ask, answered by a plan and by a slow script that knows no timelines.

`ask_*.py` hold the questions, a field of work each: add one there, and it is tested in every engine. `make docs` shows
it in docs/recipes.md and offers it on *New plan*.
"""
