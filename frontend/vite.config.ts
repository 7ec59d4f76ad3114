import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = process.env.TIMELINE_SERVER ?? "http://127.0.0.1:8000";
const proxied = ["/api", "/login", "/logout", "/admin", "/healthz", "/readyz", "/metrics"];

export default defineConfig({
  base: "/static/",
  plugins: [react()],
  build: {
    manifest: "manifest.json",
    sourcemap: false,
    chunkSizeWarningLimit: 1300,
    rollupOptions: { input: ["index.html", "src/core/ui/fonts.css"] },
  },
  server: {
    proxy: {
      ...Object.fromEntries(proxied.map((path) => [path, server])),
      "/ws": { target: server, ws: true },
    },
  },
  test: { include: ["src/**/*.test.ts", "prose/*.test.js"], environment: "node", env: { TZ: "UTC" } },
});
