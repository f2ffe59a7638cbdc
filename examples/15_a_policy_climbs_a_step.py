"""A controller climbs a step by an inertial sensor and encoders: one run, then 20 trials.

The command line runs the same class::

    grouser run quince_step --policy 15_a_policy_climbs_a_step.py:StepClimber
    grouser mobility quince --test step --policy 15_a_policy_climbs_a_step.py:StepClimber
"""

import math

import grouser
from grouser.trials import Goal, Trial, run_trials, wilson


class StepClimber(grouser.Policy):
    """Raise the front flippers, drive, press all of them down when the nose rises, level out."""

    sensors = ("imu", "encoder")
    equipment = (
        {"kind": "ins", "name": "imu", "mount": "body", "rate_hz": 50, "turn_drift": 0.005},
    )

    def reset(self, seed: int) -> None:
        """Begin with raised flippers."""
        self.stage = "raise"

    def __call__(self, seen: grouser.Observation) -> dict[str, float]:
        """Return speed, turn rate and flipper angles."""
        imu, encoder = seen.readings["imu"], seen.readings["encoder"]
        nose_up = -math.degrees(imu["pitch"])
        if self.stage == "raise" and nose_up > 20:
            self.stage = "press"
        elif self.stage == "press" and nose_up < 8:
            self.stage = "level"
        front, rear = {"raise": (45, 0), "press": (-20, -60), "level": (0, 0)}[self.stage]
        ready = self.stage != "raise" or encoder["front_left_arm"] > math.radians(40)
        turn = max(-0.4, min(0.4, -imu["yaw"]))
        return {"forward": 0.25 * ready, "turn": turn, "front_deg": front, "rear_deg": rear}


def main() -> None:
    """Climb the step once, then 20 times."""
    world = grouser.load("quince_step", ["terrain.1.height=0.2"])
    world = grouser.equip(world, "quince", StepClimber)

    simulation = grouser.Simulation(world, seed=1)
    quince = simulation.robots["quince"]
    quince.control(StepClimber)
    simulation.step(6.0)
    print(f"one run: {quince.pose.position.round(3)} m after {simulation.time:g} s")

    trials = [
        Trial(
            world=world,
            robot="quince",
            limit=9.0,
            goal=Goal(x=1.2, z=0.25),
            policy=StepClimber,
            seed=seed,
        )
        for seed in range(20)
    ]
    climbed = sum(outcome.arrived for outcome in run_trials(trials))
    low, high = wilson(climbed, len(trials))
    print(f"climbed: {climbed} of {len(trials)}, probability {low:.2f} to {high:.2f} (95 %)")


if __name__ == "__main__":
    main()
