export interface Origin {
  readonly commit: string | null;
  readonly checkout: string;
  readonly dirty: boolean;
}

export function originOf(root: string): Origin;
export function stamp(file: string, root: string, begun: Origin): void;
export function since(begun: Origin, now: Origin): Origin;
