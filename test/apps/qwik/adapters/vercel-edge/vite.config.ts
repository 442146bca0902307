import { vercelEdgeAdapter } from '@builder.io/qwik-city/adapters/vercel-edge/vite'
import { extendConfig } from '@builder.io/qwik-city/vite'
import base from '../../vite.config'

export default extendConfig(base, () => ({
  build: {
    ssr: true,
    rollupOptions: { input: ['src/entry.vercel-edge.tsx', '@qwik-city-plan'] },
    outDir: '.vercel/output/functions/_qwik-city.func',
  },
  plugins: [vercelEdgeAdapter()],
}))
