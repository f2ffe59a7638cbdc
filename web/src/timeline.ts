// Timeline: seek back, play, bookmarks, export of a clip.

import { clock, download, el, fill, remember, remembered, text } from "./dom";
import type { Connection, EventRow, State } from "./protocol";
import type { WorldView } from "./scene3d";

const MOST_TICKS = 200;

export class TimelineBar {
  readonly host = el("footer", { class: "timeline", "aria-label": "Timeline" });
  private bar = el("input", { type: "range", min: "0", max: "1", step: "0.01", value: "1", "aria-label": "Time", oninput: () => this.seek(Number(this.bar.value)) });
  private label = el("output", {}, "0:00.0");
  private play = el("button", { title: "Play from here", "aria-label": "Play from here", onclick: () => this.toggle() }, "▶");
  private rate = el("select", { "aria-label": "Playing speed", onchange: () => { if (this.playing) this.seek(this.time, this.factor); } },
    ...["0.25", "0.5", "1", "2", "4"].map((one) => el("option", { value: one, selected: one === "1" }, `${one} ×`)));
  private live = el("button", { class: "live", onclick: () => this.seek(-1) }, "Live");
  private ticks = el("div", { class: "ticks", "aria-hidden": "true" });
  private track = el("div", { class: "track" }, this.ticks, this.bar);
  private events: EventRow[] = [];
  private drawn = "";
  private marks = el("span", { class: "marks" });
  private clip = el("button", { title: "Record the picture as a WebM file", onclick: () => void this.film() }, "Clip");
  private stop: (() => Promise<Blob>) | null = null;
  private playing = false;
  private time = 0;
  private world = "";
  private recorded = false;

  constructor(private connection: () => Connection, private view: WorldView) {
    const back = (seconds: number): void => this.seek(Math.max(0, this.time - seconds));
    this.host.append(
      el("button", { title: "5 s back", "aria-label": "5 seconds back", onclick: () => back(5) }, "−5 s"), this.play, this.rate, this.label, this.track, this.live,
      el("button", { title: "Mark this time", onclick: () => this.mark() }, "Mark"), this.marks, this.clip);
  }

  private get factor(): number { return Number(this.rate.value); }

  setWorld(world: string, recorded: boolean): void {
    this.world = world;
    this.recorded = recorded;
    this.live.hidden = recorded;
    this.showMarks();
  }

  /** Mark events on the timeline; faults are those that a trainer injected. */
  setEvents(events: EventRow[]): void { this.events = events.slice(-MOST_TICKS); this.drawn = ""; }

  addEvent(event: EventRow): void { this.setEvents([...this.events, event]); }

  private drawTicks(begin: number, end: number): void {
    const stored = this.stored(), key = `${begin.toFixed(1)} ${end.toFixed(1)} ${stored.join()}`;
    if (key === this.drawn) return;
    this.drawn = key;
    const tick = (at: number, kind: string, label: string): HTMLElement | null => {
      const share = (at - begin) / (end - begin);
      if (share < 0 || share > 1) return null;
      const made = el("i", { class: `tick ${kind}`, title: `${clock(at)}  ${label}`, onclick: () => this.seek(at) });
      made.style.left = `${(100 * share).toFixed(2)}%`;
      return made;
    };
    fill(this.ticks, ...this.events.map(([at, , kind, label]) => tick(at, kind, label)), ...stored.map((at) => tick(at, "bookmark", "mark")));
  }

  seek(time: number, rate = 0): void { this.connection().send("seek", { time, rate }); }

  private toggle(): void {
    const atEnd = this.time >= Number(this.bar.max) - 0.05;
    this.seek(this.recorded && atEnd && !this.playing ? Number(this.bar.min) : this.time, this.playing ? 0 : this.factor);
  }

  private stored(): number[] { return JSON.parse(remembered(`marks.${this.world}`, "[]")) as number[]; }

  private mark(): void {
    remember(`marks.${this.world}`, JSON.stringify([...new Set([...this.stored(), Math.round(10 * this.time) / 10])].slice(-8)));
    this.showMarks();
  }

  private showMarks(): void {
    this.drawn = "";
    fill(this.marks, ...this.stored().map((time) => el("button", {
      class: "mark", title: "Go to this mark; double click removes it", onclick: () => this.seek(time),
      ondblclick: () => { remember(`marks.${this.world}`, JSON.stringify(this.stored().filter((one) => one !== time))); this.showMarks(); },
    }, clock(time))));
  }

  private async film(): Promise<void> {
    if (!this.stop) {
      this.stop = this.view.record();
      text(this.clip, "Save clip");
      return;
    }
    const blob = await this.stop();
    this.stop = null;
    text(this.clip, "Clip");
    download(`${this.world}.webm`, blob);
  }

  update(state: State): void {
    const past = state.shown !== undefined;
    this.time = state.shown?.time ?? state.time;
    this.playing = past && state.shown!.rate > 0 && this.time < state.end - 0.01;
    this.bar.min = String(state.begin);
    this.bar.max = String(Math.max(state.begin + 0.1, state.end));
    if (document.activeElement !== this.bar || this.playing || !past) this.bar.value = String(this.time);
    this.drawTicks(Number(this.bar.min), Number(this.bar.max));
    text(this.label, clock(this.time));
    text(this.play, this.playing ? "⏸" : "▶");
    this.live.setAttribute("aria-pressed", String(!past));
    this.host.classList.toggle("past", past);
  }
}
