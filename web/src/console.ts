// Console with history and completion; events of the world in the same log.

import { clock, download, el, fill } from "./dom";
import type { Connection, EventRow } from "./protocol";

const MOST_LINES = 400;

export class ConsolePanel {
  readonly host = el("section", { class: "panel console", "aria-label": "Console" });
  private log = el("div", { class: "log", role: "log", tabIndex: 0 });
  private input = el("input", { type: "text", placeholder: "open gate   ·   help", "aria-label": "Console line", spellcheck: false, autocomplete: "off" });
  private form = el("form", { onsubmit: (event: Event) => { event.preventDefault(); void this.submit(); } }, this.input, el("button", {}, "Run"));
  private history: string[] = [];
  private place = 0;

  private save = el("button", { class: "quiet", title: "Save the log as a text file", onclick: () => this.export() }, "Save log");
  world = "world";
  onseek: (at: number) => void = () => {};

  constructor(private connection: () => Connection) {
    this.host.append(this.log, el("div", { class: "logbar" }, this.form, this.save));
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "ArrowUp" || event.key === "ArrowDown") {
        event.preventDefault();
        this.place = Math.max(0, Math.min(this.history.length, this.place + (event.key === "ArrowUp" ? -1 : 1)));
        this.input.value = this.history[this.place] ?? "";
      } else if (event.key === "Tab" && this.input.value) {
        event.preventDefault();
        void this.complete();
      }
    });
  }

  setWritable(on: boolean): void { this.form.hidden = !on; }

  private export(): void {
    const lines = [...this.log.children].map((line) => (line as HTMLElement).innerText.replace(/\s*\n\s*/g, " "));
    download(`${this.world}-log.txt`, new Blob([`${lines.join("\n")}\n`], { type: "text/plain" }));
  }

  /** Show the events before this client came; a click on one shows its time. */
  setHistory(events: EventRow[]): void {
    fill(this.log);
    for (const event of events) this.addEvent(event);
  }

  addEvent([at, time, kind, text]: EventRow): void { this.add(text, kind, time, at); }

  add(line: string, kind = "", time?: number, at?: number): void {
    const bottom = this.log.scrollTop + this.log.clientHeight > this.log.scrollHeight - 24;
    const stamp = time === undefined ? false : at === undefined ? el("time", {}, clock(time))
      : el("button", { class: "stamp", title: "Show this time", onclick: () => this.onseek(at) }, clock(time));
    this.log.append(el("p", { class: kind }, stamp, line));
    while (this.log.childElementCount > MOST_LINES) this.log.firstElementChild!.remove();
    if (bottom) this.log.scrollTop = this.log.scrollHeight;
  }

  private async submit(): Promise<void> {
    const line = this.input.value.trim();
    if (!line) return;
    this.history.push(line);
    this.place = this.history.length;
    this.input.value = "";
    this.add(`> ${line}`, "typed");
    const answer = await this.connection().ask("console", { line });
    for (const each of (answer.error ?? answer.text ?? "").split("\n")) if (each) this.add(each, answer.error ? "bad" : "");
  }

  private async complete(): Promise<void> {
    const typed = this.input.value, { words = [] } = await this.connection().ask("complete", { text: typed });
    if (!words.length || this.input.value !== typed) return;
    let common = words[0];
    for (const word of words) while (!word.startsWith(common)) common = common.slice(0, -1);
    this.input.value = typed.replace(/\S*$/, common) + (words.length === 1 ? " " : "");
    if (words.length > 1) this.add(words.join("  "), "dim");
  }
}
