import { fileURLToPath } from 'node:url'
import tailwind from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))

export default defineConfig({
  root: here('.'),
  plugins: [react(), tailwind()],
  resolve: {
    alias: {
      // Schemas are types to the browser: the server is who checks. The real library would be a third of the program.
      typebox: here('./api/schemas.ts'),
    },
  },
  build: {
    outDir: here('../../dist/dashboard'),
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    // A small file as a data: address would need a looser Content-Security-Policy.
    assetsInlineLimit: 0,
    chunkSizeWarningLimit: 800,
    reportCompressedSize: false,
    // Whoever starts the platform has no use for what took long in the build, which a busy machine decides.
    rolldownOptions: { checks: { bundlerTimings: false } },
  },
  server: {
    proxy: {
      '^/(v\\d+|login|logout|setup|oauth|docs|healthz|sso)': {
        target: 'http://localhost:3000',
        changeOrigin: true,
      },
    },
  },
})
