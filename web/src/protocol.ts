// Protocol of the page, version 1: docs/reference/page-protocol.md.

export const VERSION = 1;

export interface Drive { name: string; rolls: boolean; limits: [number, number] | null; speed: number; gait: boolean }
export interface Sensor { name: string; kind: string; size?: [number, number] }
export interface Robot {
  name: string; kind: string; body: number; drivable: boolean; inputs: string[];
  drives: Drive[]; groups: Record<string, string[]>; sensors: Sensor[];
}
export interface View { lookat: [number, number, number]; distance: number; azimuth_deg: number; elevation_deg: number }
export interface Welcome {
  op: "welcome"; version: number; role: string; label: string; world: string; recorded: boolean;
  dead_man_s: number; robots: Robot[]; view: View; pictures: boolean;
}
export interface Geom {
  b: number; t: string; s: [number, number, number]; p: [number, number, number];
  q: [number, number, number, number]; c: number[]; m?: string; x?: number;
}
export interface Trigger { name: string; kind: string; position: [number, number, number]; size?: number[]; radius?: number; length?: number; yaw_deg?: number }
export interface Scene {
  op: "scene"; number: number; ghost?: boolean; world: string; description: string; quantum: number;
  bodies: [string, string][]; geoms: Geom[]; robots: Robot[]; objects: string[]; triggers: Trigger[];
}
export interface RobotState { p?: number[]; rpy?: number[]; energy: number; power: number; charge?: number }
export interface Watched {
  robot: string; angles: Record<string, number>;
  sensors: Record<string, { time: number; values: Record<string, unknown> }>;
}
export interface State {
  op: "state"; time: number; clock: number; paused: boolean; speed: number | null; factor: number; load?: number;
  begin: number; end: number; clients: string[]; holders: Record<string, string>;
  robots: Record<string, RobotState>; shown?: { time: number; rate: number };
  watched?: Watched; contacts?: number[][]; rays?: Rays[]; points?: number[]; at?: number;
  faults?: Record<string, { delay: number; jitter: number; loss: number }>; lamps?: Record<string, boolean>;
}
export interface Rays { sensor: string; from: [number, number, number]; to: [number, number, number][] }
/** Time of the session and of the world (s), kind, text. */
export type EventRow = [number, number, string, string];
export interface Fault { path: (string | number)[]; text: string }
export interface Answer {
  op: "answer"; id: number; text?: string; words?: string[]; error?: string;
  content?: Record<string, unknown>; yaml?: string; faults?: Fault[];
}
export interface PlanMessage {
  op: "plan"; robot: string; goal: [number, number]; busy: boolean; driving: boolean; why_not: string; result: string; source: string;
  paths: { points: number[][]; length: number; trials: number; successes: number; energy: number | null; score: number }[];
}
export type Message =
  | Welcome | Scene | State | Answer | PlanMessage
  | { op: "looks"; scene: number; colours: number[][]; daylight: number }
  | { op: "event"; at: number; time: number; kind: string; text: string }
  | { op: "history"; events: EventRow[] }
  | { op: "request"; robot: string; by: string }
  | { op: "driving"; robots: string[] }
  | { op: "error"; text: string };

export interface Poses { number: number; scene: number; time: number; key: boolean; past: boolean; ghost: boolean; moved: Uint16Array; words: DataView }
export interface Mesh { digest: string; vertices: Float32Array; faces: Uint32Array }
export interface Picture { robot: string; camera: string; time: number; jpeg: Blob }

const ROOT = Math.sqrt(0.5), TURN = 2047, HALF = 1 << 19;

/** Write position and orientation (x, y, z, w) of pose `index` of a frame to `into` at `at`. */
export function unpackPose(words: DataView, index: number, quantum: number, into: Float64Array, at: number): void {
  const first = words.getUint32(12 * index, true), second = words.getUint32(12 * index + 4, true);
  const third = words.getUint32(12 * index + 8, true);
  into[at] = ((first & 0xfffff) - HALF) * quantum;
  into[at + 1] = ((first >>> 20 | (second & 0xff) << 12) - HALF) * quantum;
  into[at + 2] = ((second >>> 8 & 0xfffff) - HALF) * quantum;
  const largest = second >>> 28 & 3;
  const raw = [third & 0x7ff, third >>> 11 & 0x7ff, third >>> 22 | (second >>> 30 & 1) << 10];
  const wxyz = [0, 0, 0, 0];
  let rest = 1;
  for (let i = 0, j = 0; i < 4; i++) {
    if (i === largest) continue;
    const part = (2 * raw[j++] / TURN - 1) * ROOT;
    wxyz[i] = part;
    rest -= part * part;
  }
  wxyz[largest] = Math.sqrt(Math.max(0, rest));
  const length = Math.hypot(...wxyz);
  into[at + 3] = wxyz[1] / length;
  into[at + 4] = wxyz[2] / length;
  into[at + 5] = wxyz[3] / length;
  into[at + 6] = wxyz[0] / length;
}

export function readPoses(view: DataView): Poses {
  const flags = view.getUint8(1), bodies = view.getUint16(2, true);
  const mask = 20, begin = mask + 4 * Math.ceil(bodies / 32);
  const moved = new Uint16Array((view.byteLength - begin) / 12);
  let found = 0;
  for (let body = 0; body < bodies; body++)
    if (view.getUint8(mask + (body >> 3)) >> (body & 7) & 1) moved[found++] = body;
  return {
    number: view.getUint32(4, true), scene: view.getUint32(8, true), time: view.getFloat64(12, true),
    key: (flags & 1) !== 0, past: (flags & 2) !== 0, ghost: (flags & 4) !== 0, moved,
    words: new DataView(view.buffer, view.byteOffset + begin),
  };
}

export function readMesh(data: ArrayBuffer): Mesh {
  const view = new DataView(data);
  const vertices = view.getUint32(4, true), faces = view.getUint32(8, true);
  const digest = [...new Uint8Array(data, 12, 32)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return {
    digest, vertices: new Float32Array(data, 44, 3 * vertices),
    faces: new Uint32Array(data, 44 + 12 * vertices, 3 * faces),
  };
}

export function readPicture(data: ArrayBuffer): Picture {
  const view = new DataView(data), text = new TextDecoder();
  const robot = view.getUint16(2, true), camera = view.getUint16(4, true);
  return {
    robot: text.decode(new Uint8Array(data, 14, robot)),
    camera: text.decode(new Uint8Array(data, 14 + robot, camera)),
    time: view.getFloat64(6, true), jpeg: new Blob([new Uint8Array(data, 14 + robot + camera)], { type: "image/jpeg" }),
  };
}

export interface Listener {
  message(message: Message): void;
  poses(poses: Poses): void;
  mesh(mesh: Mesh): void;
  picture(picture: Picture): void;
  closed(code: number, reason: string): void;
}

/** Websocket to the server; reconnects after a loss unless the server has refused the client. */
export class Connection {
  private socket: WebSocket | null = null;
  private next = 1;
  private waiting = new Map<number, (answer: Answer) => void>();

  constructor(private role: string, private token: string, private listener: Listener) { this.open(); }

  private open(): void {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const socket = this.socket = new WebSocket(`${scheme}://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    socket.onopen = () => this.send("hello", { version: VERSION, role: this.role, token: this.token });
    socket.onmessage = (event) => this.receive(event.data as string | ArrayBuffer);
    socket.onclose = (event) => {
      this.waiting.clear();
      this.listener.closed(event.code, event.reason);
      if (event.code < 4000) setTimeout(() => this.open(), 1000);
    };
  }

  private receive(data: string | ArrayBuffer): void {
    if (typeof data === "string") {
      const message = JSON.parse(data) as Message;
      if (message.op === "answer" && this.waiting.has(message.id)) {
        this.waiting.get(message.id)!(message);
        this.waiting.delete(message.id);
      } else this.listener.message(message);
      return;
    }
    const view = new DataView(data);
    switch (view.getUint8(0)) {
      case 1: return this.listener.poses(readPoses(view));
      case 2: return this.listener.mesh(readMesh(data));
      case 3: return this.listener.picture(readPicture(data));
    }
  }

  send(op: string, content: Record<string, unknown> = {}): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ op, ...content }));
  }

  /** Send a request with an answer. */
  ask(op: string, content: Record<string, unknown>): Promise<Answer> {
    const id = this.next++;
    return new Promise((resolve) => {
      this.waiting.set(id, resolve);
      this.send(op, { id, ...content });
    });
  }
}
