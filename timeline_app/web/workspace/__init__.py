"""Above the features: sharing, transfer, audit pages, demos."""
