"""People, teams and tokens."""
