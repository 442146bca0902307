Bun.serve({
  routes: {
    '/people/:name': (request) => new Response(`Person ${request.params.name}`),
    '/api/sum': {
      POST: async (request) => {
        const { a, b } = await request.json()
        return Response.json({ sum: a + b })
      },
    },
    '/cookie': (request) => {
      request.cookies.set('one', '1')
      request.cookies.set('two', '2')
      return new Response(`had a=${request.cookies.get('a')}`)
    },
  },
  fetch(request) {
    const { pathname, searchParams } = new URL(request.url)
    if (pathname === '/') return new Response(`Bun ${Bun.version} greets ${searchParams.get('name')}`)
    return new Response('Not here', { status: 404 })
  },
})
