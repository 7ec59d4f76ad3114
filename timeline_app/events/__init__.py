"""Events: their declaration, decoding of files and requests, mapping, validation, and guesses of a declaration."""
