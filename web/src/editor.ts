// Editor of the world: pieces of terrain, objects, robots and triggers, with undo and YAML.

import { download, el, fill, text } from "./dom";
import type { Connection, Fault } from "./protocol";

type Item = Record<string, unknown>;
type Content = Record<string, unknown>;

const SECTIONS = ["terrain", "objects", "robots", "triggers"];
const PAUSE = 350; // ms without typing before a check
const MOST_UNDO = 200;

/** Entries that "Add" offers; the fields that are missing are shown as faults. */
const TEMPLATES: Record<string, Record<string, Item>> = {
  terrain: {
    step: { kind: "step", x: 1, height: 0.1, friction: 0.7 }, ramp: { kind: "ramp", x: 1, friction: 0.7 },
    stairs: { kind: "stairs", x: 1, friction: 0.7 }, trench: { kind: "trench", x: 1, friction: 0.7 }, rubble: { kind: "rubble", x: 1, friction: 0.7 },
  },
  objects: {
    box: { name: "", kind: "box", position: [1, 0, 0.2], size: [0.3, 0.3, 0.3], mass: 2, friction: 0.5 },
    ball: { name: "", kind: "ball", position: [1, 0, 0.2], radius: 0.1, mass: 0.5, friction: 0.5 },
    cylinder: { name: "", kind: "cylinder", position: [1, 0, 0.2], radius: 0.1, length: 0.3, mass: 1, friction: 0.5 },
    wall: { name: "", kind: "box", fixed: true, position: [1, 0, 0.3], size: [0.05, 1, 0.6], friction: 0.5 },
    door: { name: "", kind: "door", position: [1, 0, 0.31], width: 0.8, height: 0.6 },
    lamp: { name: "", kind: "lamp", position: [1, 0, 1] }, victim: { name: "", kind: "victim", position: [1, 0, 0] },
  },
  robots: Object.fromEntries(["kenaf", "quince", "packbot", "p2dx", "p3at", "ers7", "qrio", "velociroach"].map((kind) => [kind, { name: "", kind, position: [0, 0, 0] }])),
  triggers: {
    box: { name: "", kind: "box", position: [1, 0, 0.2], size: [0.5, 0.5, 0.4], do: ["say {who} is here"] },
    sphere: { name: "", kind: "sphere", position: [1, 0, 0.2], radius: 0.3, do: ["say {who} is here"] },
  },
};

export class EditorPanel {
  readonly host = el("section", { class: "panel editor", "aria-label": "Editor" });
  onpaths: () => void = () => {};
  active = false;
  private content: Content | null = null;
  private undone: string[] = [];
  private redone: string[] = [];
  private yaml = "";
  private faults: Fault[] = [];
  private open = new Set<string>();
  private timer = 0;
  private body = el("div", { class: "sections" });
  private verdict = el("p", { class: "verdict", role: "status" });
  private begin = el("button", { class: "primary", onclick: () => void this.start() }, "Edit this world");
  private undo = el("button", { title: "Undo (Ctrl+Z)", onclick: () => this.restore(this.undone, this.redone) }, "Undo");
  private redo = el("button", { title: "Redo (Ctrl+Shift+Z)", onclick: () => this.restore(this.redone, this.undone) }, "Redo");
  private save = el("button", { onclick: () => download(`${String(this.content?.name ?? "world")}.yaml`, new Blob([this.yaml], { type: "text/yaml" })) }, "Save YAML");
  private leave = el("button", { onclick: () => this.stop() }, "Close");

  constructor(private connection: () => Connection) {
    this.host.append(el("div", { class: "row" }, this.begin, this.undo, this.redo, this.save, this.leave), this.verdict, this.body);
    this.host.addEventListener("keydown", (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z") return;
      event.preventDefault();
      (event.shiftKey ? this.redo : this.undo).click();
    });
    this.show();
  }

  private async start(): Promise<void> {
    const answer = await this.connection().ask("content", {});
    if (!answer.content) { text(this.verdict, answer.error ?? ""); return; }
    this.content = answer.content;
    this.undone = [];
    this.redone = [];
    this.active = true;
    this.show();
    void this.check();
  }

  private stop(): void {
    this.active = false;
    this.content = null;
    this.faults = [];
    this.connection().send("leave");
    this.show();
  }

  /** Set the position of the open entry to a point of the ground. */
  moveTo(x: number, y: number): boolean {
    const key = [...this.open].pop();
    if (!this.active || !key) return false;
    const [section, index] = key.split("/"), item = (this.content![section] as Item[])[Number(index)];
    const round = (value: number): number => Math.round(100 * value) / 100;
    if (Array.isArray(item.position)) this.change(() => { item.position = [round(x), round(y), ...(item.position as number[]).slice(2)]; });
    else if ("x" in item) this.change(() => { item.x = round(x); if ("y" in item) item.y = round(y); });
    else return false;
    return true;
  }

  private change(action: () => void, redraw = true): void {
    this.undone.push(JSON.stringify(this.content));
    if (this.undone.length > MOST_UNDO) this.undone.shift();
    this.redone = [];
    action();
    if (redraw) this.show();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.check(), PAUSE);
  }

  private restore(from: string[], to: string[]): void {
    if (!from.length) return;
    to.push(JSON.stringify(this.content));
    this.content = JSON.parse(from.pop()!) as Content;
    this.show();
    void this.check();
  }

  private async check(): Promise<void> {
    if (!this.content) return;
    const answer = await this.connection().ask("draft", { content: this.content });
    this.faults = answer.faults ?? [];
    this.yaml = answer.yaml ?? "";
    text(this.verdict, answer.error ?? (this.faults.length ? this.faults.filter((fault) => fault.path.length < 3).map((fault) => fault.text).join("; ") || "see the marked fields" : "valid"));
    this.verdict.className = `verdict ${this.faults.length || answer.error ? "bad" : "good"}`;
    this.save.disabled = this.faults.length > 0;
    this.mark();
  }

  /** Show faults beside their fields. */
  private mark(): void {
    for (const note of this.body.querySelectorAll<HTMLElement>("[data-path]")) {
      const path = note.dataset.path!, entry = path.split("/").length === 2;
      const shown = (fault: Fault): boolean => fault.path.length > 2 && this.body.querySelector(`[data-path="${CSS.escape(fault.path.slice(0, 3).join("/"))}"]`) !== null;
      const found = this.faults.find((fault) => fault.path.join("/") === path || (fault.path.join("/").startsWith(`${path}/`) && !(entry && shown(fault))));
      text(note, found?.text ?? "");
      note.hidden = !found;
    }
  }

  private show(): void {
    const on = this.content !== null;
    for (const button of [this.undo, this.redo, this.save, this.leave]) button.hidden = !on;
    this.begin.hidden = on;
    this.undo.disabled = !this.undone.length;
    this.redo.disabled = !this.redone.length;
    this.verdict.hidden = !on;
    if (!on) {
      fill(this.body, el("p", { class: "dim" }, "The running world is not changed: the picture shows the draft at its start. Save it as YAML and open it with grouser open."));
      return;
    }
    fill(this.body, ...SECTIONS.map((section) => this.section(section)));
    this.mark();
  }

  private section(name: string): HTMLElement {
    const items = (this.content![name] as Item[] | undefined) ?? [];
    const kinds = el("select", { "aria-label": `Add to ${name}`, onchange: () => {
      const made = JSON.parse(JSON.stringify(TEMPLATES[name][kinds.value])) as Item;
      if ("name" in made) made.name = this.freeName(kinds.value);
      this.open.clear();
      this.open.add(`${name}/${items.length}`);
      this.change(() => { this.content![name] = [...items, made]; });
    } }, el("option", { value: "" }, "Add …"), ...Object.keys(TEMPLATES[name]).map((kind) => el("option", { value: kind }, kind)));
    return el("section", {}, el("div", { class: "row" }, el("h3", {}, name), kinds), ...items.map((item, index) => this.entry(name, items, item, index)));
  }

  private freeName(kind: string): string {
    const taken = new Set(SECTIONS.flatMap((section) => ((this.content![section] as Item[] | undefined) ?? []).map((item) => item.name)));
    for (let number = 1; ; number++) if (!taken.has(`${kind}${number}`)) return `${kind}${number}`;
  }

  private entry(section: string, items: Item[], item: Item, index: number): HTMLElement {
    const key = `${section}/${index}`;
    const fields = el("div", { class: "fields" }, ...Object.keys(item).map((name) => this.field(key, item, name)));
    const more = el("input", { type: "text", placeholder: "further key", "aria-label": "Further key", onchange: () => { if (more.value.trim()) this.change(() => { item[more.value.trim()] = 0; }); } });
    const details = el("details", { open: this.open.has(key), ontoggle: () => { if (details.open) this.open.add(key); else this.open.delete(key); } },
      el("summary", {}, el("b", {}, String(item.name ?? item.kind)), el("span", { class: "value" }, item.name ? String(item.kind) : "")),
      el("p", { class: "fault", "data-path": key, hidden: true }), fields,
      el("div", { class: "row" }, more,
        el("button", { onclick: () => this.change(() => { const copy = JSON.parse(JSON.stringify(item)) as Item; if (copy.name) copy.name = this.freeName(String(item.kind)); items.splice(index + 1, 0, copy); }) }, "Copy"),
        el("button", { class: "stop", onclick: () => { this.open.delete(key); this.change(() => { items.splice(index, 1); }); } }, "Delete")));
    return details;
  }

  private field(key: string, item: Item, name: string): HTMLElement {
    const plain = typeof item[name] === "string";
    const input = el("input", {
      type: "text", value: plain ? String(item[name]) : JSON.stringify(item[name]), "aria-label": name, spellcheck: false,
      oninput: () => this.change(() => { item[name] = this.value(input.value); }, false),
      onkeydown: (event: KeyboardEvent) => this.nudge(event, input, item, name),
    });
    return el("label", {}, el("span", {}, name), input, el("small", { class: "fault", "data-path": `${key}/${name}`, hidden: true }));
  }

  private value(typed: string): unknown {
    try { return JSON.parse(typed) as unknown; } catch { return typed; }
  }

  /** Arrow keys with Alt move a position in steps of 0.1 m, and change numbers by a tenth. */
  private nudge(event: KeyboardEvent, input: HTMLInputElement, item: Item, name: string): void {
    const steps: Record<string, [number, number]> = { ArrowUp: [0, 1], ArrowDown: [0, -1], ArrowRight: [1, 0], ArrowLeft: [-1, 0] };
    const step = steps[event.key], now = item[name];
    if (!event.altKey || !step) return;
    event.preventDefault();
    const round = (value: number): number => Math.round(1000 * value) / 1000;
    if (name === "position" && Array.isArray(now)) {
      const [x, y, ...rest] = now as number[];
      this.change(() => { item[name] = [round(x + 0.1 * step[0]), round(y + 0.1 * step[1]), ...rest]; }, false);
    } else if (typeof now === "number") {
      const by = name.endsWith("_deg") ? 5 : 0.1;
      this.change(() => { item[name] = round(now + by * (step[0] || step[1])); }, false);
    } else return;
    input.value = JSON.stringify(item[name]);
  }
}
