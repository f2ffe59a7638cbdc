"""USARSim clients: what they say becomes commands, what sensors read becomes lines."""
