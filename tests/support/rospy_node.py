"""ROS 1 node that drives a robot and records its odometry; runs with Debian's Python and rospy."""

import sys

import rosbag  # type: ignore[import-not-found]
import rospy  # type: ignore[import-not-found]
from geometry_msgs.msg import Twist  # type: ignore[import-not-found]
from nav_msgs.msg import Odometry  # type: ignore[import-not-found]
from sensor_msgs.msg import LaserScan  # type: ignore[import-not-found]

DISTANCE = 0.4
"""Distance to drive, m."""


def main(robot: str, path: str) -> None:
    """Drive ``robot`` forward and record its odometry."""
    rospy.init_node("driver")
    scan = rospy.wait_for_message(f"/{robot}/scan", LaserScan)
    drive = rospy.Publisher(f"/{robot}/cmd_vel", Twist, queue_size=1)
    twist = Twist()
    twist.linear.x = 0.3
    places: list[float] = []
    with rosbag.Bag(path, "w") as bag:
        topic = f"/{robot}/odom"

        def record(message: Odometry) -> None:
            places.append(message.pose.pose.position.x)
            bag.write(topic, message)

        subscriber = rospy.Subscriber(topic, Odometry, record)
        while not places or places[-1] - places[0] < DISTANCE:
            drive.publish(twist)
            rospy.rostime.wallsleep(0.05)
        subscriber.unregister()
    rospy.signal_shutdown("done")
    sys.stdout.write(f"{len(scan.ranges)}\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
