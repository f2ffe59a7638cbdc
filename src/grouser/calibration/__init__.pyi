from grouser.calibration.calibration import synthetic_log as synthetic_log
