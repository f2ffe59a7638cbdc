from grouser.sensors.camera import ERS210_CAMERA as ERS210_CAMERA
