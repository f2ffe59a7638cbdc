"""The USARSim wire: lines to messages and back, in three dialects; no socket, no clock."""
