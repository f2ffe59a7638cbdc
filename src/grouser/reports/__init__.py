"""Tables, plots and pages: the one look of everything we show."""
