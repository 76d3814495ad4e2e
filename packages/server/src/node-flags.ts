/** A process that we start from sources resolves packages as this one does. */
export function nodeFlags(): string[] {
  return process.execArgv.filter((flag) => /^(--conditions|-C)=/.test(flag));
}
