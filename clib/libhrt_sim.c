/* libhrt_sim: table of links and default address. */
#include "link_sim.h"

const struct hrt_link *const hrt_links[] = {&hrt_link_usarsim, &hrt_link_udp, NULL};
const char hrt_default_address[] = "usarsim://127.0.0.1:3000";
