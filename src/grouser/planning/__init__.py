"""Path planning and path following: validity maps, planners, steering laws."""

from grouser.exports import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    __file__,
    renamed={"Footprint": "grouser.planning.ground:RobotFootprint", "lay": "place_on_ground"},
)
