"""The feed of a query: revisions of its nodes in files, batch by batch, and the lineage of a node over feeds."""
