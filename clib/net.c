/* Sockets and clock (net.h). */
#define _POSIX_C_SOURCE 200809L

#include "net.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

double hrt_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int hrt_readable(int fd, double seconds)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    int milliseconds = seconds > 0 ? (int)(1e3 * seconds) + 1 : 0;
    return poll(&ready, 1, milliseconds) > 0;
}

int hrt_host_port(const char *address, char *host, char *port, size_t room,
                  const char *default_port)
{
    const char *colon = strrchr(address, ':');
    size_t length = colon ? (size_t)(colon - address) : strlen(address);
    if (length == 0 || length >= room || strlen(colon ? colon + 1 : default_port) >= room)
        return -1;
    memcpy(host, address, length);
    host[length] = '\0';
    strcpy(port, colon ? colon + 1 : default_port);
    return *port && strspn(port, "0123456789") == strlen(port) ? 0 : -1;
}

int hrt_dial(const char *host, const char *port, int type, char *why, size_t room)
{
    struct addrinfo hints = {.ai_socktype = type}, *found, *each;
    int fd = -1, on = 1, error = getaddrinfo(host, port, &hints, &found);
    if (error != 0) {
        snprintf(why, room, "%s", gai_strerror(error));
        return -1;
    }
    for (each = found; each && fd < 0; each = each->ai_next) {
        fd = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (fd >= 0 && connect(fd, each->ai_addr, each->ai_addrlen) != 0) {
            error = errno;
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    if (fd < 0)
        snprintf(why, room, "%s",
                 error == ECONNREFUSED ? "no server is listening there" : strerror(error));
    else if (type == SOCK_STREAM)
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

int hrt_send_all(int fd, const char *bytes, size_t count)
{
    while (count > 0) {
        ssize_t sent = send(fd, bytes, count, MSG_NOSIGNAL);
        if (sent <= 0)
            return -1;
        bytes += sent;
        count -= (size_t)sent;
    }
    return 0;
}
