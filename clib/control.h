/* Motion control: straight by the encoders, turns by posture. Same algorithm as
 * src/grouser/client/hrt_control.py, which explains it; here in mm, deg, s. No clock, no link. */
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
    double done;                  /* travelled by encoders, mm, or by posture, deg */
    double grip;                  /* turn of the body divided by that of the belts */
    double left, right, yaw;      /* encoders at the start; last posture */
    double start_turn, seen_turn, carried_turn; /* turn of the belts: start, last posture */
    struct hrt_approach approach;
};

extern const double hrt_first_grip;

void hrt_begin(struct hrt_motion *motion, bool turning, double goal, double pace, double grip,
               const struct hrt_status *status);

/* 1: continue with these belt speeds (mm/s); 0: goal reached, at rest; negative: error of hrt.h. */
int hrt_step(struct hrt_motion *motion, const struct hrt_status *status, double *left,
             double *right);

/* Slip ratio of the belts in the turn; negative: the turn was too small to measure it. */
double hrt_slip(const struct hrt_motion *motion);

#endif
