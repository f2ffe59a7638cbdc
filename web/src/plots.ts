// Small live plots of the last seconds.

import uPlot from "uplot";

const SPAN = 20; // s
const MOST = 600; // points
const COLOURS = ["#2f6fb5", "#d9480f", "#2b8a3e", "#8e44ad", "#b8860b", "#5f6b7a"];

export class LivePlot {
  readonly host = document.createElement("div");
  private plot: uPlot | null = null;
  private data: number[][] = [];
  private names: string[] = [];

  constructor(private height = 84) { this.host.className = "plot"; }

  add(time: number, values: number[], names: string[]): void {
    if (names.join() !== this.names.join()) {
      this.names = names;
      this.data = [[], ...names.map(() => [])];
      this.plot?.destroy();
      this.plot = null;
    }
    const times = this.data[0];
    if (times.length && time <= times[times.length - 1]) {
      if (time > times[times.length - 1] - 1e-9) return;
      this.data.forEach((column) => { column.length = 0; }); // the world was reset
    }
    times.push(time);
    values.forEach((value, i) => this.data[i + 1].push(value));
    while (times.length > MOST || (times.length && times[0] < time - SPAN)) this.data.forEach((column) => column.shift());
  }

  draw(): void {
    if (!this.host.isConnected || !this.host.clientWidth || !this.data.length) return;
    if (!this.plot) {
      const style = getComputedStyle(document.documentElement), dim = style.getPropertyValue("--dim"), line = style.getPropertyValue("--line");
      const axis = { stroke: dim, grid: { stroke: line, width: 1 }, ticks: { show: false }, font: "10px system-ui", size: 18 };
      this.plot = new uPlot({
        width: this.host.clientWidth, height: this.height, legend: { show: false }, cursor: { show: false }, padding: [4, 4, 0, 0],
        scales: { x: { time: false } },
        series: [{}, ...this.names.map((label, i) => ({ label, stroke: COLOURS[i % COLOURS.length], width: 1.25, points: { show: false } }))],
        axes: [axis, { ...axis, size: 44 }],
      }, this.data as uPlot.AlignedData, this.host);
    } else this.plot.setData(this.data as uPlot.AlignedData);
    if (this.plot.width !== this.host.clientWidth) this.plot.setSize({ width: this.host.clientWidth, height: this.height });
  }

  /** Build the plot again, with the colours of another theme. */
  restyle(): void {
    this.plot?.destroy();
    this.plot = null;
  }
}

/** Draw a scan of distances around a robot. */
export function drawScan(canvas: HTMLCanvasElement, ranges: number[]): void {
  const pen = canvas.getContext("2d")!, { width, height } = canvas, far = Math.max(...ranges.filter(Number.isFinite), 0.1);
  pen.clearRect(0, 0, width, height);
  pen.fillStyle = "#2f6fb5";
  ranges.forEach((range, i) => {
    const angle = Math.PI * (i / Math.max(1, ranges.length - 1)) - Math.PI;
    const x = width / 2 - Math.cos(angle) * -1 * range / far * width / 2, y = height - 4 + Math.sin(angle) * range / far * (height - 8);
    pen.fillRect(x - 0.75, y - 0.75, 1.5, 1.5);
  });
}
