/* Links of libhrt_can. */
#ifndef HRT_LINK_CAN_H
#define HRT_LINK_CAN_H

#include "link.h"

extern const struct hrt_link hrt_link_can;        /* SocketCAN: "can0" */
extern const struct hrt_link hrt_link_vcan;       /* virtual SocketCAN: "vcan0" */
extern const struct hrt_link hrt_link_socketcand; /* "socketcand://127.0.0.1:29536/can0" */

#endif
