/** The package names a module that it does not ship; this is the one that it does. */
declare module "@xterm/headless/lib-headless/xterm-headless.mjs" {
  export { type IBufferLine, Terminal } from "@xterm/headless";
}
