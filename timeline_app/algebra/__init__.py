"""The algebra: timelines of many keys at once, in columns, normal form by construction. numpy only."""
