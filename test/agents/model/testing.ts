/** A minimal client of the model: it posts a request and parses the stream. */

import { createParser, type EventSourceMessage } from "eventsource-parser";
import { type Model, type ModelOptions, startModel } from "./server.ts";

const models = new Set<Model>();

/** Starts a model with sequential ids, so that a test can name them. */
export async function aModel(options: ModelOptions = {}): Promise<Model> {
  let ids = 0;
  const model = await startModel({ newId: () => String(++ids), ...options });
  models.add(model);
  return model;
}

export async function endModels(): Promise<void> {
  for (const model of models) await model.close();
  models.clear();
}

export function post(model: Model, path: string, body: unknown): Promise<Response> {
  const headers = { "content-type": "application/json" };
  const url = `${model.urlFor("here")}${path}`;
  return fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
}

/** All events of a stream. */
export async function streamed(response: Response): Promise<EventSourceMessage[]> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  parser.feed(await response.text());
  return events;
}

/** The first events of a stream that may never end. */
export async function begun(response: Response, count: number): Promise<EventSourceMessage[]> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    if (events.length >= count) return events;
  }
  throw new Error(`the stream ended after ${events.length} events`);
}

export const dataOf = <T>(events: readonly EventSourceMessage[]): T[] =>
  events.filter(({ data }) => data !== "[DONE]").map(({ data }) => JSON.parse(data) as T);
