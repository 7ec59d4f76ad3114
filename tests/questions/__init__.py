"""What people ask, answered by a plan and by a slow script that knows no timelines."""
