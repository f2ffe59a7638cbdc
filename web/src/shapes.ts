// Geometries of geoms, and the ground's texture.

import {
  BoxGeometry, BufferGeometry, CanvasTexture, CapsuleGeometry, CylinderGeometry, NearestFilter, PlaneGeometry,
  Quaternion, RepeatWrapping, SphereGeometry, SRGBColorSpace, Vector3,
} from "three";
import type { Geom } from "./protocol";

const GROUND_TILE = 0.5; // m, edge of a square of the ground's checker
const FAR_PLANE = 40; // m, half size of an unbounded plane

const UNIT_Z = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI / 2);

let software: boolean | null = null;
/** Return true if WebGL runs on the processor, where smooth edges cost too much. */
export function isSoftware(): boolean {
  if (software === null) {
    const gl = document.createElement("canvas").getContext("webgl2"), info = gl?.getExtension("WEBGL_debug_renderer_info");
    software = /swiftshader|llvmpipe|software/i.test(String(gl && info ? gl.getParameter(info.UNMASKED_RENDERER_WEBGL) : ""));
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
  return software;
}

export function checker(): CanvasTexture {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 64;
  const pen = canvas.getContext("2d")!;
  pen.fillStyle = "#b8b8b3";
  pen.fillRect(0, 0, 64, 64);
  pen.fillStyle = "#a9a9a4";
  pen.fillRect(0, 0, 32, 32);
  pen.fillRect(32, 32, 32, 32);
  const texture = new CanvasTexture(canvas);
  texture.wrapS = texture.wrapT = RepeatWrapping;
  texture.colorSpace = SRGBColorSpace;
  texture.magFilter = NearestFilter;
  texture.anisotropy = isSoftware() ? 1 : 4;
  return texture;
}

/** Return a geometry and the scale that gives it the size of a geom. */
export function shape(geom: Geom, meshes: Map<string, BufferGeometry>): { key: string; make: () => BufferGeometry; scale: Vector3 } {
  const [a, b, c] = geom.s, one = new Vector3(1, 1, 1);
  switch (geom.t) {
    case "box": return { key: "box", make: () => new BoxGeometry(2, 2, 2), scale: new Vector3(a, b, c) };
    case "sphere": return { key: "sphere", make: () => new SphereGeometry(1, 20, 14), scale: new Vector3(a, a, a) };
    case "ellipsoid": return { key: "sphere", make: () => new SphereGeometry(1, 20, 14), scale: new Vector3(a, b, c) };
    case "cylinder": return {
      key: "cylinder", scale: new Vector3(a, a, b),
      make: () => new CylinderGeometry(1, 1, 2, 28).applyQuaternion(UNIT_Z),
    };
    case "capsule": return {
      key: `capsule ${a} ${b}`, scale: one,
      make: () => new CapsuleGeometry(a, 2 * b, 4, 10).applyQuaternion(UNIT_Z),
    };
    case "plane": {
      const x = a || FAR_PLANE, y = b || FAR_PLANE;
      return {
        key: `plane ${x} ${y}`, scale: one,
        make: () => {
          const plane = new PlaneGeometry(2 * x, 2 * y), uv = plane.getAttribute("uv");
          for (let i = 0; i < uv.count; i++)
            uv.setXY(i, (uv.getX(i) - 0.5) * x / GROUND_TILE, (uv.getY(i) - 0.5) * y / GROUND_TILE);
          return plane;
        },
      };
    }
    default: return { key: `mesh ${geom.m}`, scale: one, make: () => meshes.get(geom.m!) ?? new BufferGeometry() };
  }
}
