export interface Comment {
  readonly line: number;
  readonly text: string;
}

export interface Source {
  readonly path: string;
  readonly text: string;
}

export const LIMIT: number;

export function commentsOf(path: string, source: string): Comment[];

export function vagueComments(sources: readonly Source[]): {
  readonly comments: number;
  readonly vague: readonly (Comment & { readonly path: string })[];
  readonly isRefused: boolean;
};
