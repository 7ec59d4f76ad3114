"""Copies of everything that is kept, taken while the product runs, and put back where it does not."""
