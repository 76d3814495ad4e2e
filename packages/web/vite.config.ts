import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where a host listens that the page is developed against. */
const HOST = "http://127.0.0.1:4860";

/** Used by the first page and by others: without this, each shared handful is a file of its own. */
const firstPage =
  /packages\/(protocol|client)\/src|web\/src\/(text|settings|line)\/|web\/src\/words\/(?!policy|getting)|lucide-react|web\/src\/components\/(button|copy-button|later|scrolling|time|tone)|web\/src\/diff\/lazy|wouter|use-sync-external-store|web\/src\/pages\/use-(?!breaks)/;

export default defineConfig({
  plugins: [react(), tailwind()],
  resolve: { conditions: ["holdfast-source", "module", "browser", "development|production"] },
  server: {
    // The host takes changes only from its own origin, which is right, and here in the way.
    proxy: { "^/(api|health)": { target: HOST, ws: true, headers: { origin: HOST } } },
  },
  build: {
    // Where the host serves it from, in a clone and in its package alike.
    outDir: "../server/app",
    emptyOutDir: true,
    target: "es2024",
    // The polyfill is an inline script, which our policy forbids, and every browser we serve has it.
    modulePreload: { polyfill: false },
    // A data: URL inside a stylesheet is a foreign origin to `font-src` and `img-src`.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // What changes seldom is fetched once for many versions of the page.
            { name: "kept", test: /node_modules\/(react|react-dom|scheduler|zod|marked|virtua)\// },
            // What the first page needs, in one piece: many small files compress badly.
            { name: "first", test: firstPage },
          ],
        },
      },
    },
  },
});
