from grouser.planning.driver import PathDriver as PathDriver
from grouser.planning.ground import lay as lay
