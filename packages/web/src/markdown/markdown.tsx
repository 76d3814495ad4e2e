/**
 * Renders an agent's Markdown as elements, without HTML in between, so that no sanitising is
 * needed: tags are shown as text, images as links that load no data, and links lead only outside.
 */

import { visible } from "@holdfast/protocol";
import type { Token, Tokens } from "marked";
import { createElement, Fragment, memo, type ReactNode, useMemo } from "react";
import { Pieces } from "../content/long-text.tsx";
import { safeHref } from "../text/links.ts";
import { cutLines } from "../text/output.ts";
import { Scrolling } from "../ui/scrolling.tsx";
import { blocksOf, markdownEnd } from "./blocks.ts";
import { CodeBlock } from "./code-block.tsx";
import { useMend } from "./mend.ts";

/** Longest paragraph that is parsed; people write shorter ones. */
const LONGEST_PARAGRAPH = 20_000;

interface MarkdownProps {
  readonly text: string;
  readonly isStreaming: boolean;
}

export const Markdown = memo(function Markdown({ text, isStreaming }: MarkdownProps) {
  const end = markdownEnd(text);
  const isWhole = end === text.length;
  const head = isWhole ? text : text.slice(0, end);
  const mend = useMend(isStreaming && isWhole);
  const blocks = useMemo(
    () => blocksOf(cutLines(visible(head), LONGEST_PARAGRAPH), mend),
    [head, mend],
  );
  const last = blocks.length - 1;
  return (
    <div className="prose">
      {blocks.map(({ token, raw }, i) => {
        const isGrowing = isStreaming && i === last;
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end.
        return <BlockView key={i} token={token} raw={raw} isGrowing={isGrowing} />;
      })}
      {!isWhole && (
        <div className="inert whitespace-pre-wrap">
          <Pieces text={visible(text.slice(end))} />
        </div>
      )}
    </div>
  );
});

interface BlockProps {
  readonly token: Token;
  readonly raw: string;
  readonly isGrowing: boolean;
}

/** Renders a block again only when its source changes. */
const BlockView = memo(
  ({ token, isGrowing }: BlockProps) => block(token as Tokens.Generic, isGrowing),
  (a, b) => a.raw === b.raw && a.isGrowing === b.isGrowing,
);

function block(token: Tokens.Generic, isGrowing: boolean, isInList = false): ReactNode {
  switch (token.type) {
    case "heading":
      return token.depth <= 2 ? (
        <h2 dir="auto">{inline(token.tokens)}</h2>
      ) : (
        <h3 dir="auto">{inline(token.tokens)}</h3>
      );
    case "paragraph":
      // Inside a list the list itself sets the direction, by its first words.
      return isInList ? <p>{inline(token.tokens)}</p> : <p dir="auto">{inline(token.tokens)}</p>;
    case "code":
      return <CodeBlock code={token.text} language={token.lang ?? ""} isGrowing={isGrowing} />;
    case "list":
      return <List list={token as Tokens.List} />;
    case "blockquote":
      return <blockquote dir="auto">{blocks(token.tokens, true)}</blockquote>;
    case "table":
      return <Table table={token as Tokens.Table} />;
    case "hr":
      return <hr />;
    case "text":
      return token.tokens === undefined ? token.text : inline(token.tokens);
    default:
      return (
        <p dir="auto" className="whitespace-pre-wrap">
          {token.raw}
        </p>
      );
  }
}

/** Children keyed by position: they are always parsed as a whole. */
const inPlace = (nodes: readonly ReactNode[]) => createElement(Fragment, null, ...nodes);

function blocks(tokens: readonly Token[] = [], isInList = false): ReactNode {
  const shown = tokens.filter(({ type }) => type !== "space" && type !== "checkbox");
  return inPlace(shown.map((token) => block(token as Tokens.Generic, false, isInList)));
}

function inline(tokens: readonly Token[] = []): ReactNode {
  return inPlace(tokens.map((token) => span(token as Tokens.Generic)));
}

function List({ list }: { readonly list: Tokens.List }) {
  const items = inPlace(list.items.map(listItem));
  if (!list.ordered) return <ul dir="auto">{items}</ul>;
  return (
    <ol dir="auto" start={list.start === "" ? 1 : list.start}>
      {items}
    </ol>
  );
}

function listItem({ task, checked, tokens }: Tokens.ListItem): ReactNode {
  if (!task) return <li>{blocks(tokens, true)}</li>;
  return (
    <li className="list-none">
      <span aria-hidden="true">{checked ? "✓ " : "○ "}</span>
      <span className="sr-only">{checked ? "done: " : "not done: "}</span>
      {blocks(tokens, true)}
    </li>
  );
}

function Table({ table }: { readonly table: Tokens.Table }) {
  return (
    <Scrolling label="Table">
      <table dir="auto">
        <thead>{tableRow("th", table.header)}</thead>
        <tbody>{inPlace(table.rows.map((row) => tableRow("td", row)))}</tbody>
      </table>
    </Scrolling>
  );
}

function tableRow(cell: "th" | "td", cells: readonly Tokens.TableCell[]): ReactNode {
  const drawn = cells.map(({ tokens }) => createElement(cell, null, inline(tokens)));
  return <tr>{inPlace(drawn)}</tr>;
}

function span(token: Tokens.Generic): ReactNode {
  switch (token.type) {
    case "text":
      return token.tokens === undefined ? unescaped(token.text) : inline(token.tokens);
    case "escape":
      return unescaped(token.text);
    case "strong":
      return <strong>{inline(token.tokens)}</strong>;
    case "em":
      return <em>{inline(token.tokens)}</em>;
    case "del":
      return <del>{inline(token.tokens)}</del>;
    case "codespan":
      return <code>{unescaped(token.text)}</code>;
    case "br":
      return <br />;
    case "link":
      return <Link href={token.href}>{inline(token.tokens)}</Link>;
    case "image":
      return <Link href={token.href}>image: {token.text || token.href}</Link>;
    default:
      return token.raw;
  }
}

function Link({ href, children }: { readonly href: string; readonly children: ReactNode }) {
  const safe = safeHref(href);
  if (safe === null) return <span title={href}>{children}</span>;
  return (
    <a href={safe} title={safe} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

/** Reverts the lexer's HTML escaping, because we render text and not HTML. */
function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (found) => entities[found] ?? found);
}
