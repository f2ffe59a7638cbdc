// Hold to drive: keyboard, on-screen stick and gamepad; release, blur or a hidden tab stops.

import { el } from "./dom";

const REPEAT = 80; // ms between two messages while a control is held
const DEAD_ZONE = 0.15; // share of a gamepad's axis

const KEYS: Record<string, [number, number]> = {
  w: [1, 0], arrowup: [1, 0], s: [-1, 0], arrowdown: [-1, 0],
  a: [0, 1], arrowleft: [0, 1], d: [0, -1], arrowright: [0, -1],
};

function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input:not([type=range]), textarea, select, [contenteditable]");
}

export class DriveInput {
  readonly stick = el("div", { class: "stick", role: "application", "aria-label": "Stick: drag to drive" }, el("span", { class: "knob" }));
  scale = 0.6;
  active = false;
  private held = new Set<string>();
  private drag: [number, number] | null = null;
  private moving = false;

  constructor(private send: (throttle: number, rudder: number) => void) {
    addEventListener("keydown", (event) => {
      const key = event.key.toLowerCase();
      if (!this.active || typing(event.target) || event.ctrlKey || event.altKey || event.metaKey || !(key in KEYS)) return;
      event.preventDefault();
      if (!this.held.has(key)) {
        this.held.add(key);
        this.repeat();
      }
    });
    addEventListener("keyup", (event) => {
      if (this.held.delete(event.key.toLowerCase())) this.repeat();
    });
    addEventListener("blur", () => this.stop());
    addEventListener("pagehide", () => this.stop());
    document.addEventListener("visibilitychange", () => { if (document.hidden) this.stop(); });
    this.stick.addEventListener("pointerdown", (event) => {
      if (!this.active) return;
      this.stick.setPointerCapture(event.pointerId);
      this.move(event);
    });
    this.stick.addEventListener("pointermove", (event) => { if (this.drag) this.move(event); });
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"] as const)
      this.stick.addEventListener(kind, () => { if (this.drag) { this.drag = null; this.repeat(); } });
    setInterval(() => this.repeat(true), REPEAT);
  }

  /** Release everything; the robot stops. */
  stop(): void {
    this.held.clear();
    this.drag = null;
    this.repeat();
  }

  private move(event: PointerEvent): void {
    const box = this.stick.getBoundingClientRect(), radius = box.width / 2;
    let x = (event.clientX - box.left - radius) / radius, y = (event.clientY - box.top - radius) / radius;
    const length = Math.max(1, Math.hypot(x, y));
    x /= length;
    y /= length;
    this.drag = [-y, -x];
    this.repeat();
  }

  private wanted(): [number, number] {
    if (!this.active || document.hidden) return [0, 0];
    if (this.drag) return this.drag;
    let throttle = 0, rudder = 0;
    for (const key of this.held) {
      throttle += KEYS[key][0];
      rudder += KEYS[key][1];
    }
    if (!throttle && !rudder)
      for (const pad of navigator.getGamepads?.() ?? []) {
        if (!pad) continue;
        const ahead = -pad.axes[1], about = -(pad.axes[2] ?? pad.axes[0]);
        if (Math.hypot(ahead, about) > DEAD_ZONE) return [ahead, about];
      }
    return [Math.max(-1, Math.min(1, throttle)) * this.scale, Math.max(-1, Math.min(1, rudder)) * this.scale];
  }

  private repeat(timer = false): void {
    const [throttle, rudder] = this.wanted(), moves = throttle !== 0 || rudder !== 0;
    const knob = this.stick.firstElementChild as HTMLElement;
    knob.style.transform = `translate(${(-rudder * 36).toFixed(1)}px, ${(-throttle * 36).toFixed(1)}px)`;
    if (moves) this.send(throttle, rudder);
    else if (this.moving || (!timer && this.active)) this.send(0, 0);
    this.moving = moves;
  }
}
