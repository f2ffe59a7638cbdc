/* CAN frames of Kenaf (frames.h). */
#include "frames.h"

#include <math.h>
#include <string.h>

enum { POLYNOMIAL = 0x1D, UNKNOWN_BATTERY = 0xFFFF };

static uint8_t crc_step(uint8_t crc, uint8_t byte)
{
    crc ^= byte;
    for (int bit = 0; bit < 8; bit++)
        crc = (uint8_t)(crc & 0x80 ? (crc << 1) ^ POLYNOMIAL : crc << 1);
    return crc;
}

uint8_t hrt_crc(uint16_t id, const uint8_t *bytes, size_t count)
{
    uint8_t crc = 0xFF;
    crc = crc_step(crc, (uint8_t)(id & 0xFF));
    crc = crc_step(crc, (uint8_t)(id >> 8));
    for (size_t i = 0; i < count; i++)
        crc = crc_step(crc, bytes[i]);
    return crc ^ 0xFF;
}

static long long clipped(double value, double unit, long long low, long long high)
{
    double count = isnan(value) ? 0.0 : nearbyint(value / unit);
    if (count < (double)low)
        return low;
    return count > (double)high ? high : (long long)count;
}

static void put(uint8_t *to, int bytes, long long value)
{
    for (int i = 0; i < bytes; i++)
        to[i] = (uint8_t)((unsigned long long)value >> (8 * i));
}

static void put16(uint8_t *to, double value, double unit)
{
    put(to, 2, clipped(value, unit, -32768, 32767));
}

static uint32_t get(const uint8_t *from, int bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint32_t)from[i] << (8 * i);
    return value;
}

static double get16(const uint8_t *from, double unit)
{
    uint32_t value = get(from, 2);
    return ((double)value - (value & 0x8000 ? 65536.0 : 0.0)) * unit;
}

static double get32(const uint8_t *from, double unit)
{
    uint32_t value = get(from, 4);
    return ((double)value - (value & 0x80000000U ? 4294967296.0 : 0.0)) * unit;
}

static double unit_of(uint16_t id)
{
    return id == HRT_BELT_SPEEDS ? 0.1 : 0.01;
}

/* Bytes of a command: its 16-bit values, counter and checksum. */
static uint8_t command_length(uint16_t id)
{
    return id == HRT_STOP ? 2 : id == HRT_CAMERA_ZOOM ? 4 : 6;
}

static void seal(struct hrt_frame *frame, uint8_t counter)
{
    frame->data[frame->length - 2] = counter;
    frame->data[frame->length - 1] = hrt_crc(frame->id, frame->data, frame->length - 1U);
}

struct hrt_frame hrt_pack_stop(uint8_t counter)
{
    struct hrt_frame frame = {.id = HRT_STOP, .length = 2};
    seal(&frame, counter);
    return frame;
}

struct hrt_frame hrt_pack_command(uint16_t id, double first, double second, uint8_t counter)
{
    struct hrt_frame frame = {.id = id, .length = command_length(id)};
    put16(frame.data, first, unit_of(id));
    if (frame.length > 4)
        put16(frame.data + 2, second, unit_of(id));
    seal(&frame, counter);
    return frame;
}

bool hrt_unpack_command(const struct hrt_frame *frame, double *first, double *second,
                        uint8_t *counter)
{
    uint8_t length = command_length(frame->id);
    if (frame->length != length ||
        hrt_crc(frame->id, frame->data, length - 1U) != frame->data[length - 1])
        return false;
    *first = length == 2 ? 0.0 : get16(frame->data, unit_of(frame->id));
    *second = length <= 4 ? 0.0 : get16(frame->data + 2, unit_of(frame->id));
    *counter = frame->data[length - 2];
    return true;
}

static uint8_t status_length(uint16_t id)
{
    switch (id) {
    case HRT_BELT_ENCODERS:
    case HRT_BELT_MOTION:
    case HRT_FLIPPER_ANGLES:
        return 8;
    case HRT_POSTURE:
    case HRT_HEALTH:
        return 6;
    case HRT_BATTERY_LEFT:
        return 2;
    default:
        return 0;
    }
}

bool hrt_pack_status(uint16_t id, const struct hrt_status *status, struct hrt_frame *frame)
{
    uint8_t *data = frame->data;
    memset(frame, 0, sizeof *frame);
    frame->id = id;
    frame->length = status_length(id);
    switch (id) {
    case HRT_BELT_ENCODERS:
        put(data, 4, clipped(status->left_mm, 0.01, INT32_MIN, INT32_MAX));
        put(data + 4, 4, clipped(status->right_mm, 0.01, INT32_MIN, INT32_MAX));
        break;
    case HRT_BELT_MOTION:
        put16(data, status->left_mm_s, 0.1);
        put16(data + 2, status->right_mm_s, 0.1);
        put(data + 4, 4, clipped(status->clock_s, 1e-4, 0, UINT32_MAX));
        break;
    case HRT_FLIPPER_ANGLES:
        for (int i = 0; i < 4; i++)
            put16(data + 2 * i, status->flippers_deg[i], 0.01);
        break;
    case HRT_POSTURE:
        put16(data, status->roll_deg, 0.01);
        put16(data + 2, status->pitch_deg, 0.01);
        put16(data + 4, status->yaw_deg, 0.01);
        break;
    case HRT_BATTERY_LEFT:
        put(data, 2, status->battery_s < 0 ? UNKNOWN_BATTERY
                                           : clipped(status->battery_s, 1, 0, UNKNOWN_BATTERY - 1));
        break;
    case HRT_HEALTH:
        data[0] = (uint8_t)status->flags;
        data[1] = (uint8_t)status->stalled;
        for (int i = 0; i < 4; i++)
            data[2 + i] = (uint8_t)status->wrong[i];
        break;
    default:
        return false;
    }
    return true;
}

bool hrt_unpack_status(const struct hrt_frame *frame, struct hrt_status *status)
{
    const uint8_t *data = frame->data;
    if (frame->length == 0 || frame->length != status_length(frame->id))
        return false;
    switch (frame->id) {
    case HRT_BELT_ENCODERS:
        status->left_mm = get32(data, 0.01);
        status->right_mm = get32(data + 4, 0.01);
        status->received |= HRT_RECEIVED_ENCODERS;
        break;
    case HRT_BELT_MOTION:
        status->left_mm_s = get16(data, 0.1);
        status->right_mm_s = get16(data + 2, 0.1);
        status->clock_s = (double)get(data + 4, 4) * 1e-4;
        status->received |= HRT_RECEIVED_MOTION;
        break;
    case HRT_FLIPPER_ANGLES:
        for (int i = 0; i < 4; i++)
            status->flippers_deg[i] = get16(data + 2 * i, 0.01);
        status->received |= HRT_RECEIVED_FLIPPERS;
        break;
    case HRT_POSTURE:
        status->roll_deg = get16(data, 0.01);
        status->pitch_deg = get16(data + 2, 0.01);
        status->yaw_deg = get16(data + 4, 0.01);
        status->received |= HRT_RECEIVED_POSTURE;
        break;
    case HRT_BATTERY_LEFT:
        status->battery_s = get(data, 2) == UNKNOWN_BATTERY ? -1 : (int)get(data, 2);
        status->received |= HRT_RECEIVED_BATTERY;
        break;
    default: /* HRT_HEALTH: the only remaining frame with a length */
        status->flags = data[0];
        status->stalled = data[1];
        for (int i = 0; i < 4; i++)
            status->wrong[i] = data[2 + i];
        status->received |= HRT_RECEIVED_HEALTH;
        break;
    }
    return true;
}
