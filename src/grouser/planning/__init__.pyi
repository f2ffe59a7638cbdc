from grouser.planning.driver import PathDriver as PathDriver
from grouser.planning.ground import place_on_ground as place_on_ground
