"""Random faults while the product streams; `make chaos`. See docs/chaos.md."""
