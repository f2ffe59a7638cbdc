from grouser.evaluation.energy import joint_energy as joint_energy
