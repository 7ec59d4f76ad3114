"""Where the timelines of nodes are delivered to, and the contract that each target is held against."""
