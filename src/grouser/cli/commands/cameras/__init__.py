"""Commands about cameras."""
