/** The word after `--option`: the name of one of the agent's own options, or its number. */

import type { OwnOption } from "@holdfast/protocol";
import { shellWord } from "../hint.ts";

/**
 * A name wins over a number, because an option may be named "2". A number wins over an id: lists
 * show numbers and no ids, and an agent may count its ids from 0.
 */
export function optionFor(text: string, options: readonly OwnOption[]): OwnOption | undefined {
  const name = text.toLowerCase();
  return (
    options.find((one) => one.name.toLowerCase() === name) ??
    options[Number(text) - 1] ??
    options.find(({ id }) => id === text)
  );
}

/** The word for an option in a command: its number, or its name if another option is named so. */
export function wordFor(option: OwnOption, options: readonly OwnOption[]): string {
  const number = String(options.indexOf(option) + 1);
  return optionFor(number, options) === option ? number : shellWord(option.name);
}
