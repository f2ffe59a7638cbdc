/* PackBot with 2 x 40 grousers and belt roll-back in ODE: flat ground, 0.3 m/s, steps of 1 ms.
 *
 *   cc -O2 -o ode_packbot tools/ode_packbot.c -lode -lm        (Debian: libode-dev)
 *   ./ode_packbot SECONDS quick|direct ITERATIONS box|capsule
 *
 * Prints the real-time factor in processor time, for the comparison in docs/appendix/okada.md.
 * Each belt has four links on motors: two runs on sliders, two arcs on hinges, as Grouser's.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define TIMESTEP 0.001
#define SPEED 0.3
#define PITCH 0.03838052987971815
#define RADIUS 0.082        /* of the belt's arcs, m */
#define HALF_RUN 0.255      /* half of the length of a run, m */
#define GROUSERS 40
#define OUT 0.00475         /* centre of a grouser above the belt, m */
#define MOTOR_FORCE 200.0
#define PI 3.14159265358979323846
enum { LINKS = 8, POINTS = 8, SETTLING = 1000 };

struct link {
  dBodyID body;
  dJointID joint;
  int slides;
};

static dWorldID world;
static dJointGroupID contacts;
static struct link links[LINKS];
static long touching;

static void collide(void *unused, dGeomID first, dGeomID second) {
  dContact found[POINTS];
  (void)unused;
  int count = dCollide(first, second, POINTS, &found[0].geom, sizeof(dContact));
  for (int i = 0; i < count; i++) {
    found[i].surface.mode = dContactApprox1 | dContactSoftERP | dContactSoftCFM;
    found[i].surface.mu = 0.6;
    found[i].surface.soft_erp = 0.2;
    found[i].surface.soft_cfm = 1e-5;
    dJointAttach(dJointCreateContact(world, contacts, found + i), dGeomGetBody(first),
                 dGeomGetBody(second));
    touching++;
  }
}

/* Return the travel of a link, metres of belt. */
static double travel(const struct link *link) {
  return link->slides ? dJointGetSliderPosition(link->joint)
                      : dJointGetHingeAngle(link->joint) * RADIUS;
}

/* Move a link back by one pitch if it has moved by half a pitch. */
static void roll_back(struct link *link) {
  double at = travel(link), back = at > 0 ? -PITCH : PITCH;
  dVector3 axis;
  if (fabs(at) <= PITCH / 2) return;
  if (link->slides) {
    const dReal *p = dBodyGetPosition(link->body);
    dJointGetSliderAxis(link->joint, axis);
    dBodySetPosition(link->body, p[0] - axis[0] * back, p[1] - axis[1] * back,
                     p[2] - axis[2] * back);
  } else {
    dQuaternion turn, turned;
    dJointGetHingeAxis(link->joint, axis);
    dQFromAxisAndAngle(turn, axis[0], axis[1], axis[2], -back / RADIUS);
    dQMultiply0(turned, turn, dBodyGetQuaternion(link->body));
    dBodySetQuaternion(link->body, turned);
  }
  if (fabs(travel(link)) > fabs(at)) {
    fprintf(stderr, "a link rolls the wrong way\n");
    exit(1);
  }
}

static void add_link(struct link *link, dBodyID robot, int part, double y, double height) {
  double x = part == 0 ? -HALF_RUN : part == 2 ? HALF_RUN : 0;
  double z = part == 1 ? RADIUS : part == 3 ? -RADIUS : 0;
  dMass mass;
  link->slides = part % 2;
  link->body = dBodyCreate(world);
  dMassSetBoxTotal(&mass, 0.25, link->slides ? 0.5 : 0.16, 0.075, link->slides ? 0.02 : 0.16);
  dBodySetMass(link->body, &mass);
  dBodySetPosition(link->body, x, y, height + z);
  if (link->slides) {
    link->joint = dJointCreateSlider(world, 0);
    dJointAttach(link->joint, robot, link->body);
    dJointSetSliderAxis(link->joint, 1, 0, 0);
    dJointSetSliderParam(link->joint, dParamVel, part == 1 ? -SPEED : SPEED);
    dJointSetSliderParam(link->joint, dParamFMax, MOTOR_FORCE);
  } else {
    link->joint = dJointCreateHinge(world, 0);
    dJointAttach(link->joint, robot, link->body);
    dJointSetHingeAnchor(link->joint, x, y, height);
    dJointSetHingeAxis(link->joint, 0, 1, 0);
    dJointSetHingeParam(link->joint, dParamVel, -SPEED / RADIUS);
    dJointSetHingeParam(link->joint, dParamFMax, MOTOR_FORCE * RADIUS);
  }
}

static void add_grouser(dSpaceID space, struct link *link, int capsule, double x, double z,
                        double tilt) {
  dMatrix3 turned;
  dGeomID geom;
  if (capsule) { /* the rounded tip lies across the belt */
    geom = dCreateCapsule(space, 0.0025, 0.07);
    dRFromAxisAndAngle(turned, 1, 0, 0, PI / 2);
  } else {
    geom = dCreateBox(space, 0.005, 0.075, 0.0095);
    dRFromAxisAndAngle(turned, 0, 1, 0, tilt);
  }
  dGeomSetBody(geom, link->body);
  dGeomSetOffsetPosition(geom, x, 0, z);
  dGeomSetOffsetRotation(geom, turned);
}

/* Add a belt's grousers along its path, from the bottom of the rear arc upwards. */
static void add_grousers(dSpaceID space, struct link *belt, int capsule) {
  double run = 2 * HALF_RUN, arc = PI * RADIUS, out = RADIUS + OUT;
  for (int i = 0; i < GROUSERS; i++) {
    double s = (i + 0.5) * 2 * (run + arc) / GROUSERS, angle;
    if (s < arc) {
      angle = PI + s / RADIUS;
      add_grouser(space, belt, capsule, out * sin(angle), out * cos(angle), angle);
    } else if (s < arc + run) {
      add_grouser(space, belt + 1, capsule, s - arc - HALF_RUN, OUT, 0);
    } else if (s < 2 * arc + run) {
      angle = (s - arc - run) / RADIUS;
      add_grouser(space, belt + 2, capsule, out * sin(angle), out * cos(angle), angle);
    } else {
      add_grouser(space, belt + 3, capsule, HALF_RUN - (s - 2 * arc - run), -OUT, 0);
    }
  }
}

static double processor_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

int main(int argc, char **argv) {
  if (argc != 5) {
    fprintf(stderr, "usage: %s SECONDS quick|direct ITERATIONS box|capsule\n", argv[0]);
    return 2;
  }
  long steps = (long)(atof(argv[1]) / TIMESTEP);
  int quick = !strcmp(argv[2], "quick"), capsule = !strcmp(argv[4], "capsule");
  dInitODE2(0);
  dAllocateODEDataForThread(dAllocateMaskAll);
  world = dWorldCreate();
  contacts = dJointGroupCreate(0);
  dWorldSetGravity(world, 0, 0, -9.81);
  dWorldSetCFM(world, 1e-7);
  dWorldSetQuickStepNumIterations(world, atoi(argv[3]));
  dSpaceID space = dSimpleSpaceCreate(0);
  dGeomID ground = dCreatePlane(0, 0, 0, 1, 0);
  double height = RADIUS + 0.008;
  dBodyID robot = dBodyCreate(world);
  dMass mass;
  dMassSetBoxTotal(&mass, 17.0, 0.51, 0.246, 0.126);
  dBodySetMass(robot, &mass);
  dBodySetPosition(robot, 0, 0, height);
  for (int side = 0; side < 2; side++) {
    for (int part = 0; part < 4; part++)
      add_link(links + 4 * side + part, robot, part, side ? 0.1655 : -0.1655, height);
    add_grousers(space, links + 4 * side, capsule);
  }
  double start = 0, begin = 0;
  for (long step = 0; step < steps + SETTLING; step++) {
    if (step == SETTLING) {
      touching = 0;
      begin = dBodyGetPosition(robot)[0];
      start = processor_time();
    }
    dSpaceCollide2(ground, (dGeomID)space, 0, collide);
    if (quick)
      dWorldQuickStep(world, TIMESTEP);
    else
      dWorldStep(world, TIMESTEP);
    dJointGroupEmpty(contacts);
    for (int i = 0; i < LINKS; i++) roll_back(links + i);
  }
  double used = processor_time() - start, seconds = (double)steps * TIMESTEP;
  printf("%.2f times real time, %.1f us per step, %.1f points in contact, %.3f m/s\n",
         seconds / used, used / (double)steps * 1e6, (double)touching / (double)steps,
         (dBodyGetPosition(robot)[0] - begin) / seconds);
  return 0;
}
