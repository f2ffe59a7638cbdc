"""What is done when physics blows up."""
