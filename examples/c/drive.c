/* Drive a robot from plain C: join, drive a circle, print sensor readings, stop, leave.
 *
 *   cc -std=c99 -Wall -Wextra -o drive drive.c
 *   ./drive [HOST [PORT [CLASS [SECONDS]]]]        127.0.0.1 3000 P3AT 5
 *
 * POSIX sockets only. The protocol is text: TYPE {Key value} {Key value} CR LF.
 * The environment variable GROUSER_TOKEN holds the access token, if the server requires one.
 */
#define _POSIX_C_SOURCE 200809L

#include <netdb.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST = 65536, WORD = 64, SENTENCE = 512 };

/* Received bytes that are not yet a complete line. */
struct stream {
    int fd;
    size_t held;
    char bytes[LONGEST];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int dial(const char *host, const char *port)
{
    struct addrinfo hints = {0}, *found, *each;
    int fd = -1;
    hints.ai_socktype = SOCK_STREAM;
    if (getaddrinfo(host, port, &hints, &found) != 0)
        return -1;
    for (each = found; each && fd < 0; each = each->ai_next) {
        fd = socket(each->ai_family, each->ai_socktype, each->ai_protocol);
        if (fd >= 0 && connect(fd, each->ai_addr, each->ai_addrlen) != 0) {
            close(fd);
            fd = -1;
        }
    }
    freeaddrinfo(found);
    return fd;
}

/* Send one line with its line end. Returns 0 on success. */
static int send_line(int fd, const char *format, ...)
{
    char line[512];
    size_t length, sent = 0;
    va_list values;
    va_start(values, format);
    vsnprintf(line, sizeof line - 2, format, values);
    va_end(values);
    strcat(line, "\r\n");
    for (length = strlen(line); sent < length;) {
        ssize_t n = send(fd, line + sent, length - sent, MSG_NOSIGNAL);
        if (n <= 0)
            return -1;
        sent += (size_t)n;
    }
    return 0;
}

/* Wait at most `seconds` for a line. Returns 1: received; 0: time-out; -1: connection closed. */
static int receive_line(struct stream *in, double seconds, char *line)
{
    double until = now() + seconds;
    for (;;) {
        struct pollfd ready = {in->fd, POLLIN, 0};
        char *end = memchr(in->bytes, '\n', in->held);
        double left = until - now();
        ssize_t n;
        if (end) {
            size_t length = (size_t)(end - in->bytes);
            memcpy(line, in->bytes, length);
            line[length] = '\0';
            line[strcspn(line, "\r")] = '\0';
            in->held -= length + 1;
            memmove(in->bytes, end + 1, in->held);
            return 1;
        }
        if (in->held == LONGEST)
            in->held = 0; /* longer than any line of the server: discard */
        if (poll(&ready, 1, left > 0 ? (int)(1e3 * left) + 1 : 0) == 0)
            return 0;
        n = recv(in->fd, in->bytes + in->held, LONGEST - in->held, 0);
        if (n <= 0)
            return -1;
        in->held += (size_t)n;
    }
}

/* Copy the value of {Key value} from a line, key in any case. Returns 1 if found. */
static int value(const char *line, const char *key, char *word, size_t size)
{
    size_t length = strlen(key);
    const char *at;
    for (at = strchr(line, '{'); at; at = strchr(at + 1, '{'))
        if (strncasecmp(at + 1, key, length) == 0 && at[1 + length] == ' ') {
            size_t n = strcspn(at + 2 + length, "}");
            n = n < size ? n : size - 1;
            memcpy(word, at + 2 + length, n);
            word[n] = '\0';
            return 1;
        }
    return 0;
}

static void show(const char *line)
{
    char type[WORD] = "", name[WORD] = "", what[SENTENCE] = "";
    value(line, "Type", type, sizeof type);
    value(line, "Name", name, sizeof name);
    if (strncmp(line, "NOTICE", 6) == 0 && value(line, "Text", what, sizeof what))
        printf("notice: %s\n", what);
    else if (strncmp(line, "STA", 3) == 0 && value(line, "Time", what, sizeof what))
        printf("state   %-16s time %s\n", type, what);
    else if (strncmp(line, "SEN", 3) == 0) {
        if (!value(line, "Range", what, sizeof what) && !value(line, "Pose", what, sizeof what) &&
            !value(line, "Location", what, sizeof what))
            value(line, "Tick", what, sizeof what);
        printf("sensor  %-16s %-16s %.40s\n", type, name, what);
    }
}

int main(int argc, char **argv)
{
    static struct stream in;
    static char line[LONGEST + 1];
    const char *host = argc > 1 ? argv[1] : "127.0.0.1", *port = argc > 2 ? argv[2] : "3000";
    const char *robot = argc > 3 ? argv[3] : "P3AT", *token = getenv("GROUSER_TOKEN");
    double seconds = argc > 4 ? atof(argv[4]) : 5.0, until;
    int received, alive = 0;

    in.fd = dial(host, port);
    if (in.fd < 0) {
        fprintf(stderr, "drive: no server is listening at %s:%s\n", host, port);
        return 2;
    }
    send_line(in.fd, "LOCKSTEP {Every 0}"); /* no effect, but enables notices of errors */
    if (token)
        send_line(in.fd, "LOGIN {Token %s}", token);
    send_line(in.fd, "INIT {ClassName USARBot.%s} {Name C1} {Location 0,0,0}", robot);
    send_line(in.fd, "DRIVE {Left 2.0} {Right 1.0}");

    for (until = now() + seconds; (received = receive_line(&in, until - now(), line)) > 0;) {
        show(line);
        alive += strncmp(line, "STA", 3) == 0 || strncmp(line, "SEN", 3) == 0;
        if (now() >= until)
            break;
    }
    if (received < 0) {
        fprintf(stderr, "drive: the server closed the connection\n");
        return 1;
    }
    send_line(in.fd, "DRIVE {Left 0.0} {Right 0.0}");
    close(in.fd); /* removes the robot from the world */
    if (!alive) {
        fprintf(stderr, "drive: no robot was created; is '%s' a class of the server?\n", robot);
        return 1;
    }
    printf("%d lines of a robot\n", alive);
    return 0;
}
