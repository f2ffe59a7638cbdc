/* Link to the control port of a USARSim server, where the library creates its own Kenaf.
 *
 * CAN commands are translated to USARSim commands, USARSim messages to CAN status. On the wire y
 * points right and z down, wheel speeds are rad/s, encoders are ticks; a raised front flipper is
 * negative, a raised rear flipper positive. All three dialects of USARSim can be read. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

#include "link_sim.h"
#include "net.h"

enum { LONGEST = 1 << 17, LINE = 512, NAME = 128, KINDS = 6, FLIPPERS = 4, WINDOW = 8 };

static const double PI = 3.14159265358979323846;
static const double ANSWER_TIMEOUT = 30.0; /* s */
static const double EXTRAPOLATION = 0.25;  /* s   maximum extrapolation of the robot's clock */
static const double SPEED_WINDOW = 0.1;    /* s   minimum interval of encoder differences */
static const double REPEAT_PERIOD = 1.0;   /* s   maximum interval of belt commands */
static const int NO_BATTERY = 99999;

static const char *const flippers[FLIPPERS] = {"FLFlipper", "FRFlipper", "RLFlipper", "RRFlipper"};
static const double flipper_up[FLIPPERS] = {-1, -1, 1, 1};
static const uint16_t kinds[KINDS] = {HRT_BELT_ENCODERS, HRT_BELT_MOTION,  HRT_FLIPPER_ANGLES,
                                      HRT_POSTURE,       HRT_BATTERY_LEFT, HRT_HEALTH};

struct travel {
    double time, left, right;
};

struct hrt_wire {
    int fd;
    double radius, tick;  /* mm, rad; 0: unknown */
    bool alive, posture, fresh, pan_tilt;
    double clock, clock_received; /* clock of the robot, and local time of its reception; s */
    struct travel travel[WINDOW];
    int travels, next_kind;
    double sent_left, sent_right, sent_at; /* rad/s; local time, s */
    struct hrt_status status;
    size_t held;
    char bytes[LONGEST + 1];
};

static int send_line(struct hrt_wire *wire, const char *format, ...)
{
    char line[LINE];
    va_list values;
    va_start(values, format);
    int length = vsnprintf(line, sizeof line - 2, format, values);
    va_end(values);
    if (length < 0 || length >= (int)sizeof line - 2)
        return -1;
    strcpy(line + length, "\r\n");
    return hrt_send_all(wire->fd, line, (size_t)length + 2);
}

/* Value of {Key …} from `at` on, keys in any case; NULL: not found. */
static const char *value(const char *at, const char *key)
{
    size_t length = strlen(key);
    for (at = strchr(at, '{'); at; at = strchr(at + 1, '{'))
        if (strncasecmp(at + 1, key, length) == 0 && at[1 + length] == ' ')
            return at + 2 + length;
    return NULL;
}

static bool number(const char *line, const char *key, double *to)
{
    const char *at = value(line, key);
    char *end;
    double read = at ? strtod(at, &end) : 0.0;
    if (!at || end == at || !isfinite(read))
        return false;
    *to = read;
    return true;
}

static bool begins(const char *at, const char *word)
{
    size_t length = strlen(word);
    return at && strncasecmp(at, word, length) == 0 && (at[length] == '}' || at[length] == ' ');
}

static double robot_time(const struct hrt_wire *wire)
{
    double passed = hrt_clock() - wire->clock_received;
    return wire->clock + (passed < EXTRAPOLATION ? passed : EXTRAPOLATION);
}

static void update_speeds(struct hrt_wire *wire)
{
    struct hrt_status *now = &wire->status;
    struct travel *all = wire->travel, last = {robot_time(wire), now->left_mm, now->right_mm};
    while (wire->travels > 1 &&
           (wire->travels == WINDOW || last.time - all[1].time >= SPEED_WINDOW))
        memmove(all, all + 1, sizeof *all * (size_t)--wire->travels);
    all[wire->travels++] = last;
    double passed = last.time - all[0].time;
    now->left_mm_s = passed > 0 ? (last.left - all[0].left) / passed : 0.0;
    now->right_mm_s = passed > 0 ? (last.right - all[0].right) / passed : 0.0;
    wire->alive = true;
}

/* One encoder: ECLeft, ECRight, ECFLFlipper and so on; integer ticks, taken at their centre. */
static void update_encoder(struct hrt_wire *wire, const char *name, double ticks)
{
    double turned = (ticks + 0.5) * wire->tick;
    if (strncasecmp(name, "EC", 2) != 0)
        return;
    if (begins(name, "ECLeft"))
        wire->status.left_mm = turned * wire->radius;
    else if (begins(name, "ECRight")) {
        wire->status.right_mm = turned * wire->radius;
        update_speeds(wire); /* servers send the left encoder first */
    }
    for (int i = 0; i < FLIPPERS; i++)
        if (begins(name + 2, flippers[i])) {
            double up = flipper_up[i] * turned * 180.0 / PI, half = wire->tick * 90.0 / PI;
            /* STA has a finer resolution and a lower rate: keep it while both agree. */
            if (fabs(wire->status.flippers_deg[i] - up) > half)
                wire->status.flippers_deg[i] = up;
        }
}

/* Encoders share one line, {Name ECLeft Tick 3}, or have one each, {Name ECLeft} {Tick 3}. */
static void read_encoders(struct hrt_wire *wire, const char *line)
{
    for (const char *name = value(line, "Name"); name; name = value(name, "Name")) {
        size_t length = strcspn(name, " }");
        double ticks;
        if (strncasecmp(name + length, " Tick ", 6) == 0)
            update_encoder(wire, name, strtod(name + length + 6, NULL));
        else if (number(name, "Tick", &ticks))
            update_encoder(wire, name, ticks);
    }
}

static void read_posture(struct hrt_wire *wire, const char *line)
{
    const char *at = value(line, "Orientation");
    double angles[3];
    if (!at || sscanf(at, "%lf,%lf,%lf", &angles[0], &angles[1], &angles[2]) != 3)
        return;
    for (int i = 0; i < 3; i++)
        angles[i] = remainder(angles[i], 2 * PI) * 180.0 / PI;
    wire->status.roll_deg = angles[0];
    wire->status.pitch_deg = -angles[1]; /* nose up on the wire, nose down here */
    wire->status.yaw_deg = -angles[2];   /* clockwise on the wire, counter-clockwise here */
    wire->posture = true;
}

static void read_state(struct hrt_wire *wire, const char *line)
{
    double battery, angle;
    if (number(line, "Battery", &battery))
        wire->status.battery_s = (int)battery == NO_BATTERY ? -1 : (int)battery;
    for (int i = 0; i < FLIPPERS; i++)
        if (number(line, flippers[i], &angle))
            wire->status.flippers_deg[i] = flipper_up[i] * angle * 180.0 / PI;
}

static void read_line(struct hrt_wire *wire, const char *line)
{
    const char *type = value(line, "Type");
    double time;
    if (number(line, "Time", &time)) {
        wire->clock = time;
        wire->clock_received = hrt_clock();
    }
    if (strncmp(line, "SEN ", 4) == 0 && begins(type, "Encoder") && wire->radius > 0)
        read_encoders(wire, line);
    else if (strncmp(line, "SEN ", 4) == 0 && begins(type, "INS"))
        read_posture(wire, line);
    else if (strncmp(line, "SEN ", 4) == 0 && begins(type, "GroundTruth") && !wire->posture)
        read_posture(wire, line);
    else if (strncmp(line, "STA ", 4) == 0)
        read_state(wire, line);
    else if (strncmp(line, "MISSTA ", 7) == 0 || strncmp(line, "ASTA ", 5) == 0)
        wire->pan_tilt = wire->pan_tilt || begins(value(line, "Name"), "CameraPanTilt");
    else if (strncmp(line, "GEO ", 4) == 0 && number(line, "WheelRadius", &wire->radius))
        wire->radius *= 1e3;
    else if (strncmp(line, "CONF ", 5) == 0 && begins(type, "Encoder"))
        number(line, "Resolution", &wire->tick);
    wire->fresh = true;
}

/* Receive lines for at most `seconds`. 1: received; 0: time-out; -1: connection closed. */
static int receive_lines(struct hrt_wire *wire, double seconds)
{
    if (!hrt_readable(wire->fd, seconds))
        return 0;
    ssize_t size = recv(wire->fd, wire->bytes + wire->held, LONGEST - wire->held, 0);
    if (size <= 0)
        return -1;
    wire->held += (size_t)size;
    wire->bytes[wire->held] = '\0';
    char *line = wire->bytes, *end;
    while ((end = memchr(line, '\n', wire->held - (size_t)(line - wire->bytes)))) {
        *end = '\0';
        line[strcspn(line, "\r")] = '\0';
        read_line(wire, line);
        line = end + 1;
    }
    wire->held -= (size_t)(line - wire->bytes);
    memmove(wire->bytes, line, wire->held);
    if (wire->held == LONGEST)
        wire->held = 0; /* longer than any line of a server: discard */
    return 1;
}

static void sim_close(struct hrt_wire *wire)
{
    close(wire->fd); /* removes the robot from the world */
    free(wire);
}

/* Create the robot and query its units. */
static int create_robot(struct hrt_wire *wire)
{
    const char *name = getenv("HRT_NAME"), *token = getenv("GROUSER_TOKEN");
    double until = hrt_clock() + ANSWER_TIMEOUT;
    bool sent = (!token || send_line(wire, "LOGIN {Token %s}", token) == 0) &&
                send_line(wire, "INIT {ClassName USARBot.Kenaf} {Name %s}", name ? name : "hrt") == 0 &&
                send_line(wire, "GETGEO {Type Robot}") == 0 &&
                send_line(wire, "GETCONF {Type Encoder}") == 0;
    while (sent && (wire->radius <= 0 || wire->tick <= 0 || !wire->alive)) {
        double left = until - hrt_clock();
        if (left <= 0 || receive_lines(wire, left) < 0)
            return -1;
    }
    return sent ? 0 : -1;
}

static struct hrt_wire *sim_open(const char *address, char *why, size_t room)
{
    char host[NAME], port[NAME];
    struct hrt_wire *wire;
    if (hrt_host_port(address + strlen(hrt_link_usarsim.prefix), host, port, NAME, "3000") != 0) {
        snprintf(why, room, "an address is needed, such as usarsim://127.0.0.1:3000");
        return NULL;
    }
    wire = calloc(1, sizeof *wire);
    if (!wire) {
        snprintf(why, room, "out of memory");
        return NULL;
    }
    wire->status.battery_s = -1;
    wire->fd = hrt_dial(host, port, SOCK_STREAM, why, room);
    if (wire->fd >= 0 && create_robot(wire) == 0)
        return wire;
    if (wire->fd >= 0) {
        snprintf(why, room, "the server did not create a Kenaf (is it a control port?)");
        close(wire->fd);
    }
    free(wire);
    return NULL;
}

static int send_flippers(struct hrt_wire *wire, int first, const double up_deg[2])
{
    for (int i = 0; i < 2; i++) {
        double angle = flipper_up[first + i] * up_deg[i] * PI / 180.0;
        if (send_line(wire, "SET {Type Joint} {Name %s} {Opcode Angle} {Params %.4f}", flippers[first + i],
                angle) != 0)
            return -1;
    }
    return 0;
}

static int send_belts(struct hrt_wire *wire, double left, double right)
{
    double now = hrt_clock();
    if (left == wire->sent_left && right == wire->sent_right && now - wire->sent_at < REPEAT_PERIOD)
        return 0;
    wire->sent_left = left;
    wire->sent_right = right;
    wire->sent_at = now;
    return send_line(wire, "DRIVE {Left %.4f} {Right %.4f}", left, right);
}

static int send_stop(struct hrt_wire *wire)
{
    wire->sent_at = 0.0;
    for (int i = 0; i < FLIPPERS; i++) /* speed 0 holds the present angle */
        if (send_line(wire, "SET {Type Joint} {Name %s} {Opcode Speed} {Params 0}", flippers[i]) != 0)
            return -1;
    return send_belts(wire, 0.0, 0.0);
}

static int sim_send(struct hrt_wire *wire, const struct hrt_frame *frames, int count)
{
    int code = 0;
    for (int i = 0; i < count && code == 0; i++) {
        double values[2];
        uint8_t counter;
        if (!hrt_unpack_command(&frames[i], &values[0], &values[1], &counter))
            continue;
        if (frames[i].id == HRT_STOP)
            code = send_stop(wire);
        else if (frames[i].id == HRT_BELT_SPEEDS)
            code = send_belts(wire, values[0] / wire->radius, values[1] / wire->radius);
        else if (frames[i].id == HRT_FRONT_FLIPPERS)
            code = send_flippers(wire, 0, values);
        else if (frames[i].id == HRT_REAR_FLIPPERS)
            code = send_flippers(wire, 2, values);
        else if (frames[i].id == HRT_CAMERA_AIM && wire->pan_tilt)
            code = send_line(wire, "MISPKG {Name CameraPanTilt} {Link 1} {Value %.4f} {Link 2} {Value %.4f}",
                       -values[0] * PI / 180.0, values[1] * PI / 180.0); /* yaw: clockwise */
        else if (frames[i].id == HRT_CAMERA_ZOOM)
            code = send_line(wire, "SET {Type Camera} {Name Camera} {Opcode Zoom} {Params %.4f}",
                       values[0] * PI / 180.0);
    }
    return code;
}

static int sim_receive(struct hrt_wire *wire, struct hrt_frame *frame, double seconds)
{
    double until = hrt_clock() + seconds;
    for (;;) {
        while (wire->next_kind > 0) { /* all kinds once after each update */
            uint16_t id = kinds[KINDS - wire->next_kind--];
            wire->status.clock_s = robot_time(wire);
            wire->status.flags = wire->posture ? 0 : 8; /* hrt.h: HRT_NO_POSTURE */
            if ((id != HRT_POSTURE || wire->posture) && hrt_pack_status(id, &wire->status, frame))
                return 1;
        }
        double left = until - hrt_clock();
        int got = receive_lines(wire, left > 0 ? left : 0.0);
        if (got < 0)
            return -1;
        if (wire->fresh && wire->alive)
            wire->next_kind = KINDS;
        wire->fresh = false;
        if (got == 0 && wire->next_kind == 0)
            return 0;
    }
}

const struct hrt_link hrt_link_usarsim = {"usarsim://", sim_open, sim_send, sim_receive, sim_close};
