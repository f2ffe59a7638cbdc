// Session of unmodified roslib (npm): lists, drives three robots, reads sensors, calls services.
// Arguments: address of the module, address of the server, robots with commas between them.
const [module, url, names] = process.argv.slice(2);
const ROSLIB = await import(module);
const robots = names.split(",");
const ros = new ROSLIB.Ros({});
const opened = new Promise((resolve, reject) => {
  ros.on("connection", resolve);
  ros.on("error", (error) => reject(new Error(`refused: ${error.message ?? error}`)));
});
ros.on("close", () => {});

function until(condition) {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (condition()) {
        clearInterval(timer);
        resolve();
      }
    }, 20);
  });
}

function call(name, serviceType) {
  const service = new ROSLIB.Service({ ros, name, serviceType });
  return new Promise((resolve, reject) => service.callService({}, resolve, reject));
}

try {
  await ros.connect(url);
  await opened;
} catch (error) {
  console.log(JSON.stringify({ refused: error.message }));
  process.exit(0);
}

const { topics, types } = await new Promise((resolve, reject) => ros.getTopics(resolve, reject));
const kinds = Object.fromEntries(topics.map((topic, index) => [topic, types[index]]));
const services = await new Promise((resolve, reject) => ros.getServices(resolve, reject));

const last = {};
const count = {};
const lags = [];
function subscribe(name, more = {}) {
  if (!kinds[name]) throw new Error(`no ${name} in ${topics}`);
  const topic = new ROSLIB.Topic({ ros, name, messageType: kinds[name], ...more });
  topic.subscribe((message) => {
    last[name] = message;
    count[name] = (count[name] ?? 0) + 1;
    if (name.endsWith("/compressed") && last["/clock"]) {
      lags.push(seconds(last["/clock"].clock) - seconds(message.header.stamp));
    }
  });
  return topic;
}
const seconds = (stamp) => stamp.secs + 1e-9 * stamp.nsecs;

const subscribed = ["/clock", "/tf"].map((name) => subscribe(name));
for (const robot of robots) {
  for (const kind of ["odom", "joint_states", "imu", "camera/camera/image/compressed"]) {
    subscribed.push(subscribe(`/${robot}/${kind}`));
  }
  subscribed.push(subscribe(`/${robot}/scan/laser`, { compression: "cbor" }));
}
await until(() => subscribed.every((topic) => last[topic.name]));

const x = (robot) => last[`/${robot}/odom`].pose.pose.position.x;
const start = Object.fromEntries(robots.map((robot) => [robot, x(robot)]));
const drives = robots.map(
  (robot) => new ROSLIB.Topic({ ros, name: `/${robot}/cmd_vel`, messageType: "geometry_msgs/Twist" }),
);
drives.forEach((drive) => drive.advertise());
const driving = setInterval(() => {
  const twist = { linear: { x: 0.3, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } };
  drives.forEach((drive) => drive.publish(twist));
}, 100);
await until(() => robots.every((robot) => x(robot) > start[robot] + 0.3));
clearInterval(driving);
drives.forEach((drive) => drive.unadvertise());
await until(() => robots.every((robot) => count[`/${robot}/camera/camera/image/compressed`] >= 60));

const answers = {};
for (const robot of robots) {
  for (const name of ["path_plan", "path_found", "best_path", "reset_pose", "drive", "drive_time", "energy_used"]) {
    answers[`${robot}/${name}`] = await call(`/${robot}/${name}`, "std_srvs/Trigger");
  }
}
for (const name of ["pause", "resume", "reset"]) {
  answers[name] = await call(`/${name}`, "std_srvs/Empty");
}
const scan = last[`/${robots[0]}/scan/laser`];
const picture = last[`/${robots[0]}/camera/camera/image/compressed`];
lags.sort((a, b) => a - b);
console.log(
  JSON.stringify({
    kinds, services, answers, count,
    ranges: scan.ranges.length,
    picture: { format: picture.format, data: picture.data.slice(0, 8) },
    frames: last["/tf"].transforms.map((transform) => transform.child_frame_id),
    joints: last[`/${robots[0]}/joint_states`].name,
    lags: { median: lags[lags.length >> 1], p99: lags[Math.floor(0.99 * lags.length)] },
  }),
);
process.exit(0);
