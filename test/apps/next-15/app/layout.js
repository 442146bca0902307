import localFont from 'next/font/local'

const font = localFont({
  src: '../node_modules/next/dist/compiled/@vercel/og/noto-sans-v27-latin-regular.ttf',
})

export default ({ children }) => (
  <html lang="en">
    <body className={font.className}>{children}</body>
  </html>
)
