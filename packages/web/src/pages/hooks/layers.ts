/** The layers above the page, in the browser's history, so that Back closes the topmost. */

export const dialogs = ["new", "phone", "keyboard"] as const;
export type Dialog = (typeof dialogs)[number];
export type Layer = Dialog | "side";

interface Layers {
  /** From the bottom layer to the topmost. */
  readonly open: readonly Layer[];
  /** The number of history entries between the page itself and the current entry. */
  readonly above: number;
}

const none: Layers = { open: [], above: 0 };

/** Validates the history state, which another page or version may have written. */
export function layersOf(state: unknown): Layers {
  const { open, above } = (state ?? {}) as Partial<Layers>;
  if (!Array.isArray(open) || !Number.isSafeInteger(above) || Number(above) < 1) return none;
  return { open: open.filter(isLayer), above: Number(above) };
}

export function withLayer({ open, above }: Layers, layer: Layer): Layers {
  return { open: [...open, layer], above: above + 1 };
}

/** Records a step inside the topmost layer, from which Back returns. */
export function deeper({ open, above }: Layers): Layers {
  return { open, above: above + 1 };
}

/** The open dialog. A dialog is always the topmost layer. */
export function dialogOf({ open }: Layers): Dialog | null {
  const top = open.at(-1);
  return dialogs.find((dialog) => dialog === top) ?? null;
}

function isLayer(value: unknown): value is Layer {
  return value === "side" || dialogs.some((dialog) => dialog === value);
}
