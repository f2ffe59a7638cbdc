from grouser.trials.intervals import wilson as wilson
from grouser.trials.threads import run_trials as run_trials
from grouser.trials.trial import Goal as Goal
from grouser.trials.trial import Trial as Trial
