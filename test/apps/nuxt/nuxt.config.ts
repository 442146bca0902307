export default defineNuxtConfig({
  compatibilityDate: '2026-01-01',
  telemetry: false,
  routeRules: { '/kept/**': { isr: 3600 }, '/about': { prerender: true } },
})
