/* State of the one robot of a process: link, commands and received status. Used only by hrt.c and
 * session.c. */
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
    uint8_t counters[6];
    double left, right;            /* mm/s, repeated every tick */
    double flippers[4], camera[2], zoom; /* deg */
    bool flippers_commanded, camera_commanded, zoom_commanded;
    double flippers_sent, camera_sent, zoom_sent, status_time; /* s, on the local clock */
    double pace, grip, slip;                        /* mm/s, -, - */
    bool restarted;
    int error;
};

extern struct hrt_session hrt_robot;
extern const double hrt_tick_s; /* period of commands, s */

/* Next command frame of its kind, with its counter. */
struct hrt_frame hrt_command(uint16_t id, double first, double second);

/* Receive status for `seconds`; 0: only what is pending. HRT_OK or an error of hrt.h. */
int hrt_receive_status(double seconds);

/* Repeat the present commands, then receive status for `seconds`. HRT_OK or an error of hrt.h. */
int hrt_tick(double seconds);

/* Stop the belts. `code`, or HRT_NO_LINK. */
int hrt_stop_belts(int code);

#endif
