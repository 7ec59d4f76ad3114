"""Features above all others: sharing, transfer, audit pages, demos."""
