module.exports = {
  i18n: { locales: ['en', 'de'], defaultLocale: 'en' },
  rewrites: async () => [{ source: '/over/:id', destination: '/d/:id' }],
  redirects: async () => [{ source: '/gone', destination: '/about', permanent: true }],
}
