// The world in three dimensions: instanced shapes, cameras, overlays, picking.

import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, EdgesGeometry, Fog,
  FrontSide, HemisphereLight, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, MeshBasicMaterial,
  MeshLambertMaterial, PerspectiveCamera, Points, PointsMaterial, Quaternion, Raycaster, Scene as World, SRGBColorSpace,
  Vector2, Vector3, WebGLRenderer,
} from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { toCreasedNormals } from "three/addons/utils/BufferGeometryUtils.js";
import { Ghost } from "./ghost";
import { unpackPose, type Mesh as MeshData, type Poses, type Rays, type Scene, type View } from "./protocol";
import { checker, isSoftware, shape } from "./shapes";

export type CameraMode = "orbit" | "follow" | "top" | "robot";
export interface Picked { geom: number; body: string; owner: string; point: Vector3 }

interface Group { mesh: InstancedMesh; geoms: number[]; textured: boolean }

const SMOOTH_DEG = 35; // edges of meshes below this angle look smooth
const RAY = 0x7048e8, POINT = 0x099268; // colours of rays and of depth points

export class WorldView {
  readonly camera = new PerspectiveCamera(45, 1, 0.01, 300);
  readonly renderer: WebGLRenderer;
  mode: CameraMode = "orbit";
  followed = -1;
  time = 0;
  onpick: (picked: Picked | null) => void = () => {};
  private world = new World();
  private controls: OrbitControls;
  private sun = new DirectionalLight(0xffffff, 1.9);
  private sky = new HemisphereLight(0xffffff, 0x8a8a86, 1.35);
  private base = new AmbientLight(0xffffff, 0.25);
  private scene: Scene | null = null;
  private groups: Group[] = [];
  private place: [Group, number][] = [];
  private local: Matrix4[] = [];
  private ofBody: number[][] = [];
  private poses = new Float64Array(0);
  private colours: number[][] = [];
  private meshes = new Map<string, BufferGeometry>();
  private wanted: string[] = [];
  private dirty = new Set<number>();
  private overlay = { contacts: new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: 0xd9480f, depthTest: false })), triggers: [] as LineSegments[] };
  private rays = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ color: RAY, transparent: true, opacity: 0.45 }));
  private hits = new Points(new BufferGeometry(), new PointsMaterial({ color: RAY, size: 4, sizeAttenuation: false }));
  private cloud = new Points(new BufferGeometry(), new PointsMaterial({ color: POINT, size: 2.5, sizeAttenuation: false }));
  readonly ghost: Ghost;
  private path = new LineSegments(new BufferGeometry(), new LineBasicMaterial({ vertexColors: true, depthTest: false }));
  private dirtyView = true;
  private last = new Vector3();
  private home: View | null = null;
  private shadowsOn = false;

  constructor(private host: HTMLElement, private requestMesh: (digest: string) => void) {
    this.renderer = new WebGLRenderer({ antialias: !isSoftware(), preserveDrawingBuffer: true, powerPreference: "high-performance" });
    this.renderer.setPixelRatio(Math.min(2, devicePixelRatio));
    this.renderer.shadowMap.enabled = true;
    host.append(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute("aria-label", "World");
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.controls.enableDamping = false;
    this.controls.maxPolarAngle = 0.55 * Math.PI;
    this.controls.minDistance = 0.1;
    this.controls.maxDistance = 80;
    this.controls.addEventListener("change", () => { this.dirtyView = true; });
    this.sun.castShadow = false;
    this.sun.shadow.mapSize.set(1024, 1024);
    this.sun.shadow.bias = -0.0008;
    this.sun.shadow.normalBias = 0.01;
    this.overlay.contacts.renderOrder = this.path.renderOrder = 2;
    this.overlay.contacts.frustumCulled = this.path.frustumCulled = false;
    for (const shown of [this.rays, this.hits, this.cloud]) shown.frustumCulled = false;
    this.world.add(this.sun, this.sun.target, this.sky, this.base, this.overlay.contacts, this.path, this.rays, this.hits, this.cloud);
    this.ghost = new Ghost(this.world, this.meshes);
    new ResizeObserver(() => this.resize()).observe(host);
    this.resize();
    let down: [number, number] | null = null;
    this.renderer.domElement.addEventListener("pointerdown", (event) => { down = [event.clientX, event.clientY]; });
    this.renderer.domElement.addEventListener("pointerup", (event) => {
      if (down && Math.hypot(event.clientX - down[0], event.clientY - down[1]) < 4) this.pick(event);
      down = null;
    });
  }

  setBackground(colour: string): void {
    this.world.background = new Color(colour);
    this.world.fog = new Fog(colour, 25, 60);
    this.dirtyView = true;
  }

  setShadows(on: boolean): void {
    this.shadowsOn = on;
    this.sun.castShadow = on;
    this.dirtyView = true;
  }

  setView(view: View): void {
    this.home = view;
    const azimuth = view.azimuth_deg * Math.PI / 180, elevation = view.elevation_deg * Math.PI / 180;
    const target = new Vector3(...view.lookat);
    this.controls.target.copy(target);
    this.camera.position.set(
      target.x - view.distance * Math.cos(elevation) * Math.cos(azimuth),
      target.y - view.distance * Math.cos(elevation) * Math.sin(azimuth),
      target.z - view.distance * Math.sin(elevation),
    );
    this.controls.update();
    this.dirtyView = true;
  }

  setMode(mode: CameraMode): void {
    const before = this.mode;
    this.mode = mode;
    this.controls.enabled = mode !== "robot";
    this.camera.up.set(0, 0, 1);
    if (mode === "top") {
      const target = this.bodyPosition(this.followed) ?? this.controls.target.clone();
      this.controls.target.copy(target);
      this.camera.position.copy(target).add(new Vector3(-0.001, 0, this.home ? 1.4 * this.home.distance : 4));
      this.controls.update();
    } else if ((before === "top" || before === "robot") && this.home) this.setView(this.home);
    const now = this.bodyPosition(this.followed);
    if (now) this.last.copy(now);
    this.dirtyView = true;
  }

  /** Position (m) and roll, pitch, yaw (deg) of a body as shown. */
  bodyPose(body: number): { p: number[]; rpy: number[] } | null {
    const place = this.bodyPosition(body), at = 7 * body + 3, deg = 180 / Math.PI;
    if (!place) return null;
    const [x, y, z, w] = this.poses.subarray(at, at + 4);
    const roll = Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
    const pitch = Math.asin(Math.max(-1, Math.min(1, 2 * (w * y - z * x))));
    const yaw = Math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z));
    return { p: place.toArray(), rpy: [roll * deg, pitch * deg, yaw * deg] };
  }

  bodyPosition(body: number): Vector3 | null {
    if (body < 0 || 7 * body + 6 >= this.poses.length) return null;
    return new Vector3(this.poses[7 * body], this.poses[7 * body + 1], this.poses[7 * body + 2]);
  }

  setScene(scene: Scene): void {
    for (const group of this.groups) {
      this.world.remove(group.mesh);
      group.mesh.dispose();
    }
    for (const lines of this.overlay.triggers) this.world.remove(lines);
    this.scene = scene;
    this.poses = new Float64Array(7 * scene.bodies.length);
    this.colours = scene.geoms.map((geom) => geom.c);
    this.local = scene.geoms.map((geom) => {
      const [w, x, y, z] = geom.q;
      return new Matrix4().compose(new Vector3(...geom.p), new Quaternion(x, y, z, w), shape(geom, this.meshes).scale);
    });
    this.ofBody = scene.bodies.map(() => []);
    scene.geoms.forEach((geom, index) => this.ofBody[geom.b].push(index));
    this.build();
    this.want(scene.geoms.flatMap((geom) => geom.m ?? []));
    this.overlay.triggers = scene.triggers.map((trigger) => {
      const [x, y, z] = trigger.kind === "box" ? trigger.size! : [2 * trigger.radius!, 2 * trigger.radius!, trigger.length ?? 2 * trigger.radius!];
      const lines = new LineSegments(new EdgesGeometry(new BoxGeometry(x, y, z)), new LineBasicMaterial({ color: 0x1c7ed6 }));
      lines.position.set(...trigger.position);
      lines.rotation.z = (trigger.yaw_deg ?? 0) * Math.PI / 180;
      lines.visible = false;
      this.world.add(lines);
      return lines;
    });
  }

  private build(): void {
    for (const group of this.groups) this.world.remove(group.mesh);
    const found = new Map<string, { make: () => BufferGeometry; geoms: number[]; textured: boolean; alpha: number; glow: boolean }>();
    this.scene!.geoms.forEach((geom, index) => {
      const { key, make } = shape(geom, this.meshes), textured = Boolean(geom.x);
      const alpha = Math.round(20 * this.colours[index][3]) / 20, glow = this.colours[index][4] > 0;
      const full = `${key} ${textured} ${alpha} ${glow}`;
      const entry = found.get(full) ?? { make, geoms: [], textured, alpha, glow };
      entry.geoms.push(index);
      found.set(full, entry);
    });
    this.place = [];
    this.groups = [...found.values()].map(({ make, geoms, textured, alpha, glow }) => {
      const material = new MeshLambertMaterial({
        map: textured ? checker() : null, transparent: alpha < 1, opacity: alpha, depthWrite: alpha >= 1,
        side: this.scene!.geoms[geoms[0]].t === "plane" ? DoubleSide : FrontSide,
        emissive: glow ? 0xfff2cc : 0,
      });
      const mesh = new InstancedMesh(make(), material, geoms.length);
      mesh.frustumCulled = false;
      const group = { mesh, geoms, textured };
      mesh.receiveShadow = true;
      mesh.castShadow = alpha >= 1 && this.scene!.geoms[geoms[0]].t !== "plane";
      geoms.forEach((geom, place) => { this.place[geom] = [group, place]; });
      this.world.add(mesh);
      return group;
    });
    this.colours.forEach((_, geom) => this.paint(geom));
    for (let body = 0; body < this.ofBody.length; body++) this.dirty.add(body);
    this.dirtyView = true;
  }

  private paint(geom: number): void {
    const [group, place] = this.place[geom], [r, g, b] = this.colours[geom];
    group.mesh.setColorAt(place, new Color().setRGB(r, g, b, SRGBColorSpace));
    group.mesh.instanceColor!.needsUpdate = true;
  }

  setColours(rows: number[][], daylight: number): void {
    if (!this.scene || rows.length !== this.colours.length) return;
    const regroup = rows.some((row, geom) => row[3] !== this.colours[geom][3] || (row[4] > 0) !== (this.colours[geom][4] > 0));
    this.colours = rows;
    if (regroup) this.build();
    else rows.forEach((_, geom) => this.paint(geom));
    const light = 0.25 + 0.75 * daylight;
    this.sun.intensity = 1.9 * light;
    this.sky.intensity = 1.35 * light;
    this.base.intensity = 0.25 * light;
    this.dirtyView = true;
  }

  /** Show the robots of a second recording. */
  setGhost(scene: Scene): void {
    this.want(this.ghost.setScene(scene));
    this.dirtyView = true;
  }

  private want(digests: string[]): void {
    const waiting = this.wanted.length > 0;
    this.wanted = [...new Set([...this.wanted, ...digests])].filter((digest) => !this.meshes.has(digest));
    if (!waiting) this.requestNext();
  }

  private requestNext(): void {
    if (this.wanted.length) this.requestMesh(this.wanted[0]);
  }

  addMesh(data: MeshData): void {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(data.vertices, 3));
    geometry.setIndex(new BufferAttribute(data.faces, 1));
    const made = data.faces.length < 60_000 ? toCreasedNormals(geometry, SMOOTH_DEG * Math.PI / 180) : geometry;
    if (made === geometry) geometry.computeVertexNormals();
    this.meshes.set(data.digest, made);
    this.wanted = this.wanted.filter((digest) => digest !== data.digest);
    if (this.wanted.length) this.requestNext();
    else {
      if (this.scene) this.build();
      this.ghost.build();
    }
  }

  setPoses(poses: Poses): void {
    if (poses.ghost) {
      if (this.ghost.setPoses(poses)) this.dirtyView = true;
      return;
    }
    if (!this.scene || poses.scene !== this.scene.number) return;
    this.time = poses.time;
    poses.moved.forEach((body, index) => {
      unpackPose(poses.words, index, this.scene!.quantum, this.poses, 7 * body);
      this.dirty.add(body);
    });
  }

  setContacts(rows: number[][] | undefined, force: number): void {
    const points = new Float32Array(6 * (rows?.length ?? 0));
    rows?.forEach(([x, y, z, fx, fy, fz], i) => points.set([x, y, z, x + fx * force, y + fy * force, z + fz * force], 6 * i));
    this.overlay.contacts.geometry.dispose();
    this.overlay.contacts.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(points, 3));
    this.dirtyView = true;
  }

  /** Show the rays of range sensors, from origin to end, m. */
  setRays(sensors: Rays[]): void {
    const lines: number[] = [], ends: number[] = [];
    for (const { from, to } of sensors)
      for (const end of to) {
        lines.push(...from, ...end);
        ends.push(...end);
      }
    const set = (shown: Points | LineSegments, values: number[]): void => {
      shown.geometry.dispose();
      shown.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(values), 3));
    };
    set(this.rays, lines);
    set(this.hits, ends);
    this.dirtyView = true;
  }

  /** Show points of depth cameras: x, y, z in turn, m. */
  setPoints(values: number[]): void {
    this.cloud.geometry.dispose();
    this.cloud.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(values), 3));
    this.dirtyView = true;
  }

  showTriggers(on: boolean): void {
    for (const lines of this.overlay.triggers) lines.visible = on;
    this.dirtyView = true;
  }

  /** Show paths as lines: points (m) and colours (0 to 1). */
  setPaths(paths: { points: number[][]; colour: [number, number, number] }[]): void {
    const points: number[] = [], colours: number[] = [];
    for (const { points: line, colour } of paths)
      for (let i = 1; i < line.length; i++) {
        points.push(...line[i - 1], ...line[i]);
        const [r, g, b] = new Color().setRGB(...colour, SRGBColorSpace).toArray();
        colours.push(r, g, b, r, g, b);
      }
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", new BufferAttribute(new Float32Array(points), 3));
    geometry.setAttribute("color", new BufferAttribute(new Float32Array(colours), 3));
    this.path.geometry.dispose();
    this.path.geometry = geometry;
    this.dirtyView = true;
  }

  private resize(): void {
    const width = Math.max(1, this.host.clientWidth), height = Math.max(1, this.host.clientHeight);
    this.renderer.setSize(width, height);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.dirtyView = true;
  }

  /** Point of the ground under the pointer, or null. */
  ground(event: PointerEvent): Vector3 | null { return this.hit(event)?.point ?? null; }

  private hit(event: PointerEvent): Picked | null {
    const box = this.renderer.domElement.getBoundingClientRect(), caster = new Raycaster();
    const at = new Vector2(2 * (event.clientX - box.left) / box.width - 1, 1 - 2 * (event.clientY - box.top) / box.height);
    caster.setFromCamera(at, this.camera);
    for (const group of this.groups) group.mesh.boundingSphere = null;
    const [first] = caster.intersectObjects(this.groups.map((group) => group.mesh), false);
    if (!first || first.instanceId === undefined || !this.scene) return null;
    const group = this.groups.find((one) => one.mesh === first.object)!;
    const geom = group.geoms[first.instanceId], [body, owner] = this.scene.bodies[this.scene.geoms[geom].b];
    return { geom, body, owner, point: first.point };
  }

  private pick(event: PointerEvent): void { this.onpick(this.hit(event)); }

  /** Draw if anything has changed; return true if so. */
  draw(): boolean {
    if (!this.scene || !(this.dirty.size || this.dirtyView)) return false;
    const pose = new Matrix4(), whole = new Matrix4(), position = new Vector3(), turn = new Quaternion(), one = new Vector3(1, 1, 1);
    const touched = new Set<InstancedMesh>();
    for (const body of this.dirty) {
      const at = 7 * body, p = this.poses;
      if (!p[at + 3] && !p[at + 4] && !p[at + 5] && !p[at + 6]) continue;
      pose.compose(position.set(p[at], p[at + 1], p[at + 2]), turn.set(p[at + 3], p[at + 4], p[at + 5], p[at + 6]), one);
      for (const geom of this.ofBody[body]) {
        const [group, place] = this.place[geom];
        group.mesh.setMatrixAt(place, whole.multiplyMatrices(pose, this.local[geom]));
        touched.add(group.mesh);
      }
    }
    for (const mesh of touched) mesh.instanceMatrix.needsUpdate = true;
    this.dirty.clear();
    this.dirtyView = false;
    this.aim();
    this.renderer.render(this.world, this.camera);
    return true;
  }

  private aim(): void {
    const now = this.bodyPosition(this.followed);
    if (now && this.mode === "robot") {
      const at = 7 * this.followed + 3, p = this.poses;
      const turn = new Quaternion(p[at], p[at + 1], p[at + 2], p[at + 3]);
      const up = new Vector3(0, 0, 1).applyQuaternion(turn);
      this.camera.position.copy(now).addScaledVector(up, 0.25).add(new Vector3(-0.1, 0, 0).applyQuaternion(turn));
      this.camera.up.copy(up);
      this.camera.lookAt(new Vector3(1, 0, 0.1).applyQuaternion(turn).add(this.camera.position));
    } else if (now && this.mode !== "orbit") {
      const shift = now.clone().sub(this.last);
      if (shift.lengthSq() > 0) {
        this.controls.target.add(shift);
        this.camera.position.add(shift);
        this.controls.update();
        this.dirtyView = false;
      }
    }
    if (now) this.last.copy(now);
    const target = this.mode === "robot" && now ? now : this.controls.target, reach = Math.max(1.5, this.camera.position.distanceTo(target));
    this.sun.position.copy(target).add(new Vector3(-0.45 * reach, 0.6 * reach, 1.6 * reach));
    this.sun.target.position.copy(target);
    if (this.shadowsOn) {
      const shadow = this.sun.shadow.camera;
      shadow.left = shadow.bottom = -reach;
      shadow.right = shadow.top = reach;
      shadow.near = 0.05;
      shadow.far = 6 * reach;
      shadow.updateProjectionMatrix();
    }
  }

  /** Draw one robot in one colour without light, all else in black, for comparisons. */
  silhouette(owner: string): void {
    const plain = (colour: number): MeshBasicMaterial => new MeshBasicMaterial({ color: colour, fog: false });
    this.world.background = new Color(0);
    for (const group of this.groups) {
      group.mesh.material = plain(0xffffff) as never;
      for (const [place, geom] of group.geoms.entries())
        group.mesh.setColorAt(place, new Color(this.scene!.bodies[this.scene!.geoms[geom].b][1] === owner ? 0xff00ff : 0));
      group.mesh.instanceColor!.needsUpdate = true;
    }
    this.dirtyView = true;
    this.draw();
  }

  /** Record the canvas as WebM until the returned function is called. */
  record(): () => Promise<Blob> {
    const parts: Blob[] = [], recorder = new MediaRecorder(this.renderer.domElement.captureStream(30), { mimeType: "video/webm" });
    recorder.ondataavailable = (event) => parts.push(event.data);
    recorder.start();
    return () => new Promise((resolve) => {
      recorder.onstop = () => resolve(new Blob(parts, { type: "video/webm" }));
      recorder.stop();
    });
  }
}
