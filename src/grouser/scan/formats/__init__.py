"""Point-cloud file formats, one per module: decoders of bytes that open no files."""
