import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The server of `holdfast dev`, for `npm run dev`.
const server = process.env.HOLDFAST_URL ?? "http://127.0.0.1:8070";

export default defineConfig({
  base: "./",
  plugins: [svelte()],
  build: {
    outDir: "../src/holdfast/server/pages/built",
    emptyOutDir: true,
    assetsDir: "pages",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
  server: { proxy: { "/api": server, "/login/oidc": server } },
  test: { include: ["src/**/*.test.ts"], environment: "./vitest.environment.ts", isolate: false },
  // Tests run the reactive code that a browser gets, with its effects: without it, Svelte compiles for a server.
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
});
