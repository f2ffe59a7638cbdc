"""What cameras see, drawn by render workers in other processes and sent to image clients."""
