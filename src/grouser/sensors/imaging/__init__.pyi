from grouser.sensors.imaging.cmos import Cmos as Cmos
from grouser.sensors.imaging.cmos import CmosFilter as CmosFilter
from grouser.sensors.imaging.cmos import Noise as Noise
from grouser.sensors.imaging.lens import Lens as Lens
from grouser.sensors.imaging.lens import Radial as Radial
