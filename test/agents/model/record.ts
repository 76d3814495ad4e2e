/** The requests that the model received: the only proof of the context an agent kept. */

import type { Entry } from "./conversation.ts";
import { saidBy } from "./conversation.ts";

export interface Exchange {
  readonly number: number;
  /** Taken from the address of the request, to distinguish agents on one server. */
  readonly place: string;
  readonly wire: string;
  /** True for a side request, such as one for a title. */
  readonly isSide: boolean;
  readonly conversation: readonly Entry[];
}

export interface Wanted {
  readonly place?: string;
  /** Text that the user must have said in the conversation. */
  readonly said?: string;
}

export class ModelRecord {
  readonly exchanges: Exchange[] = [];
  /** Requests outside all wire formats, such as `GET /v1/models`. */
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

  /** The last request of a conversation, now or as soon as it arrives. */
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
