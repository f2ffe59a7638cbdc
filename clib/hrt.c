/* Robot library of Kenaf (hrt.h): calls on top of a link. */
#define _POSIX_C_SOURCE 200809L

#include "hrt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "control.h"
#include "net.h"
#include "session.h"

static const double FLIPPERS_NEAR = 2.0; /* deg */
static const double TURN_SHARE = 0.5;    /* of the pace in turns, to reduce drift of the body */
static const double STALL = 5.0;         /* s */
static const double FASTEST = 500.0, FARTHEST_FLIPPER = 179.9;    /* mm/s, deg   kenaf.dbc */
static const double FARTHEST = 100000.0, FURTHEST_TURN = 36000.0; /* mm, deg */
enum { STOP_REPEATS = 5 };

static struct hrt_session *const robot = &hrt_robot;

const char *hrt_error_text(int code)
{
    static const char *const texts[] = {
        "no error",
        "hrt_kenaf_init was not called, or has failed",
        "no link to the robot",
        "no status from the robot",
        "the belts or flippers do not move",
        "the belts run and the robot does not turn",
        "a value is out of range",
        "the robot has restarted",
    };
    return code <= 0 && code >= HRT_RESTARTED ? texts[-code] : "unknown code";
}

int hrt_error(void)
{
    return robot->error;
}

static int set_error(int code)
{
    robot->error = code;
    return code;
}

static int report_error(const char *call, int code)
{
    fprintf(stderr, "hrt: %s: %s\n", call, hrt_error_text(code));
    return set_error(code);
}

static const struct hrt_link *find_link(const char *address)
{
    for (const struct hrt_link *const *each = hrt_links; *each; each++)
        if (strncmp(address, (*each)->prefix, strlen((*each)->prefix)) == 0)
            return *each;
    return NULL;
}

void hrt_close(void)
{
    if (robot->wire)
        robot->link->close(robot->wire);
    robot->wire = NULL;
}

int hrt_kenaf_init(void)
{
    const unsigned needed =
        HRT_RECEIVED_ENCODERS | HRT_RECEIVED_MOTION | HRT_RECEIVED_FLIPPERS | HRT_RECEIVED_POSTURE;
    const char *given = getenv("HRT_LINK");
    char why[HRT_ADDRESS] = "";
    static bool registered = false;
    hrt_close();
    memset(robot, 0, sizeof *robot);
    robot->pace = 100.0;
    robot->grip = hrt_first_grip;
    robot->slip = -1.0;
    robot->status.battery_s = -1;
    snprintf(robot->address, sizeof robot->address, "%s", given && *given ? given : hrt_default_address);
    robot->link = find_link(robot->address);
    if (!robot->link) {
        fprintf(stderr, "hrt: HRT_LINK is '%s', must begin with", robot->address);
        for (const struct hrt_link *const *each = hrt_links; *each; each++)
            fprintf(stderr, "%s '%s'", each == hrt_links ? "" : " or", (*each)->prefix);
        fprintf(stderr, "\n");
        return set_error(HRT_BAD_VALUE);
    }
    robot->wire = robot->link->open(robot->address, why, sizeof why);
    if (!robot->wire) {
        fprintf(stderr, "hrt: %s: %s\n", robot->address, why);
        return set_error(HRT_NO_LINK);
    }
    if (!registered)
        registered = atexit(hrt_close) == 0;
    robot->status_time = hrt_clock();
    while ((robot->status.received & needed) != needed) {
        int code = hrt_tick(hrt_tick_s);
        if (code != HRT_OK) {
            hrt_close();
            return report_error("hrt_kenaf_init", code);
        }
    }
    return set_error(HRT_OK);
}

static int run_motion(const char *call, struct hrt_motion *motion)
{
    int code;
    while ((code = hrt_step(motion, &robot->status, &robot->left, &robot->right)) == 1)
        if ((code = hrt_tick(hrt_tick_s)) != HRT_OK)
            break;
    code = hrt_stop_belts(code);
    return code == HRT_OK ? set_error(code) : report_error(call, code);
}

int hrt_go_forward(double mm)
{
    struct hrt_motion motion;
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    if (!(fabs(mm) <= FARTHEST))
        return report_error("hrt_go_forward", HRT_BAD_VALUE);
    hrt_begin(&motion, false, mm, robot->pace, robot->grip, &robot->status);
    return run_motion("hrt_go_forward", &motion);
}

int hrt_turning(double deg)
{
    struct hrt_motion motion;
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    if (!(fabs(deg) <= FURTHEST_TURN))
        return report_error("hrt_turning", HRT_BAD_VALUE);
    hrt_begin(&motion, true, deg, TURN_SHARE * robot->pace, robot->grip, &robot->status);
    int code = run_motion("hrt_turning", &motion);
    robot->grip = motion.grip;
    if (hrt_slip(&motion) >= 0)
        robot->slip = hrt_slip(&motion);
    return code;
}

int hrt_stop(void)
{
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    robot->left = robot->right = 0.0;
    robot->flippers_commanded = false;
    for (int i = 0; i < STOP_REPEATS; i++) {
        struct hrt_frame frames[2] = {hrt_command(HRT_STOP, 0, 0), hrt_command(HRT_BELT_SPEEDS, 0, 0)};
        int code = robot->link->send(robot->wire, frames, 2) ? HRT_NO_LINK : hrt_receive_status(hrt_tick_s);
        if (code != HRT_OK)
            return report_error("hrt_stop", code);
    }
    return set_error(HRT_OK);
}

int hrt_wait(double seconds)
{
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    for (double until = hrt_clock() + seconds, now; (now = hrt_clock()) < until;) {
        int code = hrt_tick(fmin(hrt_tick_s, until - now));
        if (code != HRT_OK)
            return report_error("hrt_wait", code);
    }
    return set_error(HRT_OK);
}

int hrt_set_pace(double mm_s)
{
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    if (!(mm_s >= 10 && mm_s <= FASTEST))
        return report_error("hrt_set_pace", HRT_BAD_VALUE);
    robot->pace = mm_s;
    return set_error(HRT_OK);
}

int hrt_set_speeds(double left_mm_s, double right_mm_s)
{
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    if (!(fabs(left_mm_s) <= FASTEST && fabs(right_mm_s) <= FASTEST))
        return report_error("hrt_set_speeds", HRT_BAD_VALUE);
    robot->left = left_mm_s;
    robot->right = right_mm_s;
    int code = hrt_tick(hrt_tick_s);
    return code == HRT_OK ? set_error(code) : report_error("hrt_set_speeds", code);
}

int hrt_set_flippers(double front_left, double front_right, double rear_left, double rear_right)
{
    const double angles[4] = {front_left, front_right, rear_left, rear_right};
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    for (int i = 0; i < 4; i++)
        if (!(fabs(angles[i]) <= FARTHEST_FLIPPER))
            return report_error("hrt_set_flippers", HRT_BAD_VALUE);
    memcpy(robot->flippers, angles, sizeof angles);
    robot->flippers_commanded = true;
    robot->flippers_sent = -HUGE_VAL;
    int code = hrt_tick(hrt_tick_s);
    return code == HRT_OK ? set_error(code) : report_error("hrt_set_flippers", code);
}

int hrt_move_flippers(double front_left, double front_right, double rear_left, double rear_right)
{
    int code = hrt_set_flippers(front_left, front_right, rear_left, rear_right);
    double best = HUGE_VAL, since = robot->status.clock_s;
    while (code == HRT_OK) {
        double left = 0.0;
        for (int i = 0; i < 4; i++)
            left = fmax(left, fabs(robot->flippers[i] - robot->status.flippers_deg[i]));
        if (left <= FLIPPERS_NEAR)
            return set_error(HRT_OK);
        if (left < best - FLIPPERS_NEAR / 4) {
            best = left;
            since = robot->status.clock_s;
        } else if (robot->status.clock_s - since > STALL) {
            return report_error("hrt_move_flippers", HRT_STALLED);
        }
        if ((code = hrt_tick(hrt_tick_s)) != HRT_OK)
            return report_error("hrt_move_flippers", code);
    }
    return code;
}

int hrt_aim_camera(double pan_deg, double tilt_deg)
{
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    if (!(fabs(pan_deg) <= 180 && fabs(tilt_deg) <= 90))
        return report_error("hrt_aim_camera", HRT_BAD_VALUE);
    robot->camera[0] = pan_deg;
    robot->camera[1] = tilt_deg;
    robot->camera_commanded = true;
    robot->camera_sent = -HUGE_VAL;
    int code = hrt_tick(hrt_tick_s);
    return code == HRT_OK ? set_error(code) : report_error("hrt_aim_camera", code);
}

int hrt_zoom_camera(double view_deg)
{
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    if (!(view_deg >= 0 && view_deg <= 170))
        return report_error("hrt_zoom_camera", HRT_BAD_VALUE);
    robot->zoom = view_deg;
    robot->zoom_commanded = true;
    robot->zoom_sent = -HUGE_VAL;
    int code = hrt_tick(hrt_tick_s);
    return code == HRT_OK ? set_error(code) : report_error("hrt_zoom_camera", code);
}

/* Receive the pending status, for calls that only read it. */
static int receive_pending(void)
{
    if (!robot->wire)
        return set_error(HRT_NOT_OPEN);
    int code = hrt_receive_status(0.0);
    return code == HRT_OK ? set_error(code) : report_error("hrt", code);
}

int hrt_get_encoders(double *left_mm, double *right_mm)
{
    int code = receive_pending();
    *left_mm = robot->status.left_mm;
    *right_mm = robot->status.right_mm;
    return code;
}

int hrt_get_speeds(double *left_mm_s, double *right_mm_s)
{
    int code = receive_pending();
    *left_mm_s = robot->status.left_mm_s;
    *right_mm_s = robot->status.right_mm_s;
    return code;
}

int hrt_get_flippers(double deg[4])
{
    int code = receive_pending();
    memcpy(deg, robot->status.flippers_deg, sizeof robot->status.flippers_deg);
    return code;
}

int hrt_get_posture(double *roll_deg, double *pitch_deg, double *yaw_deg)
{
    int code = receive_pending();
    *roll_deg = robot->status.roll_deg;
    *pitch_deg = robot->status.pitch_deg;
    *yaw_deg = robot->status.yaw_deg;
    return code;
}

int hrt_get_battery(int *seconds)
{
    int code = receive_pending();
    *seconds = robot->status.battery_s;
    return code;
}

int hrt_get_slide(double *share)
{
    *share = robot->slip;
    return set_error(robot->wire ? HRT_OK : HRT_NOT_OPEN);
}

int hrt_get_warnings(unsigned *bits)
{
    int code = receive_pending();
    *bits = robot->status.flags;
    return code;
}

int hrt_show_status(void)
{
    static const char *const warnings[] = {
        "no valid command for 0.3 s: the belts were stopped", "stopped by a Stop command",
        "the motors do not answer", "posture is not known", "the battery is empty"};
    static const char *const motors[] = {"left",        "right",     "front_left",
                                         "front_right", "rear_left", "rear_right"};
    const struct hrt_status *now = &robot->status;
    const double *flippers = now->flippers_deg;
    int code = robot->wire ? hrt_tick(hrt_tick_s) : HRT_NOT_OPEN;
    if (code != HRT_OK)
        return report_error("hrt_show_status", code);
    printf("time      %.2f s\n", now->clock_s);
    printf("encoders  %.1f %.1f mm\n", now->left_mm, now->right_mm);
    printf("speeds    %.1f %.1f mm/s\n", now->left_mm_s, now->right_mm_s);
    printf("flippers  %.1f %.1f %.1f %.1f deg\n", flippers[0], flippers[1], flippers[2],
           flippers[3]);
    printf("posture   %.1f %.1f %.1f deg\n", now->roll_deg, now->pitch_deg, now->yaw_deg);
    if (now->battery_s < 0)
        printf("battery   not known\n");
    else
        printf("battery   %d s\n", now->battery_s);
    if (robot->slip >= 0)
        printf("slid      %.0f %% in the last turn\n", 100 * robot->slip);
    for (unsigned i = 0; i < 5; i++)
        if (now->flags >> i & 1)
            printf("warning   %s\n", warnings[i]);
    for (unsigned i = 0; i < 6; i++)
        if (now->stalled >> i & 1)
            printf("warning   the motor %s is stalled\n", motors[i]);
    fflush(stdout);
    return set_error(HRT_OK);
}
