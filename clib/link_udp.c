/* Link to `grouser bridge`: CAN frames in UDP datagrams, see docs/how-to/can.md. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link_sim.h"
#include "net.h"

enum {
    HEADER = 12,
    FRAME = 12,
    MOST_FRAMES = 64,
    LARGEST = HEADER + MOST_FRAMES * FRAME,
    COMMANDS = 1,
    STATUS = 2,
    RESTART = 64, /* number of consecutive old datagrams that indicates a restart of the bridge */
    NAME = 128
};

struct hrt_wire {
    int fd;
    uint32_t counter, last;
    bool any;
    int old;
    int count, next; /* frames of the last datagram, index of the next */
    uint8_t datagram[LARGEST + 1];
};

static void put32(uint8_t *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (uint8_t)(value >> (8 * i));
}

static uint32_t get32(const uint8_t *from)
{
    return from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static struct hrt_wire *udp_open(const char *address, char *why, size_t room)
{
    char host[NAME], port[NAME];
    struct hrt_wire *wire;
    if (hrt_host_port(address + strlen(hrt_link_udp.prefix), host, port, NAME, "3010") != 0) {
        snprintf(why, room, "an address is needed, such as udp://127.0.0.1:3010");
        return NULL;
    }
    wire = calloc(1, sizeof *wire);
    if (!wire) {
        snprintf(why, room, "out of memory");
        return NULL;
    }
    wire->fd = hrt_dial(host, port, SOCK_DGRAM, why, room);
    if (wire->fd < 0) {
        free(wire);
        return NULL;
    }
    return wire;
}

static int udp_send(struct hrt_wire *wire, const struct hrt_frame *frames, int count)
{
    uint8_t data[LARGEST] = {'H', 'R', 'T', '1', 1, COMMANDS, (uint8_t)count, 1};
    if (count < 0 || count > MOST_FRAMES)
        return -1;
    put32(data + 8, ++wire->counter);
    for (int i = 0; i < count; i++) {
        uint8_t *to = data + HEADER + i * FRAME;
        to[0] = (uint8_t)(frames[i].id & 0xFF);
        to[1] = (uint8_t)(frames[i].id >> 8);
        to[2] = frames[i].length;
        memcpy(to + 4, frames[i].data, frames[i].length);
    }
    /* Errors are ignored: the bridge may return, and the status time-out detects its absence. */
    (void)send(wire->fd, data, (size_t)(HEADER + count * FRAME), MSG_NOSIGNAL);
    return 0;
}

/* True if a datagram is a complete status newer than the last. */
static bool is_new_status(struct hrt_wire *wire, ssize_t size)
{
    const uint8_t *data = wire->datagram;
    uint32_t counter;
    if (size < HEADER || memcmp(data, "HRT1", 4) != 0 || data[4] != 1 || data[5] != STATUS ||
        data[6] > MOST_FRAMES || data[7] > 1 || size != HEADER + data[6] * FRAME)
        return false;
    counter = get32(data + 8);
    if (wire->any && (counter - wire->last - 1U) >= 0x7FFFFFFFU && ++wire->old < RESTART)
        return false;
    wire->any = true;
    wire->old = 0;
    wire->last = counter;
    return true;
}

static int udp_receive(struct hrt_wire *wire, struct hrt_frame *frame, double seconds)
{
    double until = hrt_clock() + seconds;
    for (;;) {
        while (wire->next < wire->count) {
            const uint8_t *from = wire->datagram + HEADER + wire->next++ * FRAME;
            frame->id = (uint16_t)(from[0] | from[1] << 8);
            frame->length = from[2];
            memcpy(frame->data, from + 4, HRT_LONGEST);
            if (frame->length <= HRT_LONGEST)
                return 1;
        }
        if (!hrt_readable(wire->fd, until - hrt_clock()))
            return 0;
        ssize_t size = recv(wire->fd, wire->datagram, sizeof wire->datagram, 0);
        wire->next = 0;
        wire->count = is_new_status(wire, size) ? wire->datagram[6] : 0;
        if (wire->count == 0 && hrt_clock() >= until)
            return 0;
    }
}

static void udp_close(struct hrt_wire *wire)
{
    close(wire->fd);
    free(wire);
}

const struct hrt_link hrt_link_udp = {"udp://", udp_open, udp_send, udp_receive, udp_close};
