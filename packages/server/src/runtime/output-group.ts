/** Collects output before its write; consecutive text becomes one item of at most one page. */

import type { Output } from "@holdfast/protocol";

/** A group of this size is written at once. */
const FULL_BYTES = 256 * 1024;
const FULL_ITEMS = 500;

/** A single piece of text longer than this is a file rather than streamed words. */
const LONG_TEXT = 128 * 1024;

/** Approximate size of an item that is not text. */
const ITEM_BYTES = 256;

export class OutputGroup {
  readonly #page: number;
  #items: Output[] = [];
  #bytes = 0;
  /** The growing text, which becomes an item when other output follows. */
  #type: "text" | "thinking" = "text";
  #text = "";

  /** `page` is the most characters of one text item. */
  constructor(page: number) {
    this.#page = page;
  }

  get isEmpty(): boolean {
    return this.#bytes === 0;
  }

  get isFull(): boolean {
    return this.#bytes >= FULL_BYTES || this.#items.length >= FULL_ITEMS;
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
