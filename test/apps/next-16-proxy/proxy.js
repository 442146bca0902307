import { NextResponse } from 'next/server'

export function proxy(request) {
  const { pathname } = request.nextUrl
  if (pathname === '/guarded') return new NextResponse('Not for you', { status: 401 })
  if (pathname === '/moved') return NextResponse.redirect(new URL('/', request.url))
  if (pathname === '/other') return NextResponse.rewrite(new URL('/people/other', request.url))
  const headers = new Headers(request.headers)
  headers.set('x-from-proxy', 'proxied')
  const response = NextResponse.next({ request: { headers } })
  response.cookies.set('seen', 'yes')
  response.headers.set('x-answered-by', 'proxy')
  return response
}

export const config = { matcher: ['/guarded', '/moved', '/other', '/people/:name*'] }
