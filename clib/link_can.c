/* Links over a CAN bus: SocketCAN ("can0", "vcan0"; Linux) and socketcand, the open text protocol
 * for CAN over TCP ("socketcand://127.0.0.1:29536/can0"). */
#define _POSIX_C_SOURCE 200809L
#define _DEFAULT_SOURCE /* struct ifreq */

#include "link_can.h"
#include "net.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#ifdef __linux__
#include <linux/can.h>
#include <linux/can/raw.h>
#include <net/if.h>
#include <sys/ioctl.h>
#endif

enum {
    ROOM = 4096,     /* receive buffer, bytes */
    LONGEST_NAME = 256 /* of a host, or of a bus with its token */
};

static const double ANSWER_TIMEOUT = 10.0; /* s   for answers when a bus is opened */

struct hrt_wire {
    int socket;
    char text[ROOM]; /* received and not yet parsed */
    size_t filled;
};

static struct hrt_wire *new_wire(int socket, char *why, size_t room)
{
    struct hrt_wire *wire = calloc(1, sizeof *wire);
    if (wire == NULL) {
        snprintf(why, room, "out of memory");
        close(socket);
        return NULL;
    }
    wire->socket = socket;
    return wire;
}

static void close_wire(struct hrt_wire *wire)
{
    close(wire->socket);
    free(wire);
}

/* -- SocketCAN ---------------------------------------------------------------------------------- */

#ifdef __linux__

static struct hrt_wire *open_kernel(const char *address, char *why, size_t room)
{
    struct ifreq interface = {0};
    struct sockaddr_can bound = {.can_family = AF_CAN};
    if (strlen(address) >= sizeof interface.ifr_name) {
        snprintf(why, room, "%s: the name of a CAN interface has at most %d letters", address,
                 (int)sizeof interface.ifr_name - 1);
        return NULL;
    }
    memcpy(interface.ifr_name, address, strlen(address) + 1);
    int socket_ = socket(PF_CAN, SOCK_RAW, CAN_RAW);
    if (socket_ < 0) {
        snprintf(why, room, "%s: this machine has no SocketCAN (%s)", address, strerror(errno));
        return NULL;
    }
    if (ioctl(socket_, SIOCGIFINDEX, &interface) < 0) {
        snprintf(why, room, "%s: there is no such CAN interface (%s)", address, strerror(errno));
        close(socket_);
        return NULL;
    }
    bound.can_ifindex = interface.ifr_ifindex;
    if (bind(socket_, (struct sockaddr *)&bound, sizeof bound) < 0) {
        snprintf(why, room, "%s: cannot be opened (%s)", address, strerror(errno));
        close(socket_);
        return NULL;
    }
    return new_wire(socket_, why, room);
}

static int send_kernel(struct hrt_wire *wire, const struct hrt_frame *frames, int count)
{
    for (int i = 0; i < count; i++) {
        struct can_frame frame = {.can_id = frames[i].id, .can_dlc = frames[i].length};
        memcpy(frame.data, frames[i].data, frames[i].length);
        ssize_t written;
        do
            written = write(wire->socket, &frame, sizeof frame);
        while (written < 0 && errno == EINTR);
        if (written != (ssize_t)sizeof frame)
            return -1;
    }
    return 0;
}

static int receive_kernel(struct hrt_wire *wire, struct hrt_frame *frame, double seconds)
{
    double end = hrt_clock() + seconds;
    for (;;) {
        struct can_frame received;
        if (!hrt_readable(wire->socket, end - hrt_clock()))
            return 0;
        ssize_t size = read(wire->socket, &received, sizeof received);
        if (size < 0 && errno == EINTR)
            continue;
        if (size != (ssize_t)sizeof received)
            return -1;
        if (received.can_id <= HRT_LARGEST_ID && received.can_dlc <= HRT_LONGEST) {
            frame->id = (uint16_t)received.can_id; /* extended, remote and error frames are skipped */
            frame->length = received.can_dlc;
            memcpy(frame->data, received.data, sizeof frame->data);
            return 1;
        }
    }
}

#else

static struct hrt_wire *open_kernel(const char *address, char *why, size_t room)
{
    snprintf(why, room, "%s: only Linux has SocketCAN; use socketcand://host:port/can0", address);
    return NULL;
}

static int send_kernel(struct hrt_wire *wire, const struct hrt_frame *frames, int count)
{
    (void)wire, (void)frames, (void)count;
    return -1;
}

static int receive_kernel(struct hrt_wire *wire, struct hrt_frame *frame, double seconds)
{
    (void)wire, (void)frame, (void)seconds;
    return -1;
}

#endif

/* -- socketcand --------------------------------------------------------------------------------- */

/* Remove the next message (without its brackets) from the buffer. 1: found. */
static int take_message(struct hrt_wire *wire, char *message, size_t room)
{
    for (;;) {
        char *begin = memchr(wire->text, '<', wire->filled);
        char *end = memchr(wire->text, '>', wire->filled);
        if (end == NULL) {
            if (wire->filled == sizeof wire->text || begin == NULL)
                wire->filled = 0; /* too long, or without an opening bracket: discard */
            return 0;
        }
        int whole = begin != NULL && begin < end && (size_t)(end - begin) < room;
        if (whole) {
            memcpy(message, begin + 1, (size_t)(end - begin - 1));
            message[end - begin - 1] = '\0';
        }
        size_t used = (size_t)(end + 1 - wire->text);
        memmove(wire->text, end + 1, wire->filled - used);
        wire->filled -= used;
        if (whole)
            return 1;
    }
}

/* Wait at most `seconds` for a message. 1: received; 0: time-out; -1: the link is broken. */
static int next_message(struct hrt_wire *wire, char *message, size_t room, double seconds)
{
    double end = hrt_clock() + seconds;
    while (!take_message(wire, message, room)) {
        if (!hrt_readable(wire->socket, end - hrt_clock()))
            return 0;
        ssize_t size = recv(wire->socket, wire->text + wire->filled, ROOM - wire->filled, 0);
        if (size < 0 && errno == EINTR)
            continue;
        if (size <= 0)
            return -1;
        wire->filled += (size_t)size;
    }
    return 1;
}

/* Send `text`, unless it is NULL, and wait for `answer`. 0; -1: the error is in `why`. */
static int exchange(struct hrt_wire *wire, const char *text, const char *answer, char *why,
                    size_t room)
{
    static const char closed[] = "the CAN server has closed the connection";
    char message[LONGEST_NAME], word[LONGEST_NAME] = "";
    if (text != NULL && hrt_send_all(wire->socket, text, strlen(text)) < 0) {
        snprintf(why, room, "%s", closed);
        return -1;
    }
    int received = next_message(wire, message, sizeof message, ANSWER_TIMEOUT);
    if (received <= 0) {
        snprintf(why, room, "%s", received < 0 ? closed : "no answer from the CAN server");
        return -1;
    }
    if (sscanf(message, "%255s", word) == 1 && strcmp(word, answer) == 0)
        return 0;
    snprintf(why, room, "answer of the CAN server:%.200s", message);
    return -1;
}

static struct hrt_wire *open_text(const char *address, char *why, size_t room)
{
    char host[LONGEST_NAME], port[8], bus[LONGEST_NAME], request[LONGEST_NAME + 16], extra;
    if (sscanf(address, "socketcand://%255[^:/]:%7[0-9]/%255[^/ <>]%c", host, port, bus, &extra) !=
        3) {
        snprintf(why, room, "%s: must be socketcand://host:port/bus", address);
        return NULL;
    }
    int socket_ = hrt_dial(host, port, SOCK_STREAM, why, room);
    if (socket_ < 0)
        return NULL;
    struct hrt_wire *wire = new_wire(socket_, why, room);
    if (wire == NULL)
        return NULL;
    snprintf(request, sizeof request, "< open %s >", bus);
    if (exchange(wire, NULL, "hi", why, room) < 0 || exchange(wire, request, "ok", why, room) < 0 ||
        exchange(wire, "< rawmode >", "ok", why, room) < 0) {
        close_wire(wire);
        return NULL;
    }
    return wire;
}

static int send_text(struct hrt_wire *wire, const struct hrt_frame *frames, int count)
{
    char text[64];
    for (int i = 0; i < count; i++) {
        int at = snprintf(text, sizeof text, "< send %03X %d", (unsigned)frames[i].id,
                          frames[i].length);
        for (int byte = 0; byte < frames[i].length; byte++)
            at += snprintf(text + at, sizeof text - (size_t)at, " %02X", frames[i].data[byte]);
        snprintf(text + at, sizeof text - (size_t)at, " >");
        if (hrt_send_all(wire->socket, text, strlen(text)) < 0)
            return -1;
    }
    return 0;
}

static int digit(char letter)
{
    const char *all = "0123456789ABCDEFabcdef";
    const char *found = letter == '\0' ? NULL : strchr(all, letter);
    if (found == NULL)
        return -1;
    return (int)(found - all) - (found - all > 15 ? 6 : 0);
}

/* Parse " frame 123 23.424242 11223344 " into `frame`; 0: another message. */
static int read_frame(const char *message, struct hrt_frame *frame)
{
    char id[9], data[2 * HRT_LONGEST + 2] = "";
    if (sscanf(message, " frame %8[0-9A-Fa-f] %*[0-9.] %17[0-9A-Fa-f]", id, data) < 1 ||
        strlen(id) != 3 || strlen(data) % 2 != 0 || strlen(data) > 2 * HRT_LONGEST)
        return 0; /* extended frames are skipped */
    memset(frame, 0, sizeof *frame);
    for (int i = 0; i < 3; i++)
        frame->id = (uint16_t)(frame->id << 4 | digit(id[i]));
    frame->length = (uint8_t)(strlen(data) / 2);
    for (int i = 0; i < frame->length; i++)
        frame->data[i] = (uint8_t)(digit(data[2 * i]) << 4 | digit(data[2 * i + 1]));
    return frame->id <= HRT_LARGEST_ID;
}

static int receive_text(struct hrt_wire *wire, struct hrt_frame *frame, double seconds)
{
    char message[LONGEST_NAME];
    double end = hrt_clock() + seconds;
    for (;;) {
        int received = next_message(wire, message, sizeof message, end - hrt_clock());
        if (received <= 0)
            return received;
        if (read_frame(message, frame))
            return 1;
    }
}

const struct hrt_link hrt_link_can = {"can", open_kernel, send_kernel, receive_kernel, close_wire};
const struct hrt_link hrt_link_vcan = {"vcan", open_kernel, send_kernel, receive_kernel, close_wire};
const struct hrt_link hrt_link_socketcand = {"socketcand://", open_text, send_text, receive_text,
                                             close_wire};
