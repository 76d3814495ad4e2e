/**
 * Draws the folders of each package and their import arrows as SVG. A folder stands above those it
 * imports. An arrow that others imply is left out, and so are files at the top of a package.
 */

import { folderArrows } from "./arrows.mjs";
import { sourcesOf } from "./sources.mjs";

const WIDTH = 1000;
const ROW = 80;
const BOX = { width: 150, height: 46 };
const LETTERS = 26;

const packages = [
  ["server", 1, "the host, wired in host.ts"],
  ["protocol", 1, "events, folds, wire and words; every other package imports it"],
  ["client", 1, "the SDK, for page, CLI and others"],
  ["cli", 1, "the command holdfast; imports client and server"],
  ["web", 2, "the page; imports client"],
];

export function picture() {
  let top = 0;
  const parts = [];
  for (const [name, depth, about] of packages) {
    const { svg, height } = panel(name, depth, about, top);
    parts.push(svg);
    top += height;
  }
  return `${head(top)}${parts.join("")}</svg>\n`;
}

function head(height) {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif">
<title>Folders and their imports; drawn by npm run graph</title>
<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" fill="#667"/></marker></defs>
<rect width="${WIDTH}" height="${height}" fill="#fff"/>
`;
}

function panel(name, depth, about, top) {
  const sources = sourcesOf(name);
  const folders = sources.map(([path]) => path.split("/").slice(0, -1).slice(0, depth).join("/"));
  const nodes = [...new Set(folders)].filter((folder) => folder !== "").sort();
  const arrows = reduced(nodes, folderArrows(sources, depth));
  const rows = layers(nodes, arrows);
  const places = placed(rows);
  const y = (row) => top + 48 + row * ROW;
  const lines = rows.paths.map((path) => line(path.map((node) => ({ ...places.get(node), y }))));
  const boxes = nodes.map((node) =>
    box(node, depth === 1 ? inside(sources, node) : [], places.get(node), y),
  );
  const title = `<text x="16" y="${top + 26}" font-size="17" fill="#223"><tspan font-weight="bold">${name}</tspan><tspan fill="#667" font-size="13" dx="10">${about}</tspan></text>\n`;
  return { svg: title + lines.join("") + boxes.join(""), height: 48 + rows.length * ROW };
}

/** The names of a folder's own folders, for the small text in its box. */
function inside(sources, folder) {
  const below = sources.filter(([path]) => path.startsWith(`${folder}/`));
  const names = below.map(([path]) => path.slice(folder.length + 1).split("/"));
  return [...new Set(names.filter((parts) => parts.length > 1).map(([first]) => first))].sort();
}

/** The arrows between folders without those that a longer way implies. */
function reduced(nodes, all) {
  const direct = new Map(
    nodes.map((node) => [
      node,
      [...(all.get(node) ?? [])].filter((to) => nodes.includes(to)).sort(),
    ]),
  );
  const reaches = (from, to) => direct.get(from).some((next) => next === to || reaches(next, to));
  return new Map(
    nodes.map((node) => {
      const targets = direct.get(node);
      const isImplied = (to) => targets.some((other) => other !== to && reaches(other, to));
      return [node, targets.filter((to) => !isImplied(to))];
    }),
  );
}

/** Rows of nodes, importers first. An arrow over several rows gets an empty place in each of them. */
function layers(nodes, arrows) {
  const depth = (node) => Math.max(0, ...arrows.get(node).map((to) => depth(to) + 1));
  const deepest = Math.max(...nodes.map(depth));
  const rowOf = (node) => deepest - depth(node);
  const rows = Array.from({ length: deepest + 1 }, (_, row) =>
    nodes.filter((node) => rowOf(node) === row),
  );
  rows.paths = [];
  for (const from of nodes) {
    for (const to of arrows.get(from)) {
      const path = [from];
      for (let row = rowOf(from) + 1; row < rowOf(to); row++) {
        const empty = `${from}>${to}@${row}`;
        rows[row].push(empty);
        path.push(empty);
      }
      rows.paths.push([...path, to]);
    }
  }
  return rows;
}

/** Places each row by the middle of its neighbours, a few times, so that arrows cross little. */
function placed(rows) {
  const links = rows.paths.flatMap((path) => path.slice(1).map((to, at) => [path[at], to]));
  const near = (node) => links.flatMap(([a, b]) => (a === node ? [b] : b === node ? [a] : []));
  const places = new Map();
  const spread = (row) => {
    for (const [at, node] of rows[row].entries()) {
      places.set(node, { x: ((at + 0.5) * WIDTH) / rows[row].length, row });
    }
  };
  for (const row of rows.keys()) spread(row);
  const middle = (node) => {
    const xs = near(node).map((one) => places.get(one).x);
    return xs.length === 0 ? places.get(node).x : xs.reduce((sum, x) => sum + x, 0) / xs.length;
  };
  for (let round = 0; round < 8; round++) {
    for (const row of rows.keys()) {
      const order = new Map(rows[row].map((node) => [node, middle(node)]));
      rows[row].sort((a, b) => order.get(a) - order.get(b) || (a < b ? -1 : 1));
      spread(row);
    }
  }
  return places;
}

function line(points) {
  let path = "";
  for (const [at, { x, row, y }] of points.entries()) {
    const isLast = at === points.length - 1;
    const above = y(row) - (isLast ? 1 : 0);
    if (at > 0) {
      const before = points[at - 1];
      const from = before.y(before.row) + BOX.height;
      const half = (from + above) / 2;
      path += `C${before.x} ${half} ${x} ${half} ${x} ${above}`;
    }
    path +=
      at === 0 ? `M${x} ${y(row) + BOX.height}` : isLast ? "" : `L${x} ${y(row) + BOX.height}`;
  }
  const rounded = path.replaceAll(/\d+\.\d+/g, (number) => String(Math.round(Number(number))));
  return `<path d="${rounded}" fill="none" stroke="#99a" stroke-width="1.3" marker-end="url(#tip)"/>\n`;
}

function box(name, names, { x, row }, y) {
  const left = Math.round(x - BOX.width / 2);
  const middle = Math.round(x);
  const lines = wrapped(names);
  const nameY = y(row) + (names.length === 0 ? 28 : 17);
  const height = Math.max(BOX.height, 24 + lines.length * 12);
  const small = lines.map(
    (text, at) =>
      `<text x="${middle}" y="${y(row) + 31 + at * 11}" font-size="10" fill="#667" text-anchor="middle">${text}</text>`,
  );
  return `<rect x="${left}" y="${y(row)}" width="${BOX.width}" height="${height}" rx="6" fill="#f3f5fb" stroke="#445"/><text x="${middle}" y="${nameY}" font-size="14" fill="#112" text-anchor="middle">${name}</text>${small.join("")}\n`;
}

/** At most two lines of names; further names are left out. */
function wrapped(names) {
  const lines = [""];
  for (const name of names) {
    const longer = `${lines.at(-1)} ${name}`.trim();
    if (longer.length <= LETTERS) lines[lines.length - 1] = longer;
    else lines.push(name);
  }
  return lines.length <= 2 ? lines : [lines[0], `${lines[1].slice(0, LETTERS - 2)} …`];
}
