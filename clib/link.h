/* Links: transport of CAN frames to the robot. The table hrt_links lists the links of a library;
 * the prefix of an address selects one ("udp://127.0.0.1:3010", "can0"). */
#ifndef HRT_LINK_H
#define HRT_LINK_H

#include "frames.h"

/* State of an open link; each link defines its own. */
struct hrt_wire;

struct hrt_link {
    /* Prefix of its addresses, such as "udp://". */
    const char *prefix;
    /* Open the link to `address` (with its prefix). NULL: the error is in `why`. */
    struct hrt_wire *(*open)(const char *address, char *why, size_t room);
    /* Send frames together. 0; -1: the link is broken. */
    int (*send)(struct hrt_wire *wire, const struct hrt_frame *frames, int count);
    /* Wait at most `seconds` for the next frame. 1: received; 0: time-out; -1: broken. */
    int (*receive)(struct hrt_wire *wire, struct hrt_frame *frame, double seconds);
    void (*close)(struct hrt_wire *wire);
};

/* Links of this library, terminated by NULL, and the address used when HRT_LINK is not set. */
extern const struct hrt_link *const hrt_links[];
extern const char hrt_default_address[];

#endif
