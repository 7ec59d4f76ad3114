"""The one language of the product."""
