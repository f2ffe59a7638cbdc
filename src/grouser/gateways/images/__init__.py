"""Camera pictures: drawn by render workers, served to image clients, written as videos."""
