import tailwind from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** The address of the host that the page is developed against. */
const HOST = "http://127.0.0.1:4860";

/**
 * Code of the first page that other pages share: without this, each shared module becomes its own
 * file.
 */
const firstPage =
  /packages\/(protocol|client)\/src|web\/src\/(text|settings|line)\/|web\/src\/words\/(?!policy|getting)|lucide-react|web\/src\/session-actions|web\/src\/storage|web\/src\/components\/transcript\/knot-icon|web\/src\/ui\/(button|copy-button|later|scrolling|time|tone)|web\/src\/diff\/lazy|web\/src\/sign-in|wouter|use-sync-external-store|web\/src\/pages\/[\w-]+\/use-(?!breaks)/;

export default defineConfig({
  plugins: [react(), tailwind()],
  resolve: { conditions: ["holdfast-source", "module", "browser", "development|production"] },
  server: {
    // The host accepts changes only from its own origin, so the proxy sets it.
    proxy: { "^/(api|health)": { target: HOST, ws: true, headers: { origin: HOST } } },
  },
  build: {
    // The folder from which the host serves the page, in a clone and in the package.
    outDir: "../server/app",
    emptyOutDir: true,
    target: "es2024",
    // The polyfill is an inline script, which the page's policy forbids, and all supported browsers
    // have the feature.
    modulePreload: { polyfill: false },
    // The policy treats a data: URL in a stylesheet as a foreign origin for `font-src` and
    // `img-src`.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Dependencies that change rarely stay cached across versions of the page.
            { name: "kept", test: /node_modules\/(react|react-dom|scheduler|zod|marked|virtua)\// },
            // The first page's code in one file, because many small files compress badly.
            { name: "first", test: firstPage },
          ],
        },
      },
    },
  },
});
