/* Sockets and clock for the links. POSIX only. */
#ifndef HRT_NET_H
#define HRT_NET_H

#include <stddef.h>

/* Monotonic clock, s. */
double hrt_clock(void);

/* Wait at most `seconds` for data. Non-zero: data can be read. */
int hrt_readable(int fd, double seconds);

/* Split HOST:PORT (or HOST). 0; -1: invalid. */
int hrt_host_port(const char *address, char *host, char *port, size_t room,
                  const char *default_port);

/* Connect a socket of a type (SOCK_STREAM, SOCK_DGRAM). Negative: the error is in `why`. */
int hrt_dial(const char *host, const char *port, int type, char *why, size_t room);

/* Send all bytes. 0; -1: the connection is broken. */
int hrt_send_all(int fd, const char *bytes, size_t count);

#endif
