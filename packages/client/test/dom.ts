/** A document to render into, and hooks that are observed from outside React. */

import { Window } from "happy-dom";
import { createElement, type ReactNode, StrictMode } from "react";
import { Cell } from "../src/cell.ts";
import type { Holdfast } from "../src/holdfast.ts";
import { HoldfastProvider } from "../src/react/index.ts";

const window = new Window();
Object.assign(globalThis, { window, document: window.document });
// Imported late, because it looks for a document when it is loaded.
const { createRoot } = await import("react-dom/client");

export interface Mounted<T> {
  /** The hook's latest return value. */
  readonly hook: Cell<T>;
  unmount(): void;
}

export function mount<T>(holdfast: Holdfast, useIt: () => T): Mounted<T> {
  const hook = new Cell<T>(undefined as T);
  function Drawn(): ReactNode {
    hook.set(useIt());
    return null;
  }
  const container = window.document.createElement("div");
  const root = createRoot(container as never);
  const inside = createElement(HoldfastProvider, { holdfast }, createElement(Drawn));
  root.render(createElement(StrictMode, null, inside));
  return { hook, unmount: () => root.unmount() };
}
