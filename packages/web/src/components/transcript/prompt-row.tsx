import type { Message } from "@holdfast/protocol";
import { MessageText } from "../../content/message-text.tsx";
import type { RowEdge } from "../../line/rows.ts";
import { Time } from "../../ui/time.tsx";
import { classes } from "../../ui/tone.ts";
import { LineRow } from "./line-row.tsx";

interface PromptRowProps {
  readonly message: Message;
  readonly now: number;
  readonly edge?: RowEdge | undefined;
}

/** Prompts up to this many characters are bold; longer bold text is hard to read. */
const SHORT = 280;

export function PromptRow({ message, now, edge }: PromptRowProps) {
  const texts = message.contentParts.filter((part) => part.type === "text");
  const blob = texts.find((part) => part.blob !== undefined)?.blob;
  const text = texts.map(({ text }) => text).join("");
  return (
    <LineRow edge={edge} shape="prompt" tone="strong" knotY="32px" className="pt-5 pb-2">
      <div className={classes("flex items-baseline gap-4", message.rewound && "opacity-60")}>
        <div className="min-w-0 flex-1">
          <span className="sr-only">You: </span>
          <MessageText
            text={text}
            blob={blob ?? null}
            className={classes(
              text.length <= SHORT && "font-semibold",
              message.rewound && "line-through",
            )}
          />
          {message.rewound && <p className="text-sm text-quiet">removed by a rewind</p>}
        </div>
        <Time at={message.createdAt} now={now} className="shrink-0 text-xs text-quiet" isShort />
      </div>
    </LineRow>
  );
}
