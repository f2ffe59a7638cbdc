"""What cameras see, drawn in other processes and sent to image clients."""
