/* Links of libhrt_sim. */
#ifndef HRT_LINK_SIM_H
#define HRT_LINK_SIM_H

#include "link.h"

extern const struct hrt_link hrt_link_usarsim; /* control port of a server, over TCP */
extern const struct hrt_link hrt_link_udp;     /* datagrams to the bridge */

#endif
