const next = (headers: Record<string, string> = {}) =>
  new Response(null, { headers: { 'x-middleware-next': '1', ...headers } })

export default function middleware(request: Request): Response | undefined {
  const { pathname } = new URL(request.url)
  if (pathname.startsWith('/admin') && request.headers.get('authorization') !== 'Bearer friend')
    return new Response('Who are you?', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
  if (pathname === '/moved') return Response.redirect(new URL('/', request.url), 307)
  if (pathname === '/other')
    return new Response(null, {
      headers: { 'x-middleware-rewrite': new URL('/public.txt', request.url).href },
    })
  if (pathname.startsWith('/api/'))
    return next({
      'x-middleware-override-headers': 'x-who',
      'x-middleware-request-x-who': 'a guest',
      'x-guarded': 'yes',
      'set-cookie': 'seen=yes; Path=/',
    })
}

export const config = {
  matcher: [
    '/admin/:path*',
    '/((?!public).*)',
    {
      source: '/public.txt',
      has: [{ type: 'header', key: 'x-asked' }],
      missing: [{ type: 'cookie', key: 'in' }],
    },
  ],
}
