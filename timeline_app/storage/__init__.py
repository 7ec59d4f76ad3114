"""Files between the parts: landed events, feeds of revisions, and how their columns become events and timelines."""
