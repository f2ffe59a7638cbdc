"""Planning services for ROS programs, over a websocket, without any ROS installed."""
