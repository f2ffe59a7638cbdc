/* One robot per process: its link, what it was told, what it has said. Shared by hrt.c and session.c
 * alone. */
#ifndef HRT_SESSION_H
#define HRT_SESSION_H

#include <stdbool.h>

#include "frames.h"
#include "link.h"

enum { HRT_ADDRESS = 256 };

struct hrt_session {
    const struct hrt_link *link;
    struct hrt_wire *wire; /* NULL: not open */
    char address[HRT_ADDRESS];
    struct hrt_status status;
    uint8_t counters[5];
    double left, right;            /* mm/s, said again with every tick */
    double flippers[4], camera[2]; /* deg */
    bool flippers_told, camera_told;
    double flippers_said, camera_said, heard; /* s, on our clock */
    double pace, grip, slid;                  /* mm/s, -, - */
    bool restarted;
    int error;
};

extern struct hrt_session hrt_robot;
extern const double hrt_tick_s; /* from one command to the next */

/* The next command frame of its kind. */
struct hrt_frame hrt_command(uint16_t id, double first, double second);

/* Hear the robot for so long, at least what is there. HRT_OK, or what is wrong. */
int hrt_hear(double seconds);

/* Say again what holds, and let time pass. HRT_OK, or what is wrong. */
int hrt_tick(double seconds);

/* Tell the belts to stand still. `code`, or HRT_NO_LINK. */
int hrt_stand_still(int code);

#endif
