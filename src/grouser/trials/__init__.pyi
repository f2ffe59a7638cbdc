from grouser.trials.intervals import wilson as wilson
from grouser.trials.runner import Runner as Runner
from grouser.trials.runner import run_trials as run_trials
from grouser.trials.trial import Goal as Goal
from grouser.trials.trial import Trial as Trial
