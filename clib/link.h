/* Links: how CAN frames reach the robot. A library's table, hrt_links, says which it has;
 * the beginning of an address says which one is meant ("udp://127.0.0.1:3010", "can0"). */
#ifndef HRT_LINK_H
#define HRT_LINK_H

#include "frames.h"

/* What one open link has; each link defines it for itself. */
struct hrt_wire;

struct hrt_link {
    /* What its addresses begin with, such as "udp://". */
    const char *prefix;
    /* Open the link to `address` (whole, with its prefix). NULL: `why` got a sentence. */
    struct hrt_wire *(*open)(const char *address, char *why, size_t room);
    /* Send frames together. 0, or -1: the link is broken. */
    int (*send)(struct hrt_wire *wire, const struct hrt_frame *frames, int count);
    /* Wait at most `seconds` for the next frame. 1: here it is; 0: none came; -1: broken. */
    int (*receive)(struct hrt_wire *wire, struct hrt_frame *frame, double seconds);
    void (*close)(struct hrt_wire *wire);
};

/* The links of this library, ended by NULL, and where it goes when HRT_LINK is not set. */
extern const struct hrt_link *const hrt_links[];
extern const char hrt_default_address[];

#endif
