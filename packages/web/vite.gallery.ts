/** Builds the gallery: every state of the page, drawn from fixtures. Not part of the product. */

import { defineConfig, mergeConfig } from "vite";
import product from "./vite.config.ts";

export default mergeConfig(
  product,
  defineConfig({
    root: "gallery",
    publicDir: "../public",
    build: { outDir: "../.gallery", emptyOutDir: true },
  }),
);
