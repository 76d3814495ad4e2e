/** Gives a program a document, and prints its content. Loaded with `--import`. */

import { Window } from "happy-dom";

const window = new Window();
const { document } = window;
Object.assign(globalThis, { window, document });
const show = () => console.log(document.body.textContent);
new window.MutationObserver(show).observe(document.body, {
  childList: true,
  characterData: true,
  subtree: true,
});
