/**
 * What lies above the page, kept in the browser's history: Back takes away the topmost, and no more.
 * On a phone that is the gesture for closing whatever covers the screen.
 */

export const dialogs = ["new", "phone", "keyboard"] as const;
export type Dialog = (typeof dialogs)[number];
export type Layer = Dialog | "side";

export interface Layers {
  /** The topmost last. */
  readonly open: readonly Layer[];
  /** How many entries of the history lie between the page itself and this. */
  readonly above: number;
}

const none: Layers = { open: [], above: 0 };

/** Another version of the page, or another page, may have written it. */
export function layersOf(state: unknown): Layers {
  const { open, above } = (state ?? {}) as Partial<Layers>;
  if (!Array.isArray(open) || !Number.isSafeInteger(above) || Number(above) < 1) return none;
  return { open: open.filter(isLayer), above: Number(above) };
}

export function withLayer({ open, above }: Layers, layer: Layer): Layers {
  return { open: [...open, layer], above: above + 1 };
}

/** Something else was opened inside of the topmost: Back leads to what was there. */
export function deeper({ open, above }: Layers): Layers {
  return { open, above: above + 1 };
}

/** A dialog lies above all others, and nothing is opened inside of it. */
export function dialogOf({ open }: Layers): Dialog | null {
  const top = open.at(-1);
  return dialogs.find((dialog) => dialog === top) ?? null;
}

function isLayer(value: unknown): value is Layer {
  return value === "side" || dialogs.some((dialog) => dialog === value);
}
