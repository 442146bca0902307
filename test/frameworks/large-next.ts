import type { App } from '#test/support/app.ts'
import { testApp } from '#test/support/app.ts'

const LANGUAGES = ['en', 'de', 'fr'] as const
const PRODUCTS = 100
const TOPICS = 60
const API_ROUTES = 20
const PICTURES = 20

/** Of a list, as a part of a source file. */
const each = (count: number, make: (index: number) => readonly [string, string | Buffer]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => make(index + 1)))

const PAGES: App['files'] = {
  'next.config.js': `module.exports = {
  redirects: async () => [{ source: '/old/:id', destination: '/en/products/:id', permanent: true }],
  rewrites: async () => [{ source: '/p/:id', destination: '/en/products/:id' }],
  headers: async () => [{ source: '/:lang/products/:id', headers: [{ key: 'x-shop', value: 'large' }] }],
}
`,
  'proxy.js': `import { NextResponse } from 'next/server'

const LANGUAGES = ${JSON.stringify(LANGUAGES)}

export function proxy(request) {
  const { pathname } = request.nextUrl
  const lang = LANGUAGES.find((each) => pathname === '/' + each || pathname.startsWith('/' + each + '/'))
  if (lang === undefined) {
    const wanted = request.headers.get('accept-language')?.slice(0, 2)
    const chosen = LANGUAGES.includes(wanted) ? wanted : 'en'
    return NextResponse.redirect(new URL('/' + chosen + pathname, request.url))
  }
  const headers = new Headers(request.headers)
  headers.set('x-lang', lang)
  return NextResponse.next({ request: { headers } })
}

export const config = { matcher: ['/', '/:lang(en|de|fr)/:path*'] }
`,
  'lib/shop.js': `import { unstable_cache } from 'next/cache'

export const LANGUAGES = ${JSON.stringify(LANGUAGES)}
export const WORDS = { en: 'Product', de: 'Produkt', fr: 'Produit' }
export const IDS = Array.from({ length: ${PRODUCTS} }, (_, index) => String(index + 1))

export const product = (id) =>
  unstable_cache(async () => ({ id, price: Number(id) * 7, at: Date.now() }), ['product', id], {
    tags: ['products', 'product-' + id],
  })()
`,
  'app/layout.js': `export const metadata = { metadataBase: new URL('https://shop.example.com'), title: 'A large shop' }

export default ({ children }) => (
  <html lang="en">
    <body>{children}</body>
  </html>
)
`,
  'app/[lang]/layout.js': `import { LANGUAGES } from '../../lib/shop'

export const generateStaticParams = () => LANGUAGES.map((lang) => ({ lang }))

export default async ({ children, modal, params }) => (
  <main data-lang={(await params).lang}>
    {children}
    {modal}
  </main>
)
`,
  'app/[lang]/page.js': `export default async ({ params }) => <h1>Home {(await params).lang}</h1>
`,
  'app/[lang]/@modal/default.js': `export default () => null
`,
  'app/[lang]/@modal/(.)photos/[id]/page.js': `export default async ({ params }) => <dialog open>Photo {(await params).id}</dialog>
`,
  'app/[lang]/photos/[id]/page.js': `export default async ({ params }) => <p>The whole photo {(await params).id}</p>
`,
  'app/[lang]/(shop)/layout.js': `export default ({ children }) => <section className="shop">{children}</section>
`,
  'app/[lang]/(shop)/products/page.js': `import Image from 'next/image'
import Link from 'next/link'
import { IDS } from '../../../../lib/shop'

export default async ({ params }) => {
  const { lang } = await params
  return IDS.map((id) => (
    <Link key={id} href={'/' + lang + '/products/' + id}>
      <Image src={'/pictures/' + (Number(id) % ${PICTURES} + 1) + '.png'} alt={id} width={64} height={64} />
    </Link>
  ))
}
`,
  'app/[lang]/(shop)/products/[id]/page.js': `import { notFound } from 'next/navigation'
import { IDS, product, WORDS } from '../../../../../lib/shop'

export const revalidate = 3600
export const generateStaticParams = () => IDS.map((id) => ({ id }))

export default async ({ params }) => {
  const { lang, id } = await params
  if (!/^\\d+$/.test(id)) notFound()
  const { price, at } = await product(id)
  return (
    <p>
      {WORDS[lang]} {id} costs {price} <time>{at}</time>
    </p>
  )
}
`,
  'app/[lang]/dashboard/layout.js': `export default ({ children, stats, team }) => (
  <div>
    {children} {stats} {team}
  </div>
)
`,
  'app/[lang]/dashboard/page.js': `import { headers } from 'next/headers'

export default async () => <h2>Dashboard {(await headers()).get('x-lang')}</h2>
`,
  'app/[lang]/dashboard/@stats/page.js': `export default () => <aside>Stats</aside>
`,
  'app/[lang]/dashboard/@stats/default.js': `export default () => null
`,
  'app/[lang]/dashboard/@team/page.js': `import { Suspense } from 'react'

const Members = async () => {
  await new Promise((resolve) => setTimeout(resolve, 400))
  return <ul>Members</ul>
}

export default () => (
  <Suspense fallback={<i>Team is coming</i>}>
    <Members />
  </Suspense>
)
`,
  'app/[lang]/dashboard/@team/default.js': `export default () => null
`,
  'app/[lang]/basket/page.js': `import { cookies } from 'next/headers'

async function add(form) {
  'use server'
  const jar = await cookies()
  jar.set('basket', [jar.get('basket')?.value, form.get('id')].filter(Boolean).join('-'))
}

export default async () => (
  <form action={add}>
    <p>Basket {(await cookies()).get('basket')?.value ?? 'empty'}</p>
    <input name="id" />
    <button>Add</button>
  </form>
)
`,
  'app/api/revalidate/route.js': `import { revalidateTag } from 'next/cache'

export async function POST(request) {
  revalidateTag((await request.json()).tag, { expire: 0 })
  return Response.json({ done: true })
}
`,
  'app/sitemap.js': `import { IDS, LANGUAGES } from '../lib/shop'

export default () =>
  LANGUAGES.flatMap((lang) => IDS.map((id) => ({ url: 'https://shop.example.com/' + lang + '/products/' + id })))
`,
  'app/robots.js': `export default () => ({ rules: { userAgent: '*', allow: '/' } })
`,
  'app/not-found.js': `export default () => <p>Nothing is sold here</p>
`,
}

/** Several hundred pages of 90 routes and more: a shop in three languages. */
export function largeNext(): App['files'] {
  const proxied = testApp('next-16-proxy')
  const picture = proxied['public/dot.png'] as Buffer
  return {
    'package.json': proxied['package.json'] as string,
    'package-lock.json': proxied['package-lock.json'] as string,
    ...PAGES,
    ...each(TOPICS, (n) => [
      `app/[lang]/(marketing)/topic-${n}/page.js`,
      `export default async ({ params }) => <h1>Topic ${n} in {(await params).lang}</h1>\n`,
    ]),
    ...each(API_ROUTES, (n) => [
      `app/api/item-${n}/[id]/route.js`,
      `export const GET = async (request, { params }) => Response.json({ item: ${n}, id: (await params).id })\n`,
    ]),
    ...each(PICTURES, (n) => [`public/pictures/${n}.png`, picture]),
  }
}
