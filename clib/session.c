/* State of the robot (session.h). */
#include "session.h"

#include <math.h>

#include "hrt.h"
#include "net.h"

static const double STATUS_TIMEOUT = 10.0; /* s */
static const double RESTART_JUMP = 0.5;    /* s   backward jump of the clock: a restart */
static const double FLIPPERS_CYCLE = 0.05, CAMERA_CYCLE = 0.1; /* s   kenaf.dbc */
enum { MOST_COMMANDS = 5 };

const double hrt_tick_s = 0.02;
struct hrt_session hrt_robot;

static uint8_t *counter_of(uint16_t id)
{
    static const uint16_t ids[] = {HRT_STOP, HRT_BELT_SPEEDS, HRT_FRONT_FLIPPERS, HRT_REAR_FLIPPERS,
                                   HRT_CAMERA_AIM, HRT_CAMERA_ZOOM};
    int place = 0;
    while (place < 5 && ids[place] != id)
        place++;
    return &hrt_robot.counters[place];
}

struct hrt_frame hrt_command(uint16_t id, double first, double second)
{
    uint8_t counter = (*counter_of(id))++;
    return id == HRT_STOP ? hrt_pack_stop(counter) : hrt_pack_command(id, first, second, counter);
}

int hrt_receive_status(double seconds)
{
    double until = hrt_clock() + seconds;
    struct hrt_frame frame;
    for (;;) {
        double before = hrt_robot.status.clock_s;
        int got = hrt_robot.link->receive(hrt_robot.wire, &frame, fmax(0.0, until - hrt_clock()));
        if (got < 0)
            return HRT_NO_LINK;
        if (got == 0)
            break;
        if (hrt_unpack_status(&frame, &hrt_robot.status)) {
            if (frame.id == HRT_BELT_MOTION) /* other status is sent without a robot, too */
                hrt_robot.status_time = hrt_clock();
            if (hrt_robot.status.clock_s < before - RESTART_JUMP)
                hrt_robot.restarted = true;
        }
        if (seconds > 0 && hrt_clock() >= until)
            break;
    }
    if (hrt_robot.restarted) {
        hrt_robot.restarted = false;
        return HRT_RESTARTED;
    }
    return hrt_clock() - hrt_robot.status_time > STATUS_TIMEOUT ? HRT_NO_STATUS : HRT_OK;
}

int hrt_tick(double seconds)
{
    struct hrt_frame frames[MOST_COMMANDS];
    int count = 0;
    double now = hrt_clock();
    frames[count++] = hrt_command(HRT_BELT_SPEEDS, hrt_robot.left, hrt_robot.right);
    if (hrt_robot.flippers_commanded && now - hrt_robot.flippers_sent >= FLIPPERS_CYCLE) {
        frames[count++] = hrt_command(HRT_FRONT_FLIPPERS, hrt_robot.flippers[0], hrt_robot.flippers[1]);
        frames[count++] = hrt_command(HRT_REAR_FLIPPERS, hrt_robot.flippers[2], hrt_robot.flippers[3]);
        hrt_robot.flippers_sent = now;
    }
    if (hrt_robot.camera_commanded && now - hrt_robot.camera_sent >= CAMERA_CYCLE) {
        frames[count++] = hrt_command(HRT_CAMERA_AIM, hrt_robot.camera[0], hrt_robot.camera[1]);
        hrt_robot.camera_sent = now;
    }
    if (hrt_robot.zoom_commanded && now - hrt_robot.zoom_sent >= CAMERA_CYCLE) {
        frames[count++] = hrt_command(HRT_CAMERA_ZOOM, hrt_robot.zoom, 0.0);
        hrt_robot.zoom_sent = now;
    }
    if (hrt_robot.link->send(hrt_robot.wire, frames, count) != 0)
        return HRT_NO_LINK;
    return hrt_receive_status(seconds);
}

int hrt_stop_belts(int code)
{
    struct hrt_frame frame;
    hrt_robot.left = hrt_robot.right = 0.0;
    frame = hrt_command(HRT_BELT_SPEEDS, 0.0, 0.0);
    if (hrt_robot.link->send(hrt_robot.wire, &frame, 1) != 0)
        return HRT_NO_LINK;
    return code;
}
