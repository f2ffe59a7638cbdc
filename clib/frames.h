/* CAN frames of Kenaf, as defined in src/grouser/protocol/can/kenaf.dbc.
 *
 * On the bus: little-endian integers. Here: millimetres, degrees, seconds, as in hrt.h. */
#ifndef HRT_FRAMES_H
#define HRT_FRAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    HRT_STOP = 0x080,
    HRT_BELT_SPEEDS = 0x100,
    HRT_FRONT_FLIPPERS = 0x110,
    HRT_REAR_FLIPPERS = 0x111,
    HRT_CAMERA_AIM = 0x120,
    HRT_CAMERA_ZOOM = 0x121,
    HRT_BELT_ENCODERS = 0x200,
    HRT_BELT_MOTION = 0x201,
    HRT_FLIPPER_ANGLES = 0x210,
    HRT_POSTURE = 0x220,
    HRT_BATTERY_LEFT = 0x230,
    HRT_HEALTH = 0x240
};

enum { HRT_LONGEST = 8, HRT_LARGEST_ID = 0x7FF };

struct hrt_frame {
    uint16_t id;
    uint8_t length; /* 0 to 8 */
    uint8_t data[HRT_LONGEST];
};

/* Latest status of the robot. */
struct hrt_status {
    double left_mm, right_mm;           /* belts' encoders, forwards positive */
    double left_mm_s, right_mm_s;       /* belts' speeds */
    double clock_s;                     /* clock of the motors at the encoder reading */
    double flippers_deg[4];             /* front left, front right, rear left, rear right; up positive */
    double roll_deg, pitch_deg, yaw_deg; /* pitch nose down, yaw to the left positive */
    int battery_s;                      /* -1: unknown */
    unsigned flags;                     /* hrt.h: HRT_SILENT and others */
    unsigned stalled;                   /* one bit per motor */
    unsigned wrong[4];                  /* rejected frames: checksum, counter, length, range */
    unsigned received;                  /* one bit per kind of status received */
};

enum {
    HRT_RECEIVED_ENCODERS = 1,
    HRT_RECEIVED_MOTION = 2,
    HRT_RECEIVED_FLIPPERS = 4,
    HRT_RECEIVED_POSTURE = 8,
    HRT_RECEIVED_BATTERY = 16,
    HRT_RECEIVED_HEALTH = 32
};

/* CRC-8/SAE-J1850 over the identifier (two bytes, low one first) and `count` bytes. */
uint8_t hrt_crc(uint16_t id, const uint8_t *bytes, size_t count);

/* Stop; command of two numbers (0.1 mm/s or 0.01 deg each, clipped to 16 bits). */
struct hrt_frame hrt_pack_stop(uint8_t counter);
struct hrt_frame hrt_pack_command(uint16_t id, double first, double second, uint8_t counter);

/* Unpack the two numbers of a command, mm/s or deg. False: wrong length or checksum. */
bool hrt_unpack_command(const struct hrt_frame *frame, double *first, double *second,
                        uint8_t *counter);

/* Pack status from, or unpack it into, `status`. False: unknown frame or wrong length. */
bool hrt_pack_status(uint16_t id, const struct hrt_status *status, struct hrt_frame *frame);
bool hrt_unpack_status(const struct hrt_frame *frame, struct hrt_status *status);

#endif
