import { createContext, createElement, type ReactNode, useContext } from "react";
import type { Holdfast } from "../holdfast.ts";

const HoldfastContext = createContext<Holdfast | null>(null);

export interface HoldfastProviderProps {
  /** Created outside of React, and closed by its creator; a page has one. */
  readonly holdfast: Holdfast;
  readonly children?: ReactNode;
}

export function HoldfastProvider({ holdfast, children }: HoldfastProviderProps) {
  return createElement(HoldfastContext.Provider, { value: holdfast }, children);
}

export function useHoldfast(): Holdfast {
  const holdfast = useContext(HoldfastContext);
  if (holdfast === null) throw new Error("Put a <HoldfastProvider> around this.");
  return holdfast;
}
