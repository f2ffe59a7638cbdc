"""rosbridge gateway: planning services for ROS programs over a websocket; ROS is not needed."""
