"""Browser page: one port for the static page and for the websocket of its protocol."""
