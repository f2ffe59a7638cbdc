// Session of Foxglove's own client (@foxglove/ws-protocol): reads, drives, calls a service.
import pkg from "@foxglove/ws-protocol";
import { WebSocket } from "ws";

const { FoxgloveClient } = pkg;
const socket = new WebSocket(process.argv[2], [FoxgloveClient.SUPPORTED_SUBPROTOCOL]);
const client = new FoxgloveClient({ ws: socket });
const got = { topics: [], services: [], counts: {}, errors: [], times: 0 };
const channels = {};
const services = {};
const wanted = ["/own/odom", "/own/joint_states", "/tf"];
const names = {};
let start, x;

client.on("error", (error) => got.errors.push(String(error)));
client.on("status", (status) => got.errors.push(status.message));
client.on("serverInfo", (info) => (got.info = info));
client.on("time", () => got.times++);
client.on("advertise", (added) => {
  for (const channel of added) channels[channel.topic] = channel;
  got.topics = Object.keys(channels);
  for (const topic of wanted) {
    if (!(topic in got.counts)) names[client.subscribe(channels[topic].id)] = topic;
    got.counts[topic] ??= 0;
  }
});
client.on("advertiseServices", (added) => {
  for (const service of added) services[service.name] = service.id;
  got.services = Object.keys(services);
});
client.on("message", ({ subscriptionId, data }) => {
  const topic = names[subscriptionId];
  got.counts[topic]++;
  if (topic === "/own/odom") {
    x = pose_x(data);
    start ??= x;
  }
});

// CDR of nav_msgs/Odometry: header of 4 bytes, stamp, two texts, padding to 8, position.
function pose_x(data) {
  let at = 12;
  for (let n = 0; n < 2; n++) {
    at = 4 + Math.ceil((at - 4) / 4) * 4;
    at += 4 + data.getUint32(at, true);
  }
  return data.getFloat64(4 + Math.ceil((at - 4) / 8) * 8, true);
}

function until(condition) {
  return new Promise((resolve) => {
    const timer = setInterval(() => condition() && (clearInterval(timer), resolve()), 20);
  });
}

await until(() => x !== undefined && services["/own/reset_pose"]);
const channel = client.advertise({
  topic: "/own/cmd_vel", encoding: "json", schemaName: "geometry_msgs/Twist",
});
const twist = { linear: { x: 0.4, y: 0, z: 0 }, angular: { x: 0, y: 0, z: 0 } };
client.sendMessage(channel, new TextEncoder().encode(JSON.stringify(twist)));
await until(() => x > start + 0.3 && wanted.every((topic) => got.counts[topic] > 10));
got.moved = x - start;
client.unadvertise(channel);
const answered = new Promise((resolve) => client.on("serviceCallResponse", resolve));
client.sendServiceCallRequest({
  serviceId: services["/own/reset_pose"], callId: 7, encoding: "cdr",
  data: new DataView(new ArrayBuffer(0)),
});
const { data } = await answered;
got.answer = new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0)[4];
console.log(JSON.stringify(got));
process.exit(0);
