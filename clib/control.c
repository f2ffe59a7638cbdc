/* Motion control (control.h). */
#include "control.h"

#include <math.h>
#include <string.h>

#include "hrt.h"

/* Sources and reasons of these numbers are in src/grouser/client/hrt_control.py. */
static const double PI = 3.14159265358979323846;
static const double GAUGE = 220.0;         /* mm   between the centre lines of the main tracks */
static const double CREEP = 12.0;          /* mm/s   smallest belt speed */
static const double ACCELERATION = 400.0;  /* mm/s2 */
static const double STRAIGHT_GAIN = 3.0, TURN_GAIN = 2.0, SIDE_GAIN = 2.0; /* 1/s */
static const double NEAR = 0.4, NEAR_ENOUGH = 2.0;     /* mm   tolerance to stop, at rest */
static const double FACING = 0.4, FACING_ENOUGH = 0.8; /* deg   tolerance to stop, at rest */
static const double REST = 0.3, TURN_REST = 0.5;       /* s   rest before the end of a motion */
static const double AHEAD = 15.0; /* deg   largest extrapolation of the heading by encoders */
static const double SEEN = 8.0;   /* deg   smallest turn from which the grip is estimated */
static const double LEAST_GRIP = 0.15, MOST_GRIP = 1.2;
static const double STALL = 5.0; /* s   time-out without progress */
enum { CORRECTIONS = 6 };

const double hrt_first_grip = 0.5;

static double clamp(double value, double most)
{
    return fmin(fmax(value, -most), most);
}

static double belt_turn(const struct hrt_status *status)
{
    return (status->right_mm - status->left_mm) / GAUGE * 180.0 / PI;
}

static bool is_settled(const struct hrt_approach *approach, double now)
{
    return approach->still && now - approach->still_since >= approach->rest;
}

/* 1: continue at *speed; 0: goal reached, at rest; negative: stalled. */
static int approach_step(struct hrt_approach *approach, double wanted, bool near, bool enough,
                         double progress, double now, double *speed)
{
    double passed = approach->begun ? fmax(0.0, now - approach->time) : 0.0;
    if (!approach->begun || approach->still || progress != approach->progress) {
        approach->progress = progress;
        approach->progress_time = now;
    } else if (now - approach->progress_time > STALL) {
        return HRT_STALLED;
    }
    approach->begun = true;
    approach->time = now;
    *speed = 0.0;
    if (approach->still) {
        if (!is_settled(approach, now))
            return 1;
        if (enough || approach->corrections >= CORRECTIONS)
            return 0;
        approach->corrections++;
        approach->still = false;
    }
    if (near || approach->speed * wanted < 0) {
        approach->speed = 0.0;
        approach->still = true;
        approach->still_since = now;
        return 1;
    }
    double fastest = fmin(approach->pace, fabs(approach->speed) + ACCELERATION * passed);
    double size = fmax(fmin(fabs(wanted), fastest), fmin(CREEP, approach->pace));
    *speed = approach->speed = copysign(size, wanted);
    return 1;
}

void hrt_begin(struct hrt_motion *motion, bool turning, double goal, double pace, double grip,
               const struct hrt_status *status)
{
    memset(motion, 0, sizeof *motion);
    motion->turning = turning;
    motion->goal = goal;
    motion->grip = grip;
    motion->left = status->left_mm;
    motion->right = status->right_mm;
    motion->yaw = status->yaw_deg;
    motion->start_turn = motion->seen_turn = motion->carried_turn = belt_turn(status);
    motion->approach.pace = pace;
    motion->approach.rest = turning ? TURN_REST : REST;
}

static int step_straight(struct hrt_motion *motion, const struct hrt_status *status, double *left,
                         double *right)
{
    double l = status->left_mm - motion->left, r = status->right_mm - motion->right, speed;
    motion->done = (l + r) / 2;
    double rest = motion->goal - motion->done;
    int code = approach_step(&motion->approach, STRAIGHT_GAIN * rest, fabs(rest) <= NEAR,
                             fabs(rest) <= NEAR_ENOUGH, motion->done, status->clock_s, &speed);
    /* Slow down the leading belt, without reversing it. */
    double correction = clamp(SIDE_GAIN * (r - l) / 2, fabs(speed) / 2);
    *left = speed + correction;
    *right = speed - correction;
    return code;
}

/* Update the turn and the grip from a new posture. */
static void update_posture(struct hrt_motion *motion, const struct hrt_status *status)
{
    if (status->yaw_deg == motion->yaw)
        return;
    motion->done += remainder(status->yaw_deg - motion->yaw, 360.0);
    motion->yaw = status->yaw_deg;
    motion->seen_turn = motion->carried_turn = belt_turn(status);
    double belts = motion->seen_turn - motion->start_turn;
    if (fabs(motion->done) >= SEEN && fabs(belts) >= SEEN)
        motion->grip = fmin(fmax(motion->done / belts, LEAST_GRIP), MOST_GRIP);
}

static int step_turn(struct hrt_motion *motion, const struct hrt_status *status, double *left,
                     double *right)
{
    double belts = belt_turn(status), speed;
    update_posture(motion, status);
    if (is_settled(&motion->approach, status->clock_s))
        motion->carried_turn = belts; /* at rest, posture is as recent as the encoders */
    double ahead = clamp(motion->grip * (belts - motion->carried_turn), AHEAD);
    double rest = motion->goal - motion->done - ahead;
    double wanted = TURN_GAIN * rest * PI / 180.0 * GAUGE / 2 / motion->grip;
    int code = approach_step(&motion->approach, wanted, fabs(rest) <= FACING,
                             fabs(motion->goal - motion->done) <= FACING_ENOUGH, motion->done,
                             status->clock_s, &speed);
    *left = -speed;
    *right = speed;
    return code == HRT_STALLED && fabs(belts - motion->seen_turn) > AHEAD ? HRT_SLIDING : code;
}

int hrt_step(struct hrt_motion *motion, const struct hrt_status *status, double *left,
             double *right)
{
    return motion->turning ? step_turn(motion, status, left, right)
                           : step_straight(motion, status, left, right);
}

double hrt_slip(const struct hrt_motion *motion)
{
    double belts = motion->seen_turn - motion->start_turn;
    return fabs(belts) < SEEN ? -1.0 : fmax(0.0, 1.0 - motion->done / belts);
}
