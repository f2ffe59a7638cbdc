from grouser.perception.ball import see_ball as see_ball
from grouser.perception.colours import ColourTable as ColourTable
from grouser.perception.localise import Localiser as Localiser
from grouser.perception.optics import CameraOptics as CameraOptics
from grouser.perception.optics import NoddingNeck as NoddingNeck
