from grouser.mobility.drive_check import check_driving as check_driving
from grouser.mobility.routes import drive_routes as drive_routes
from grouser.mobility.routes import routes_between_starts as routes_between_starts
