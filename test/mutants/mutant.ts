/** A planted fault: the line of docs/spec that it breaks, how, and the test that must notice. */

export interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export interface Mutant {
  /** Unique, and short enough for `--mutant`. */
  readonly name: string;
  /** The fault in words: "a denial is delivered as an approval". */
  readonly what: string;
  /** Lines of docs/spec that are no longer true with it. */
  readonly breaks: readonly string[];
  /** Every patch must change its file. */
  readonly patches: readonly Patch[];
  readonly noticedBy: Notice;
  /** The test takes over two seconds: the mutant is left out of `npm test`. */
  readonly long?: true;
}

/** A test of vitest that must pass without the fault, and fail with it. */
export interface Notice {
  readonly file: string;
  /** Part of the test's full name. One of the tests that have it must fail. */
  readonly test: string;
  /** Part of the failure's message, where it is not the failure of an assertion. */
  readonly failure?: string;
}

/** The source with the fault in it. A patch whose text is gone is an error, as is one that fits twice. */
export function planted(source: string, file: string, patches: readonly Patch[]): string {
  return patches
    .filter((patch) => patch.file === file)
    .reduce((text, { from, to }) => {
      const places = text.split(from).length - 1;
      if (places !== 1) throw new Error(`${file} holds ${places} times, not once: ${from}`);
      return text.replace(from, () => to);
    }, source);
}

/** Makes faults with one patch, in a folder whose tests stand beside the sources. */
export function mutantsIn(folder: string, breaks: readonly string[]) {
  return (
    name: string,
    what: string,
    [source, from, to]: readonly [source: string, from: string, to: string],
    [tests, test]: readonly [tests: string, test: string],
  ): Mutant => ({
    name,
    what,
    breaks,
    patches: [{ file: `${folder}/${source}.ts`, from, to }],
    noticedBy: { file: `${folder}/${tests}.test.ts`, test },
  });
}
