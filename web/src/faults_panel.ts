// Faults that a trainer injects: link, light, motors. Each is a console line, so it is recorded.

import { el, fill, text } from "./dom";
import type { Connection, Robot, State } from "./protocol";

interface Slider { host: HTMLElement; input: HTMLInputElement; value: HTMLOutputElement; show: () => void }

function slider(label: string, most: number, step: number, unit: string): Slider {
  const value = el("output", {}, "");
  const input = el("input", { type: "range", min: "0", max: String(most), step: String(step), value: "0", "aria-label": `Link ${label}` });
  const show = (): void => text(value, unit === "%" ? `${Math.round(100 * Number(input.value))} %` : `${Number(input.value).toFixed(2)} ${unit}`);
  input.addEventListener("input", show);
  show();
  return { host: el("label", { class: "joint" }, el("span", {}, label), input, value), input, value, show };
}

export class FaultsPanel {
  readonly host = el("section", { class: "panel faults", "aria-label": "Faults" });
  private delay = slider("delay", 2, 0.05, "s");
  private jitter = slider("jitter", 1, 0.05, "s");
  private loss = slider("loss", 1, 0.05, "%");
  private present = el("p", { class: "dim", role: "status" }, "The link is clear.");
  private motors = el("div", { class: "joints" });
  private lights = el("div", { class: "joints" });
  private answer = el("p", { class: "fault", role: "status" });
  private robotName = el("b", {}, "–");
  private lamps = "";

  constructor(private connection: () => Connection, private robot: () => Robot | null) {
    this.host.append(
      el("h3", {}, "Link of ", this.robotName), this.delay.host, this.jitter.host, this.loss.host,
      el("div", { class: "row" },
        el("button", { class: "primary", onclick: () => this.link() }, "Disturb link"),
        el("button", { onclick: () => this.run(`link ${this.name} clear`) }, "Clear link")), this.present,
      el("h3", {}, "Motors"), this.motors, el("h3", {}, "Lights"), this.lights, this.answer,
      el("p", { class: "dim" }, "Every fault is an action: it is listed in the console and on the timeline, recorded, and repeated by grouser replay --verify."));
  }

  private get name(): string { return this.robot()?.name ?? ""; }

  private link(): void {
    const parts = ([["delay", this.delay], ["jitter", this.jitter], ["loss", this.loss]] as const).filter(([, one]) => Number(one.input.value) > 0);
    this.run(`link ${this.name} ${parts.map(([key, one]) => `${key} ${one.input.value}`).join(" ") || "clear"}`);
  }

  private run(line: string): void {
    void this.connection().ask("console", { line }).then(({ error }) => text(this.answer, error ?? ""));
  }

  private pair(label: string, line: string): HTMLElement {
    return el("div", { class: "switch" }, el("span", {}, label),
      el("button", { class: "stop", "aria-label": `${label} off`, onclick: () => this.run(`${line} off`) }, "Off"),
      el("button", { "aria-label": `${label} on`, onclick: () => this.run(`${line} on`) }, "On"));
  }

  /** Show the motors of the selected robot: all, its groups, and single drives. */
  show(): void {
    const robot = this.robot();
    text(this.robotName, robot?.name ?? "–");
    fill(this.motors);
    if (!robot) return;
    const row = (label: string, drives: string): HTMLElement => el("div", { class: "switch" }, el("span", {}, label),
      el("button", { class: "stop", "aria-label": `Motor ${label} off`, onclick: () => this.run(`motor ${robot.name} off ${drives}`) }, "Off"),
      el("button", { "aria-label": `Motor ${label} on`, onclick: () => this.run(`motor ${robot.name} on ${drives}`) }, "On"));
    fill(this.motors, row("all", ""), ...Object.keys(robot.groups).map((group) => row(group, group)),
      robot.drives.length <= 12 ? el("details", {}, el("summary", {}, "Single drives"), ...robot.drives.map(({ name }) => row(name, name))) : null);
  }

  update(state: State): void {
    const now = state.faults?.[this.name], lamps = Object.keys(state.lamps ?? {}).join();
    text(this.present, now
      ? `Now: delay ${now.delay.toFixed(2)} s, jitter ${now.jitter.toFixed(2)} s, loss ${Math.round(100 * now.loss)} %; both directions.`
      : "The link is clear.");
    this.present.classList.toggle("warn", Boolean(now));
    if (lamps !== this.lamps || !this.lights.childElementCount) {
      this.lamps = lamps;
      fill(this.lights, this.pair("sun", "light sun"), ...Object.keys(state.lamps ?? {}).map((lamp) => this.pair(lamp, `light ${lamp}`)));
    }
  }
}
