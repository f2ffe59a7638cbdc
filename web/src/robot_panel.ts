// Panel of one robot: state, driving, joints, cameras, sensors.

import { DriveInput } from "./drive";
import { el, fill, fixed, text } from "./dom";
import { drawScan, LivePlot } from "./plots";
import type { Connection, Picture, Robot, State } from "./protocol";

const DEG = 180 / Math.PI;
const MOST_SERIES = 6;
const SHOWN = 8; // numbers of an array that are shown as text

interface SensorRow { row: HTMLDetailsElement; value: HTMLElement; body: HTMLElement; plot: LivePlot | null; scan: HTMLCanvasElement | null }

export class RobotPanel {
  readonly host = el("section", { class: "panel", "aria-label": "Robot" });
  readonly input: DriveInput;
  robot: Robot | null = null;
  onselect: (robot: Robot) => void = () => {};
  private robots: Robot[] = [];
  private chips = el("div", { class: "chips", role: "tablist", "aria-label": "Robots" });
  private head = el("div", { class: "facts" });
  private take = el("button", { class: "primary", onclick: () => this.toggle() }, "Drive");
  private forced = el("button", { hidden: true, title: "Take the robot from its present driver", onclick: () => this.send("take", { robot: this.robot!.name, by_force: true }) }, "Take over");
  private holder = el("span", { class: "dim" });
  private pad = el("div", { class: "pad" });
  private joints = el("div", { class: "joints" });
  private cameras = el("div", { class: "tiles" });
  private sensors = el("div", { class: "sensors" });
  private facts: Record<string, HTMLElement> = {};
  private rows = new Map<string, SensorRow>();
  private tiles = new Map<string, HTMLImageElement>();
  private pending = new Map<string, Blob>();
  private decoding = new Set<string>();
  private sliders: { drives: string[]; input: HTMLInputElement; value: HTMLElement }[] = [];
  private power = new LivePlot(72);
  private driving: string[] = [];
  private open = new Set<string>();

  constructor(private connection: () => Connection, private role: () => string, private pictures: () => boolean) {
    this.input = new DriveInput((throttle, rudder) => {
      if (this.robot && this.driving.includes(this.robot.name)) this.send("drive", { robot: this.robot.name, throttle, rudder });
    });
    for (const [key, label] of [["x", "x"], ["y", "y"], ["z", "z"], ["yaw", "yaw"], ["pitch", "pitch"], ["roll", "roll"], ["energy", "energy"], ["power", "power"], ["charge", "battery"]]) {
      this.facts[key] = el("dd", {}, "–");
      this.head.append(el("div", { class: `fact ${key}` }, el("dt", {}, label), this.facts[key]));
    }
    const speed = el("input", { type: "range", min: "0.1", max: "1", step: "0.05", value: String(this.input.scale), "aria-label": "Speed of the keyboard", oninput: () => { this.input.scale = Number(speed.value); text(share, `${Math.round(100 * this.input.scale)} %`); } });
    const share = el("output", {}, "60 %");
    this.pad.append(this.input.stick, el("div", { class: "padside" },
      el("p", { class: "keys" }, el("kbd", {}, "W"), el("kbd", {}, "A"), el("kbd", {}, "S"), el("kbd", {}, "D"), " hold to drive"),
      el("label", { class: "row" }, "Speed ", speed, share),
      el("button", { class: "stop", onclick: () => { this.input.stop(); this.send("drive", { robot: this.robot!.name, throttle: 0, rudder: 0 }); } }, "Stop")));
    this.host.append(this.chips, this.head, this.power.host,
      el("div", { class: "row drivebar" }, this.take, this.forced, this.holder), this.pad, this.joints, this.cameras, this.sensors);
  }

  private send(op: string, content: Record<string, unknown>): void { this.connection().send(op, content); }

  setRobots(robots: Robot[]): void {
    this.robots = robots;
    const same = robots.find((robot) => robot.name === this.robot?.name) ?? robots[0] ?? null;
    fill(this.chips, ...robots.map((robot) => el("button", { role: "tab", class: "chip", onclick: () => this.select(robot) }, robot.name)));
    if (same) this.select(same);
    else fill(this.holder, "This world has no robot.");
  }

  select(robot: Robot): void {
    const changed = robot.name !== this.robot?.name;
    this.input.stop();
    this.robot = robot;
    [...this.chips.children].forEach((chip, i) => chip.setAttribute("aria-selected", String(this.robots[i] === robot)));
    this.build(robot);
    this.watch();
    if (changed) this.onselect(robot);
  }

  readonly overlays = { contacts: false, rays: false, points: false };
  watch(): void { if (this.robot) this.send("watch", { robot: this.robot.name, ...this.overlays }); }

  private build(robot: Robot): void {
    this.rows.clear();
    this.tiles.clear();
    this.pending.clear();
    this.sliders = [];
    fill(this.joints);
    const grouped = new Set<string>();
    const add = (label: string, drives: string[]): void => {
      const first = robot.drives.find((drive) => drive.name === drives[0])!;
      const [low, high] = first.limits ?? [-Math.PI, Math.PI];
      const value = el("output", {}, "–");
      const input = el("input", {
        type: "range", min: (low * DEG).toFixed(1), max: (high * DEG).toFixed(1), step: "0.5", "aria-label": `Angle of ${label}`,
        oninput: () => this.send("order", { robot: robot.name, command: Object.fromEntries(drives.map((drive) => [`${drive}_angle`, Number(input.value) / DEG])) }),
      });
      this.sliders.push({ drives, input, value });
      this.joints.append(el("label", { class: "joint" }, el("span", {}, label), input, value));
    };
    for (const [group, names] of Object.entries(robot.groups)) {
      const own = robot.drives.filter((drive) => names.includes(drive.name));
      if (!own.length || own.some((drive) => drive.rolls)) continue;
      names.forEach((name) => grouped.add(name));
      add(group, names);
    }
    for (const drive of robot.drives) if (!drive.rolls && !drive.gait && !grouped.has(drive.name)) add(drive.name, [drive.name]);
    for (const name of robot.inputs) {
      if (name === "kick")
        this.joints.append(el("div", { class: "row" }, el("span", {}, "Kick"),
          el("button", { onclick: () => this.send("order", { robot: robot.name, command: { kick: 1 } }) }, "left paw"),
          el("button", { onclick: () => this.send("order", { robot: robot.name, command: { kick: -1 } }) }, "right paw")));
      else if (name === "sideways")
        this.joints.append(el("div", { class: "row" }, el("span", {}, "Sideways"),
          el("button", { onclick: () => this.send("order", { robot: robot.name, command: { sideways: 0.1 } }) }, "left"),
          el("button", { onclick: () => this.send("order", { robot: robot.name, command: { sideways: -0.1 } }) }, "right")));
    }
    fill(this.cameras);
    const cameras = robot.sensors.filter((sensor) => sensor.size);
    if (this.pictures())
      for (const camera of cameras) {
        const image = el("img", { alt: "", width: camera.size![0], height: camera.size![1] });
        this.tiles.set(camera.name, image);
        this.cameras.append(el("figure", {}, image, el("figcaption", {}, camera.name)));
        this.send("camera", { robot: robot.name, camera: camera.name, on: true });
      }
    fill(this.sensors);
    for (const sensor of robot.sensors) {
      if (sensor.size || (sensor.kind === "truth" && this.role() === "operator")) continue;
      const value = el("span", { class: "value" }, "–"), body = el("div", { class: "sensor" });
      const row = el("details", { open: this.open.has(sensor.name), ontoggle: () => { if (row.open) this.open.add(sensor.name); else this.open.delete(sensor.name); } }, el("summary", {}, el("b", {}, sensor.name), value), body);
      this.rows.set(sensor.name, { row, value, body, plot: null, scan: null });
      this.sensors.append(row);
    }
  }

  setDriving(robots: string[]): void {
    const before = this.driving;
    this.driving = robots;
    const mine = this.robot !== null && robots.includes(this.robot.name);
    if (mine && !before.includes(this.robot!.name) && this.pictures())
      for (const camera of this.tiles.keys()) this.send("camera", { robot: this.robot!.name, camera, on: true });
    this.input.active = mine;
    if (!mine) this.input.stop();
  }

  private toggle(): void {
    if (!this.robot) return;
    if (this.driving.includes(this.robot.name)) {
      this.input.stop();
      this.send("release", { robot: this.robot.name });
    } else this.send("take", { robot: this.robot.name });
  }

  addPicture(picture: Picture): void {
    const image = this.tiles.get(picture.camera);
    if (!image || picture.robot !== this.robot?.name) return;
    this.pending.set(picture.camera, picture.jpeg);
    if (!this.decoding.has(picture.camera)) void this.showPicture(picture.camera, image);
  }

  /** Show the newest picture of a camera; those that come while one is decoded replace each other. */
  private async showPicture(camera: string, image: HTMLImageElement): Promise<void> {
    this.decoding.add(camera);
    for (let jpeg = this.pending.get(camera); jpeg; jpeg = this.pending.get(camera)) {
      this.pending.delete(camera);
      const old = image.src;
      image.src = URL.createObjectURL(jpeg);
      await image.decode().catch(() => undefined); // the tile is gone
      image.alt = `Camera ${camera}`; // before, the browser would show the icon of a missing picture
      if (old.startsWith("blob:")) URL.revokeObjectURL(old);
    }
    this.decoding.delete(camera);
  }

  update(state: State): void {
    const robot = this.robot;
    if (!robot) return;
    const mine = this.driving.includes(robot.name), holder = state.holders[robot.name], free = !holder || mine;
    const may = this.role() !== "spectator" && robot.drivable;
    this.input.active = mine;
    this.take.hidden = !may;
    this.forced.hidden = free || this.role() !== "trainer";
    text(this.take, mine ? "Stop driving" : free ? "Drive" : "Request");
    this.take.setAttribute("aria-pressed", String(mine));
    text(this.holder, mine ? "you drive" : holder ? `driven by ${holder}` : "not driven");
    this.pad.classList.toggle("off", !mine);
    this.joints.classList.toggle("off", !mine);
    for (const { input } of this.sliders) input.disabled = !mine;
    const own = state.robots[robot.name];
    if (own) {
      const [x, y, z] = own.p ?? [], [roll, pitch, yaw] = own.rpy ?? [];
      const show = (key: string, value: number | undefined, digits: number, unit: string): void => text(this.facts[key], value === undefined ? "–" : `${fixed(value, digits)} ${unit}`);
      show("x", x, 3, "m"); show("y", y, 3, "m"); show("z", z, 3, "m");
      show("roll", roll, 1, "°"); show("pitch", pitch, 1, "°"); show("yaw", yaw, 1, "°");
      show("energy", own.energy, own.energy < 100 ? 1 : 0, "J"); show("power", own.power, 1, "W");
      show("charge", own.charge === undefined ? undefined : 100 * own.charge, 0, "%");
      if (!state.paused) this.power.add(state.time, [own.power], ["power"]);
      this.power.draw();
    }
    if (state.watched?.robot !== robot.name) return;
    for (const { drives, input, value } of this.sliders) {
      const angle = state.watched.angles[drives[0]] * DEG;
      text(value, `${fixed(angle, 0)}°`);
      if (!mine || document.activeElement !== input) input.value = angle.toFixed(1);
    }
    for (const [name, { time, values }] of Object.entries(state.watched.sensors)) this.updateSensor(name, time, values);
  }

  private updateSensor(name: string, time: number, values: Record<string, unknown>): void {
    const row = this.rows.get(name);
    if (!row) return;
    const flat: [string, number][] = [];
    let ranges: number[] | null = null;
    for (const [key, value] of Object.entries(values)) {
      const numbers = (Array.isArray(value) ? value.flat(3) : [value]).filter((one): one is number => typeof one === "number");
      if (numbers.length > 32) ranges = numbers;
      else numbers.forEach((number, i) => flat.push([numbers.length > 1 ? `${key} ${i + 1}` : key, number]));
    }
    const shown = flat.slice(0, 3).map(([, number]) => fixed(number, Math.abs(number) < 100 ? 2 : 0)).join("  ");
    text(row.value, shown || (ranges ? `${ranges.length} beams` : "–"));
    if (flat.length) {
      row.plot ??= new LivePlot();
      const series = flat.slice(0, MOST_SERIES);
      row.plot.add(time, series.map(([, number]) => number), series.map(([key]) => key));
    }
    if (!row.row.open) return;
    if (row.plot && !row.plot.host.isConnected) row.body.append(row.plot.host, el("p", { class: "dim" }, flat.slice(0, SHOWN).map(([key]) => key).join(", ")));
    if (ranges) {
      row.scan ??= el("canvas", { width: 280, height: 150, class: "scan" });
      if (!row.scan.isConnected) row.body.append(row.scan);
      drawScan(row.scan, ranges);
    }
    row.plot?.draw();
  }

  restyle(): void {
    this.power.restyle();
    for (const row of this.rows.values()) row.plot?.restyle();
  }
}
