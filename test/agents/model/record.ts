/** What the model was asked: the one witness of the context an agent really kept. */

import type { Entry } from "./conversation.ts";
import { saidBy } from "./conversation.ts";

export interface Exchange {
  readonly number: number;
  /** From the address it was sent to, so that agents on one server are told apart. */
  readonly place: string;
  readonly wire: string;
  /** Asked for a title or the like, not by the conversation itself. */
  readonly isSide: boolean;
  readonly conversation: readonly Entry[];
}

export interface Wanted {
  readonly place?: string;
  /** The user said this somewhere in it. */
  readonly said?: string;
}

export class ModelRecord {
  readonly exchanges: Exchange[] = [];
  /** Requests that no wire format knows, such as `GET /v1/models`. */
  readonly strays: string[] = [];
  readonly #waiting = new Set<() => void>();

  add(exchange: Omit<Exchange, "number">): void {
    this.exchanges.push({ number: this.exchanges.length + 1, ...exchange });
    for (const look of this.#waiting) look();
  }

  /** The last request of a conversation. */
  last({ place, said }: Wanted): Exchange | null {
    const found = this.exchanges.findLast(
      (exchange) =>
        !exchange.isSide &&
        (place === undefined || exchange.place === place) &&
        (said === undefined || hasSaid(exchange, said)),
    );
    return found ?? null;
  }

  /** The same, now or as soon as it comes. */
  until(wanted: Wanted): Promise<Exchange> {
    return new Promise((resolve) => {
      const look = () => {
        const found = this.last(wanted);
        if (found === null) return;
        this.#waiting.delete(look);
        resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }
}

const hasSaid = ({ conversation }: Exchange, text: string): boolean =>
  saidBy("user", conversation).some((said) => said.includes(text));
