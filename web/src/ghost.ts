// The robots of a second recording, transparent, in the world of the first.

import { BufferGeometry, Group, InstancedMesh, Matrix4, MeshLambertMaterial, Quaternion, Scene as World, Vector3 } from "three";
import { unpackPose, type Poses, type Scene } from "./protocol";
import { shape } from "./shapes";

const COLOUR = 0x1c7ed6, OPACITY = 0.4;

export class Ghost {
  scene: Scene | null = null;
  readonly poses: { values: Float64Array } = { values: new Float64Array(0) };
  private group = new Group();
  private parts: { body: number; local: Matrix4; mesh: InstancedMesh; place: number }[] = [];

  constructor(world: World, private meshes: Map<string, BufferGeometry>) { world.add(this.group); }

  /** Digests of the meshes that the robots need. */
  setScene(scene: Scene): string[] {
    this.scene = scene;
    this.poses.values = new Float64Array(7 * scene.bodies.length);
    this.build();
    return this.geoms().flatMap((geom) => geom.m ?? []);
  }

  private geoms(): Scene["geoms"] {
    const robots = new Set(this.scene!.robots.map((robot) => robot.name));
    return this.scene!.geoms.filter((geom) => robots.has(this.scene!.bodies[geom.b][1]) && geom.c[3] > 0);
  }

  build(): void {
    if (!this.scene) return;
    for (const child of this.group.children) (child as InstancedMesh).dispose();
    this.group.clear();
    this.parts = [];
    const found = new Map<string, { make: () => BufferGeometry; rows: { body: number; local: Matrix4 }[] }>();
    for (const geom of this.geoms()) {
      const { key, make, scale } = shape(geom, this.meshes), [w, x, y, z] = geom.q;
      const entry = found.get(key) ?? { make, rows: [] };
      entry.rows.push({ body: geom.b, local: new Matrix4().compose(new Vector3(...geom.p), new Quaternion(x, y, z, w), scale) });
      found.set(key, entry);
    }
    for (const { make, rows } of found.values()) {
      const mesh = new InstancedMesh(make(), new MeshLambertMaterial({ color: COLOUR, transparent: true, opacity: OPACITY, depthWrite: false }), rows.length);
      mesh.frustumCulled = false;
      rows.forEach((row, place) => this.parts.push({ ...row, mesh, place }));
      this.group.add(mesh);
    }
    this.move();
  }

  setPoses(poses: Poses): boolean {
    if (!this.scene || poses.scene !== this.scene.number) return false;
    poses.moved.forEach((body, index) => unpackPose(poses.words, index, this.scene!.quantum, this.poses.values, 7 * body));
    this.move();
    return true;
  }

  private move(): void {
    const pose = new Matrix4(), p = this.poses.values, one = new Vector3(1, 1, 1);
    for (const { body, local, mesh, place } of this.parts) {
      const at = 7 * body;
      pose.compose(new Vector3(p[at], p[at + 1], p[at + 2]), new Quaternion(p[at + 3], p[at + 4], p[at + 5], p[at + 6]), one);
      mesh.setMatrixAt(place, pose.multiply(local));
      mesh.instanceMatrix.needsUpdate = true;
    }
  }

  /** Position of a body of a robot with this name, or null. */
  position(name: string): Vector3 | null {
    const body = this.scene?.robots.find((robot) => robot.name === name)?.body;
    if (body === undefined) return null;
    const at = 7 * body, p = this.poses.values;
    return new Vector3(p[at], p[at + 1], p[at + 2]);
  }
}
