/** The connection between this page and the host, in words. A lost connection is not an error. */

import type { Connection } from "@holdfast/client";
import { count, duration, type Tone } from "@holdfast/protocol";

interface ConnectionWord {
  readonly word: string;
  readonly tone: Tone;
  readonly means: string;
}

/** Null while live. */
export function connectionWord(connection: Connection, isOnline: boolean): ConnectionWord | null {
  switch (connection.state) {
    case "live":
      return null;
    case "connecting":
      return { word: "connecting", tone: "quiet", means: "Connecting to the host." };
    case "catching_up": {
      const word = `catching up, ${count(connection.behind, "event")}`;
      return { word, tone: "alive", means: "Loading what happened meanwhile." };
    }
    case "unauthorized":
      return { word: "signed out", tone: "needs", means: connection.reason };
    case "away":
      return isOnline
        ? {
            word: "Host offline, reconnecting…",
            tone: "quiet",
            means: `Agents keep working. Next try in ${duration(connection.retryInMs)}.`,
          }
        : {
            word: "This page is offline",
            tone: "quiet",
            means:
              "Agents keep working. What you write is saved here and sent when you are back online.",
          };
  }
}
