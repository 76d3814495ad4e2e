/** The end of a text that is too long for its place: whole sentences if they fit, else whole words. */
export function lastWords(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  const end = line.slice(-most);
  const sentence = /[.!?:]["”’)\]]? (?=\S)/.exec(end);
  const from = sentence === null ? most : sentence.index + sentence[0].length;
  return `… ${end.slice(from <= most / 2 ? from : end.indexOf(" ") + 1)}`;
}
