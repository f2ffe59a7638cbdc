/* Robot library of Kenaf: the calls of Kurose et al. 2008 (sec. II-C, fig. 17), and further calls
 * that a real robot needs.
 *
 * The same program is linked with libhrt_sim (simulator) or libhrt_can (motors on a CAN bus). The
 * environment variable HRT_LINK is the address of the robot:
 *
 *     usarsim://127.0.0.1:3000              libhrt_sim   a server's control port (the default there)
 *     udp://127.0.0.1:3010                  libhrt_sim   datagrams to `grouser bridge`
 *     can0                                  libhrt_can   SocketCAN (the default there)
 *     socketcand://127.0.0.1:29536/can0     libhrt_can   a CAN bus over TCP
 *
 * Lengths are millimetres, angles degrees. Forwards, to the left and up are positive; flippers are
 * up positive, all four. Calls return 0 or one of HRT_* below; errors are also printed to stderr.
 *
 * There is no background thread: belt commands are repeated while a call waits, and the belts stop
 * 0.3 s after the last call has returned. hrt_wait keeps them running. One robot per process. */
#ifndef HRT_H
#define HRT_H

#ifdef __cplusplus
extern "C" {
#endif

enum {
    HRT_OK = 0,
    HRT_NOT_OPEN = -1,  /* hrt_kenaf_init was not called, or has failed */
    HRT_NO_LINK = -2,   /* no link to the robot */
    HRT_NO_STATUS = -3, /* no status from the robot */
    HRT_STALLED = -4,   /* the belts or flippers do not move */
    HRT_SLIDING = -5,   /* the belts run and the robot does not turn */
    HRT_BAD_VALUE = -6, /* a value is out of range */
    HRT_RESTARTED = -7  /* the robot has restarted */
};

/* Warnings of the robot: bits of hrt_get_warnings. */
enum {
    HRT_SILENT = 1,      /* no valid command for 0.3 s: the belts were stopped */
    HRT_STOPPED = 2,     /* stopped by a Stop command */
    HRT_NO_ROBOT = 4,    /* the motors do not answer */
    HRT_NO_POSTURE = 8,  /* posture is not known */
    HRT_EMPTY = 16       /* the battery is empty */
};

/* The paper's calls. */
int hrt_kenaf_init(void);        /* open the link, wait for the first status of the robot */
int hrt_show_status(void);       /* print the status */
int hrt_go_forward(double mm);   /* straight, by the encoders; negative: backwards */
int hrt_turning(double deg);     /* on the spot, by posture; to the left positive */
int hrt_stop(void);              /* stop all six motors */

/* Further calls. */
int hrt_set_pace(double mm_s);   /* of hrt_go_forward, 10 to 500; hrt_turning uses half of it */
int hrt_set_speeds(double left_mm_s, double right_mm_s);
int hrt_set_flippers(double front_left, double front_right, double rear_left, double rear_right);
int hrt_move_flippers(double front_left, double front_right, double rear_left, double rear_right);
int hrt_aim_camera(double pan_deg, double tilt_deg);
int hrt_zoom_camera(double view_deg); /* horizontal field of view; 0: default */
int hrt_wait(double seconds);    /* commanded belts keep running */

int hrt_get_encoders(double *left_mm, double *right_mm);
int hrt_get_speeds(double *left_mm_s, double *right_mm_s);
int hrt_get_flippers(double deg[4]);
int hrt_get_posture(double *roll_deg, double *pitch_deg, double *yaw_deg); /* pitch: nose down */
int hrt_get_battery(int *seconds);     /* -1: unknown */
int hrt_get_slide(double *share);      /* slip ratio in the last turn; negative: none yet */
int hrt_get_warnings(unsigned *bits);

int hrt_error(void);                   /* return value of the last call */
const char *hrt_error_text(int code);  /* description of the code */
void hrt_close(void);                  /* close the link; also called at the end of the program */

#ifdef __cplusplus
}
#endif
#endif
