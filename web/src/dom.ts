// Small helpers for elements and stored preferences.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, unknown>;

/** Create an element: properties are set, `on…` are listeners, `class` and `aria-…` attributes. */
export function el<K extends keyof HTMLElementTagNameMap>(tag: K, properties: Properties = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key.startsWith("on") && typeof value === "function") made.addEventListener(key.slice(2), value as EventListener);
    else if (key === "class" || key.includes("-") || key === "role" || key === "for") made.setAttribute(key, String(value));
    else (made as unknown as Properties)[key] = value;
  }
  for (const child of children) if (child) made.append(child);
  return made;
}

export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren(...children.filter((child): child is Node | string => Boolean(child)));
}

/** Set a text only if it differs: no layout for unchanged numbers. */
export function text(node: Element, value: string): void {
  if (node.textContent !== value) node.textContent = value;
}

export function remembered(key: string, fallback: string): string {
  try { return localStorage.getItem(`grouser.${key}`) ?? fallback; } catch { return fallback; }
}

export function remember(key: string, value: string): void {
  try { localStorage.setItem(`grouser.${key}`, value); } catch { /* private windows have no storage */ }
}

export function download(name: string, blob: Blob): void {
  const url = URL.createObjectURL(blob);
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

/** Return a number with a fixed number of decimals, without a minus before zeros. */
export function fixed(value: number, digits: number): string {
  const shown = value.toFixed(digits);
  return Number(shown) === 0 ? shown.replace("-", "") : shown;
}

export function clock(seconds: number): string {
  const tenths = Math.round(seconds * 10), minutes = Math.floor(tenths / 600);
  return `${minutes}:${((tenths - 600 * minutes) / 10).toFixed(1).padStart(4, "0")}`;
}
