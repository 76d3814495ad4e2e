/**
 * Node's http module, without its WebSocket client: an import statement would load that too, which
 * takes 14 MB of each holder and a tenth of a second.
 */
export const nodeHttp = process.getBuiltinModule("node:http");
