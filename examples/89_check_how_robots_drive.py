"""Check how robots drive: vibration, work, chatter, drift, parking, influence of the time step.

The same checks as `grouser check robot`, for a wheeled robot and for one that walks on six legs.
"""

from grouser.mobility import check_driving

for kind in ("p2dx", "velociroach"):
    print(kind)
    for point in check_driving(kind, {}):
        print(f"  {'ok ' if point.kept else 'BAD'} {point.title}: {point.finding}")
        if point.hint:
            print(f"      {point.hint}")
