export interface Mutation {
  readonly what: string;
  readonly patches: readonly {
    readonly file: string;
    readonly from: string;
    readonly to: string;
  }[];
}
export const mutations: Readonly<Record<string, Mutation>>;
