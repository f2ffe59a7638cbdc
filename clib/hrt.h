/* The robot library of Kenaf: the calls of Kurose et al. 2008 (sec. II-C, fig. 17), and what a real
 * robot's library has besides.
 *
 * A program is linked with libhrt_sim (a simulator) or with libhrt_can (motors on a CAN bus), and is
 * not changed for it. The environment variable HRT_LINK says where the robot is:
 *
 *     usarsim://127.0.0.1:3000              libhrt_sim   a server's control port (the default there)
 *     udp://127.0.0.1:3010                  libhrt_sim   datagrams to `grouser bridge`
 *     can0                                  libhrt_can   SocketCAN (the default there)
 *     socketcand://127.0.0.1:29536/can0     libhrt_can   a CAN bus over TCP
 *
 * Lengths are millimetres, angles degrees. Forwards, to the left and up are positive; flippers are
 * up positive, all four. Calls return 0 or one of HRT_* below; what went wrong is printed as well.
 *
 * Nothing runs behind a program's back: belts are told again and again while a call waits, and stop
 * 0.3 s after the last one has returned. hrt_wait keeps them running. One robot per process. */
#ifndef HRT_H
#define HRT_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HRT_OK = 0,
    HRT_NOT_OPEN = -1,  /* hrt_kenaf_init was not called, or has failed */
    HRT_NO_LINK = -2,   /* there is no way to the robot */
    HRT_NO_STATUS = -3, /* the robot says nothing */
    HRT_STALLED = -4,   /* the belts or flippers do not move */
    HRT_SLIDING = -5,   /* the belts run and the robot does not turn */
    HRT_BAD_VALUE = -6, /* a value is outside what is allowed */
    HRT_RESTARTED = -7  /* the robot has started anew */
};

/* What the robot warns of: bits of hrt_get_warnings. */
enum {
    HRT_SILENT = 1,      /* no valid command for 0.3 s: the belts were stopped */
    HRT_STOPPED = 2,     /* stopped by a Stop command */
    HRT_NO_ROBOT = 4,    /* the motors do not answer */
    HRT_NO_POSTURE = 8,  /* posture is not known */
    HRT_EMPTY = 16       /* the battery is empty */
};

/* The paper's calls. */
int hrt_kenaf_init(void);        /* open the link, wait until the robot has said how it is */
int hrt_show_status(void);       /* print how it is */
int hrt_go_forward(double mm);   /* straight, by the encoders; below 0: backwards */
int hrt_turning(double deg);     /* on the spot, by posture; to the left positive */
int hrt_stop(void);              /* all six motors stand still */

/* What a real one has. */
int hrt_set_pace(double mm_s);   /* of hrt_go_forward: 10 to 500; hrt_turning has half of it */
int hrt_set_speeds(double left_mm_s, double right_mm_s);
int hrt_set_flippers(double front_left, double front_right, double rear_left, double rear_right);
int hrt_move_flippers(double front_left, double front_right, double rear_left, double rear_right);
int hrt_aim_camera(double pan_deg, double tilt_deg);
int hrt_wait(double seconds);    /* belts that were told to run keep running */

int hrt_get_encoders(double *left_mm, double *right_mm);
int hrt_get_speeds(double *left_mm_s, double *right_mm_s);
int hrt_get_flippers(double deg[4]);
int hrt_get_posture(double *roll_deg, double *pitch_deg, double *yaw_deg); /* pitch: nose down */
int hrt_get_battery(int *seconds);     /* -1: nobody knows */
int hrt_get_slide(double *share);      /* of the belts' way in the last turn; below 0: none yet */
int hrt_get_warnings(unsigned *bits);

int hrt_error(void);                   /* what the last call returned */
const char *hrt_error_text(int code);  /* in words */
void hrt_close(void);                  /* leave the robot; the end of the program does so, too */

#ifdef __cplusplus
}
#endif
#endif
