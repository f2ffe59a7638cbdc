from grouser.calibration.planted_truth import planted_log as planted_log
