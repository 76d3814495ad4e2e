import type { Source } from "./comments.mjs";

export function exportsOf(path: string, source: string): string[];

export function sharedNames(sources: readonly Source[]): {
  readonly exported: number;
  readonly shared: readonly { readonly name: string; readonly paths: readonly string[] }[];
};
