"""Commands that show something in the browser."""
