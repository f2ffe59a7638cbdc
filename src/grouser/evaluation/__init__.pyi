from grouser.evaluation.run_metrics import joint_energy as joint_energy
