/* libhrt_can: table of links and default address. */
#include "link_can.h"

const struct hrt_link *const hrt_links[] = {&hrt_link_can, &hrt_link_vcan, &hrt_link_socketcand,
                                            NULL};
const char hrt_default_address[] = "can0";
