// The control room: watch, drive, replay.

import "uplot/dist/uPlot.min.css";
import "./page.css";
import { ConsolePanel } from "./console";
import { EditorPanel } from "./editor";
import { PlanPanel } from "./plan_panel";
import { FaultsPanel } from "./faults_panel";
import { clock, el, fill, remember, remembered, text } from "./dom";
import { Connection, type Message, type Scene, type State, type Welcome } from "./protocol";
import { RobotPanel } from "./robot_panel";
import { type CameraMode, type Picked, WorldView } from "./scene3d";
import { TimelineBar } from "./timeline";

const FORCE = 0.004; // m of a contact's line per newton
const ACK_EVERY = 8; // frames between two acknowledgements
const STALE = 0.5; // s without telemetry after which an operator is warned

const query = new URLSearchParams(location.search), fragment = new URLSearchParams(location.hash.slice(1));
const role = query.get("role") ?? "trainer";

let connection: Connection;
let welcome: Welcome | null = null;
let scene: Scene | null = null;
let state: State | null = null;
let received = 0, acknowledged = 0, drawn = 0;

const stage = el("main", { class: "stage" });
const view = new WorldView(stage, (digest) => connection.send("mesh", { digest }));
const robots = new RobotPanel(() => connection, () => welcome?.role ?? role, () => welcome?.pictures ?? false);
const consolePanel = new ConsolePanel(() => connection);
const editor = new EditorPanel(() => connection);
const plans = new PlanPanel(() => connection, () => robots.robot, view);
const faults = new FaultsPanel(() => connection, () => robots.robot);
const timeline = new TimelineBar(() => connection, view);

// -- header ----------------------------------------------------------------------------------------

const world = (order: string, value = 0): void => connection.send("world", { order, value });
const title = el("h1", {}, "Grouser");
const badge = el("span", { class: "badge" }, role);
const time = el("output", { class: "clock", "aria-label": "Simulated time" }, "0:00.0");
const play = el("button", { class: "trainer", title: "Play or pause (Space)", onclick: () => world(state?.paused ? "play" : "pause") }, "Pause");
const step = el("button", { class: "trainer", title: "Advance by 0.1 s", onclick: () => world("step", 0.1) }, "Step");
const reset = el("button", { class: "trainer", title: "Return to the start", onclick: () => world("reset") }, "Reset");
const speed = el("select", { class: "trainer", "aria-label": "Real-time factor", onchange: () => world("speed", Number(speed.value)) },
  ...["0.1", "0.25", "0.5", "1", "2", "4"].map((one) => el("option", { value: one, selected: one === "1" }, `${one} ×`)));
const factor = el("span", { class: "figure", title: "Simulated seconds per second" }), load = el("span", { class: "figure", title: "Share of a processor core" });
const clients = el("span", { class: "figure", title: "Clients of this page" });
const link = el("span", { class: "figure link", title: "Age of the last telemetry", hidden: true });
const away = el("span", { class: "figure", title: "Distance between the robots of both recordings", hidden: true });
const themeButton = el("button", { title: "Light or dark", "aria-label": "Light or dark", onclick: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark") }, "◐");
const header = el("header", {}, title, badge, el("span", { class: "mission" }, "Mission"), time, play, step, reset, speed, el("span", { class: "space" }), link, away, factor, load, clients, themeButton);

// -- view ------------------------------------------------------------------------------------------

const modes = el("div", { class: "modes", role: "group", "aria-label": "Camera" },
  ...(["orbit", "follow", "top", "robot"] as CameraMode[]).map((mode) => el("button", { "aria-pressed": String(mode === "orbit"), onclick: () => setMode(mode) }, mode[0].toUpperCase() + mode.slice(1))));
const overlays = el("div", { class: "modes overlays", role: "group", "aria-label": "Overlays" });
function overlay(name: string, set: (on: boolean) => void, stored: boolean): void {
  const button = el("button", { class: stored || name === "Triggers" ? "" : "live", "aria-pressed": "false", onclick: () => change(button.getAttribute("aria-pressed") !== "true") }, name);
  const change = (on: boolean): void => {
    button.setAttribute("aria-pressed", String(on));
    set(on);
    if (stored) remember(`overlay.${name}`, String(on));
  };
  overlays.append(button);
  if (stored && remembered(`overlay.${name}`, "false") === "true") change(true);
}
function sensed(key: "contacts" | "rays" | "points", clear: () => void): (on: boolean) => void {
  return (on) => {
    robots.overlays[key] = on;
    robots.watch();
    if (!on) clear();
  };
}
overlay("Contacts", sensed("contacts", () => view.setContacts(undefined, FORCE)), false);
overlay("Rays", sensed("rays", () => view.setRays([])), false);
overlay("Points", sensed("points", () => view.setPoints([])), false);
overlay("Triggers", (on) => view.showTriggers(on), false);
overlay("Shadows", (on) => view.setShadows(on), true);
const tip = el("div", { class: "tip", hidden: true, role: "status" });
const notice = el("div", { class: "notice", role: "alert", hidden: true });
stage.append(modes, overlays, tip, notice);

function setMode(mode: CameraMode): void {
  [...modes.children].forEach((button) => button.setAttribute("aria-pressed", String(button.textContent!.toLowerCase() === mode)));
  view.setMode(mode);
}

let noticeTimer = 0;
function show(message: string, seconds = 6): void {
  text(notice, message);
  notice.hidden = false;
  clearTimeout(noticeTimer);
  if (seconds) noticeTimer = window.setTimeout(() => { notice.hidden = true; }, 1000 * seconds);
}

let picked: Picked | null = null;
view.onpick = (found) => {
  if (found && plans.choosing) { plans.setGoal(found.point.x, found.point.y); return; }
  if (found && editor.active && !editor.host.hidden && editor.moveTo(found.point.x, found.point.y)) return;
  picked = found;
  const robot = welcome?.robots.find((one) => one.name === found?.owner);
  if (robot) robots.select(robot);
  showPicked();
};

function showPicked(): void {
  tip.hidden = !picked;
  if (!picked || !scene) return;
  const body = scene.bodies.findIndex(([name]) => name === picked!.body), place = view.bodyPosition(body);
  const { x, y, z } = picked.point, at = place ?? picked.point;
  fill(tip, el("b", {}, picked.owner || "ground"), ` ${picked.body}`, el("br"),
    `origin ${at.x.toFixed(3)}  ${at.y.toFixed(3)}  ${at.z.toFixed(3)} m`, el("br"), `point ${x.toFixed(3)}  ${y.toFixed(3)}  ${z.toFixed(3)} m`);
}

robots.onselect = (robot) => { view.followed = robot.body; if (view.mode !== "orbit") view.setMode(view.mode); plans.show(); faults.show(); view.setRays([]); view.setPoints([]); };

// -- tabs ------------------------------------------------------------------------------------------

const tabs: [string, HTMLElement][] = [["Robot", robots.host], ["Console", consolePanel.host], ["Plan", plans.host], ["Faults", faults.host], ["Edit", editor.host]];
const TRAINERS = ["Plan", "Faults", "Edit"];
const tabBar = el("nav", { class: "tabs", role: "tablist" });
const aside = el("aside", {}, tabBar, ...tabs.map(([, panel]) => panel));
tabs.forEach(([name, panel], index) => {
  tabBar.append(el("button", { role: "tab", class: TRAINERS.includes(name) ? "trainer" : "", onclick: () => openTab(index) }, name));
  panel.hidden = index > 0;
});
function openTab(index: number): void {
  // Operators see their robot and the log of the run together.
  const logs = document.body.dataset.role === "operator" ? consolePanel.host : null;
  tabs.forEach(([, panel], i) => { panel.hidden = i !== index && panel !== logs; });
  [...tabBar.children].forEach((tab, i) => tab.setAttribute("aria-selected", String(i === index)));
}
openTab(0);
consolePanel.onseek = (at) => { if (welcome?.role !== "operator") timeline.seek(at); };
document.body.replaceChildren(header, stage, aside, timeline.host);

// -- theme -----------------------------------------------------------------------------------------

function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  remember("theme", theme);
  view.setBackground(getComputedStyle(document.documentElement).getPropertyValue("--sky").trim());
  robots.restyle();
}
const preferred = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
setTheme(query.get("theme") ?? remembered("theme", preferred));

addEventListener("keydown", (event) => {
  if (event.key !== " " || (event.target instanceof HTMLElement && event.target.matches("input, textarea, select, button, summary"))) return;
  event.preventDefault();
  if (welcome?.role === "trainer") play.click();
});

// -- messages --------------------------------------------------------------------------------------

function receive(message: Message): void {
  switch (message.op) {
    case "welcome":
      welcome = message;
      document.title = `${message.world} – Grouser`;
      text(title, message.world);
      text(badge, message.recorded ? "recording" : message.role);
      document.body.dataset.role = message.recorded ? "replay" : message.role;
      consolePanel.setWritable(message.role === "trainer" && !message.recorded);
      consolePanel.world = message.world;
      text(tabBar.children[1], message.recorded ? "Log" : "Console");
      openTab(message.recorded ? 1 : 0);
      view.setView(message.view);
      timeline.setWorld(message.world, message.recorded);
      notice.hidden = true;
      received = acknowledged = 0;
      robots.setDriving([]);
      robots.setRobots(message.robots);
      break;
    case "scene":
      if (message.ghost) { view.setGhost(message); break; }
      scene = message;
      view.setScene(message);
      if (welcome) welcome.robots = message.robots;
      if (robots.robot && JSON.stringify(robots.robot) !== JSON.stringify(message.robots.find((one) => one.name === robots.robot!.name))) robots.setRobots(message.robots);
      view.followed = message.robots.find((one) => one.name === robots.robot?.name)?.body ?? -1;
      break;
    case "looks":
      view.setColours(message.colours, message.daylight);
      break;
    case "state":
      state = message;
      update(message);
      break;
    case "event":
      consolePanel.addEvent([message.at, message.time, message.kind, message.text]);
      timeline.addEvent([message.at, message.time, message.kind, message.text]);
      break;
    case "history":
      consolePanel.setHistory(message.events);
      timeline.setEvents(message.events);
      break;
    case "driving":
      if (welcome?.role === "operator") consolePanel.add(message.robots.length ? `you drive ${message.robots.join(", ")}` : "you drive no robot", "dim", state?.clock);
      robots.setDriving(message.robots);
      if (state) robots.update(state);
      break;
    case "request":
      show(`${message.by} requests ${message.robot}: "Stop driving" hands it over.`, 12);
      break;
    case "plan":
      plans.receive(message);
      break;
    case "error":
      show(message.text);
      break;
  }
}

function update(now: State): void {
  text(time, clock(welcome?.recorded ? now.shown?.time ?? 0 : now.clock));
  text(play, now.paused ? "Play" : "Pause");
  play.setAttribute("aria-pressed", String(now.paused));
  step.disabled = !now.paused;
  factor.hidden = Boolean(welcome?.recorded);
  text(factor, `${now.factor.toFixed(2)} × real time`);
  load.hidden = now.load === undefined;
  if (now.load !== undefined) text(load, `load ${Math.round(100 * now.load)} %`);
  text(clients, `${now.clients.length} ${now.clients.length === 1 ? "client" : "clients"}`);
  clients.title = now.clients.join(", ");
  if (now.speed !== null && document.activeElement !== speed) speed.value = String(now.speed);
  if (now.shown)
    for (const robot of scene?.robots ?? []) {
      const pose = view.bodyPose(robot.body), own = now.robots[robot.name];
      if (own && pose) Object.assign(own, pose);
    }
  robots.update(now);
  faults.update(now);
  telemetry(now);
  if (now.rays) view.setRays(now.rays);
  if (now.points) view.setPoints(now.points);
  const name = robots.robot?.name, other = name ? view.ghost.position(name) : null, own = view.bodyPosition(robots.robot?.body ?? -1);
  away.hidden = !other || !own;
  if (other && own) text(away, `ghost ${other.distanceTo(own).toFixed(2)} m away`);
  timeline.update(now);
  if (now.contacts) view.setContacts(now.contacts, FORCE);
  if (picked) showPicked();
}

let measured = 0; // time of the newest telemetry, s of the session
/** Show operators how old the last telemetry of their robot is. */
function telemetry(now: State): void {
  if (now.at !== undefined) measured = now.at;
  const driving = welcome?.role === "operator" && Object.values(now.holders).some((label) => label === welcome!.label), age = now.time - measured;
  link.hidden = !driving;
  text(link, `telemetry ${age.toFixed(1)} s old`);
  link.classList.toggle("warn", age >= STALE);
}

connection = new Connection(role, fragment.get("token") ?? "", {
  message: receive,
  poses: (poses) => { received = poses.number; view.setPoses(poses); },
  mesh: (mesh) => view.addMesh(mesh),
  picture: (picture) => robots.addPicture(picture),
  closed: (code, reason) => {
    robots.input.stop();
    show(code >= 4000 ? reason || `closed by the server (${code})` : "The connection is lost; trying again …", 0);
  },
});

function frame(): void {
  if (view.draw()) drawn++;
  if (received - acknowledged >= ACK_EVERY || (received !== acknowledged && drawn % ACK_EVERY === 0)) {
    acknowledged = received;
    connection.send("ack", { frame: received });
  }
  requestAnimationFrame(frame);
}
requestAnimationFrame(frame);

// For tests and benches: what is shown.
Object.assign(window, { grouserPage: { connection, view, plans, timeline, get state() { return state; }, get scene() { return scene; }, get drawn() { return drawn; }, get received() { return received; } } });
