"""How times are written in pages that Django makes: as in those of the product."""
