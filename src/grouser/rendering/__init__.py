"""The one renderer that pictures, videos and cameras share."""
