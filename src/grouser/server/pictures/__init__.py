"""What cameras see, for those who look: drawn elsewhere, shown one by one and all in one."""
