/** Types for the module that the package ships; its own types name another. */
declare module "@xterm/headless/lib-headless/xterm-headless.mjs" {
  export { type IBufferLine, Terminal } from "@xterm/headless";
}
