// Plans of paths: set a goal, look at the candidates, drive one.

import { el, fill, text } from "./dom";
import type { Connection, PlanMessage, Robot } from "./protocol";
import type { WorldView } from "./scene3d";

const ABOVE = 0.03; // m, height of a path above the ground of its robot

export class PlanPanel {
  readonly host = el("section", { class: "panel", "aria-label": "Plan" });
  choosing = false;
  private plans = new Map<string, PlanMessage>();
  private chosen = 0;
  private goal: [number, number] | null = null;
  private pick = el("button", { "aria-pressed": "false", onclick: () => this.setChoosing(!this.choosing) }, "Set goal");
  private start = el("button", { class: "primary", disabled: true, onclick: () => { if (this.goal && this.robot()) this.connection().send("plan", { robot: this.robot()!.name, x: this.goal[0], y: this.goal[1] }); } }, "Plan");
  private status = el("p", { class: "dim", role: "status" }, "Set a goal by a click on the ground; 8 candidates are simulated 3 times each.");
  private list = el("div", { class: "candidates" });

  constructor(private connection: () => Connection, private robot: () => Robot | null, private view: WorldView) {
    this.host.append(el("div", { class: "row" }, this.pick, this.start), this.status, this.list);
  }

  setChoosing(on: boolean): void {
    this.choosing = on;
    this.pick.setAttribute("aria-pressed", String(on));
  }

  setGoal(x: number, y: number): void {
    this.goal = [Math.round(100 * x) / 100, Math.round(100 * y) / 100];
    this.start.disabled = false;
    this.setChoosing(false);
    text(this.status, `goal at ${this.goal[0].toFixed(2)}, ${this.goal[1].toFixed(2)} m`);
    this.draw();
  }

  receive(plan: PlanMessage): void {
    const before = this.plans.get(plan.robot);
    this.plans.set(plan.robot, plan);
    if (before?.paths.length !== plan.paths.length) this.chosen = 0;
    this.show();
  }

  show(): void {
    const robot = this.robot(), plan = robot && this.plans.get(robot.name);
    if (!plan) { fill(this.list); this.draw(); return; }
    this.goal = plan.goal;
    this.start.disabled = plan.busy || plan.driving;
    text(this.status, plan.busy ? "planning …" : plan.driving ? "driving …" : plan.why_not || plan.result || `${plan.paths.length} candidates${plan.source && ` of ${plan.source}`}, best first`);
    fill(this.list, ...plan.paths.map((path, index) => el("button", {
      class: "candidate", "aria-pressed": String(index === this.chosen), onclick: () => { this.chosen = index; this.show(); },
    }, el("b", {}, `${path.length.toFixed(2)} m`), el("span", {}, `${path.successes} of ${path.trials}`), el("span", {}, path.energy === null ? "–" : `${path.energy.toFixed(1)} J`))),
      plan.paths.length > 0 && el("div", { class: "row" },
        el("button", { class: "primary", disabled: plan.driving, onclick: () => this.follow(plan, false) }, "Drive this path"),
        el("button", { title: "Put the robot at the start of the path, and drive it", disabled: plan.driving, onclick: () => this.follow(plan, true) }, "From its start")));
    this.draw();
  }

  private follow(plan: PlanMessage, from_start: boolean): void {
    this.connection().send("follow", { robot: plan.robot, path: this.chosen, from_start });
  }

  /** Draw the candidates, from cheap (green) to costly (red); the chosen one is drawn higher. */
  private draw(): void {
    const robot = this.robot(), plan = robot && this.plans.get(robot.name);
    const ground = robot ? Math.max(0, (this.view.bodyPosition(robot.body)?.z ?? 0.1) - 0.08) : 0;
    const lines: { points: number[][]; colour: [number, number, number] }[] = [];
    const scores = plan?.paths.map((path) => path.score).filter(Number.isFinite) ?? [];
    const low = Math.min(...scores), high = Math.max(...scores, low + 1e-9);
    plan?.paths.forEach((path, index) => {
      const share = Number.isFinite(path.score) ? (path.score - low) / (high - low) : 1;
      const lift = ground + ABOVE + (index === this.chosen ? 0.02 : 0);
      for (const shift of index === this.chosen ? [0, 0.006, -0.006] : [0])
        lines.push({ points: path.points.map(([x, y]) => [x + shift, y + shift, lift]), colour: [0.15 + 0.75 * share, 0.65 - 0.5 * share, 0.2] });
    });
    if (this.goal) {
      const [x, y] = this.goal, r = 0.12, z = ground + ABOVE;
      lines.push({ points: Array.from({ length: 25 }, (_, i) => [x + r * Math.cos(i * Math.PI / 12), y + r * Math.sin(i * Math.PI / 12), z]), colour: [0.12, 0.4, 0.75] });
    }
    this.view.setPaths(lines);
  }
}
