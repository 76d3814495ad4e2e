/** Syntax highlighting by classes only; the colours come from our stylesheet. */

import bash from "highlight.js/lib/languages/bash";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { createLowlight } from "lowlight";
import type { ReactNode } from "react";

const languages = {
  bash,
  css,
  diff,
  go,
  java,
  javascript,
  json,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
const lowlight = createLowlight(languages);
lowlight.registerAlias({ typescript: ["tsx"], javascript: ["jsx"], bash: ["console"] });

type Tree = ReturnType<typeof lowlight.highlight>;
type Node = Tree["children"][number];

/** Highlights code; null for an unknown language. */
export function highlight(code: string, language: string): ReactNode {
  if (!lowlight.registered(language)) return null;
  return lowlight.highlight(language, code).children.map(drawn);
}

function drawn(node: Node, at: number): ReactNode {
  if (node.type === "text") return node.value;
  if (node.type !== "element") return null;
  const { className } = node.properties;
  const names = Array.isArray(className) ? className.join(" ") : undefined;
  return (
    <span key={at} className={names}>
      {node.children.map((child, i) => drawn(child as Node, i))}
    </span>
  );
}
