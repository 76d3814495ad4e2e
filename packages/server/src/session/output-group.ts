/**
 * What an agent said that is not on its way to the journal yet. Text is one item however many pieces
 * it came in, up to a page; what nobody reads as it comes is kept whole.
 */

import type { Output } from "@holdfast/protocol";

/** A group as large as this is not kept waiting. */
const FULL_BYTES = 256 * 1024;
const FULL_ITEMS = 500;

/** One piece of text past this is a file, not something anyone reads as it comes. */
const LONG_TEXT = 128 * 1024;

/** What an item that is not text costs, roughly. */
const ITEM_BYTES = 256;

export class OutputGroup {
  readonly #page: number;
  #items: Output[] = [];
  #bytes = 0;
  /** The text that still grows: it becomes an item when something else follows. */
  #type: "text" | "thinking" = "text";
  #text = "";

  /** `page` is the most text of one item. */
  constructor(page: number) {
    this.#page = page;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  get isFull(): boolean {
    return this.#bytes >= FULL_BYTES || this.#items.length >= FULL_ITEMS;
  }

  /** A page is worth a commit of its own. */
  get hasPage(): boolean {
    return this.#bytes >= this.#page;
  }

  add(item: Output): void {
    if (item.type !== "text" && item.type !== "thinking") {
      this.#close();
      this.#items.push(item);
      this.#bytes += ITEM_BYTES;
      return;
    }
    const { type, text } = item;
    this.#bytes += text.length;
    if (text.length > LONG_TEXT) {
      this.#close();
      this.#items.push({ type: "part", part: { type, text } });
      return;
    }
    if (type !== this.#type || this.#text.length + text.length > this.#page) this.#close();
    this.#type = type;
    this.#text += text;
  }

  take(): Output[] {
    this.#close();
    const items = this.#items;
    this.#items = [];
    this.#bytes = 0;
    return items;
  }

  #close(): void {
    const [type, text] = [this.#type, this.#text];
    this.#text = "";
    for (let at = 0; at < text.length; at += this.#page) {
      this.#items.push({ type, text: text.slice(at, at + this.#page) });
    }
  }
}
