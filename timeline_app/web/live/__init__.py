"""Live pages: sockets, subscriptions, presence."""
