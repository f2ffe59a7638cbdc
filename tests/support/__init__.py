"""Fixtures and programs that tests share."""
