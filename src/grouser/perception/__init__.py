"""What a robot makes of its senses: colours, ball, landmarks, where it is."""
