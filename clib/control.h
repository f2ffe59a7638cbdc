/* How the library drives: straight by the encoders, round by posture. The same as
 * src/grouser/client/hrt_control.py, which says why; here in mm, deg, s. No clock, no link. */
#ifndef HRT_CONTROL_H
#define HRT_CONTROL_H

#include <stdbool.h>

#include "frames.h"

struct hrt_approach {
    double pace, rest;
    double speed, time, still_since, progress, progress_time;
    bool begun, still;
    int corrections;
};

struct hrt_motion {
    bool turning;
    double goal;                  /* mm or deg */
    double done;                  /* by encoders, mm; by posture, deg */
    double grip;                  /* how much of the belts' turn the body makes */
    double left, right, yaw;      /* where it began; the last posture */
    double start_turn, seen_turn, carried_turn; /* the belts' own turn: then, at the last posture */
    struct hrt_approach approach;
};

extern const double hrt_first_grip;

void hrt_begin(struct hrt_motion *motion, bool turning, double goal, double pace, double grip,
               const struct hrt_status *status);

/* 1: go on, with these belt speeds (mm/s); 0: it is there and at rest; below 0: an error of hrt.h. */
int hrt_step(struct hrt_motion *motion, const struct hrt_status *status, double *left,
             double *right);

/* What share of the belts' turn was sliding; below 0: too small a turn to say. */
double hrt_slid(const struct hrt_motion *motion);

#endif
