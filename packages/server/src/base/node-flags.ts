/** Node flags that make a child process resolve packages as this process does. */
export function nodeFlags(): string[] {
  return process.execArgv.filter((flag) => /^(--conditions|-C)=/.test(flag));
}
