/* Sockets and a clock: what links share. POSIX and nothing else. */
#ifndef HRT_NET_H
#define HRT_NET_H

#include <stddef.h>

/* Seconds on a clock that only goes forwards. */
double hrt_clock(void);

/* Wait at most `seconds` until something can be read. Whether it can. */
int hrt_readable(int fd, double seconds);

/* Take HOST:PORT (or HOST) apart. 0, or -1: it is neither. */
int hrt_host_port(const char *address, char *host, char *port, size_t room,
                  const char *default_port);

/* Connect a socket of a type (SOCK_STREAM, SOCK_DGRAM) to HOST:PORT. Below 0: `why` says it. */
int hrt_dial(const char *host, const char *port, int type, char *why, size_t room);

/* Send everything. 0, or -1: the other end does not take it. */
int hrt_send_all(int fd, const char *bytes, size_t count);

#endif
