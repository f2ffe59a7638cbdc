"""What several robots share: hulls, wheels, cranks, linkages."""
