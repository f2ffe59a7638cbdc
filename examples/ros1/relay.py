"""ROS 1 relay: topics of a Grouser server on a ROS 1 master, and commands back.

Run it with the Python of ROS (``rospy``) and ``pip install roslibpy``::

    grouser serve bumps --rosbridge 9090 &
    roscore &
    python3 examples/ros1/relay.py 127.0.0.1 9090
"""

import base64
import sys

import roslib.message
import roslibpy
import rospy
from genpy import Duration, Message, Time


def fill(message: Message, values: dict) -> Message:
    """Set the fields of a ROS 1 message from JSON values."""
    for name, kind in zip(message.__slots__, message._slot_types, strict=True):
        value, element = values[name], None
        if "/" in kind:
            element = roslib.message.get_message_class(kind.split("[")[0])
        if kind in ("time", "duration"):
            value = (Time if kind == "time" else Duration)(value["secs"], value["nsecs"])
        elif element and kind.endswith("]"):
            value = [fill(element(), one) for one in value]
        elif element:
            value = fill(element(), value)
        elif kind.startswith("uint8[") and isinstance(value, str):
            value = base64.b64decode(value)
        elif kind.startswith("float"):
            missing = float("nan")
            value = [missing if one is None else one for one in value] if "[" in kind else value
        setattr(message, name, value)
    return message


def read(message: object) -> object:
    """Return a ROS 1 message as JSON values."""
    if isinstance(message, (Time, Duration)):
        return {"secs": message.secs, "nsecs": message.nsecs}
    if isinstance(message, Message):
        return {name: read(getattr(message, name)) for name in message.__slots__}
    return [read(one) for one in message] if isinstance(message, (list, tuple)) else message


def relay(ros: roslibpy.Ros, topic: str, commands: list) -> None:
    """Relay one topic, commands to the server and all others to ROS."""
    name = ros.get_topic_type(topic)
    kind = roslib.message.get_message_class(name)
    if kind is None:  # a type that this ROS does not have
        return
    remote = roslibpy.Topic(ros, topic, name)
    if topic in commands:
        rospy.Subscriber(
            topic, kind, lambda message: remote.publish(roslibpy.Message(read(message)))
        )
        return
    latched = topic.endswith(("_static", "description", "markers", "plan"))
    local = rospy.Publisher(topic, kind, queue_size=10, latch=latched)
    remote.subscribe(lambda values: local.publish(fill(kind(), values)))


if __name__ == "__main__":
    ros = roslibpy.Ros(sys.argv[1], int(sys.argv[2]))
    ros.run()
    rospy.init_node("grouser_relay", disable_signals=True)
    rospy.set_param("/use_sim_time", True)
    node = ros.get_node_details("/grouser")
    for topic in (*node["publishing"], *node["subscribing"]):
        if "camera" not in topic:  # pictures: relay those that you need
            relay(ros, topic, node["subscribing"])
    rospy.loginfo("relaying")
    rospy.spin()
