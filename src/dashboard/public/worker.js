// Keeps the dashboard's document and program, so that reloading a page while the server is away shows the dashboard,
// which says so and catches up. Whatever can be had from the server is had from there; pages of others, signing in and
// the API are left alone.
const KEPT = 'aloft-shell'
const DOCUMENT = '/'
const PAGE = /^\/(?:$|(?:a|account|deployments|import|new|operator|projects)(?:\/|$))/
const PROGRAM = /^\/(?:assets\/|theme\.js$|favicon\.svg$)/

self.addEventListener('install', (event) => {
  self.skipWaiting()
  event.waitUntil(fetch(DOCUMENT).then(keepDocument))
})
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

self.addEventListener('fetch', (event) => {
  const { request } = event
  const { origin, pathname } = new URL(request.url)
  if (origin !== self.location.origin || request.method !== 'GET') return
  if (request.mode === 'navigate' && PAGE.test(pathname))
    event.respondWith(orKept(event, request, DOCUMENT, keepDocument))
  else if (PROGRAM.test(pathname)) event.respondWith(orKept(event, request, pathname, keepProgram))
})

/** From the server; what is kept where that cannot be reached. */
async function orKept(event, request, name, keep) {
  try {
    const answer = await fetch(request)
    event.waitUntil(keep(answer.clone()))
    return answer
  } catch (error) {
    const kept = await caches.match(name)
    if (kept === undefined) throw error
    return kept
  }
}

/** Every page begins with the same document. Another one than before has a program of its own: the old one goes. */
async function keepDocument(answer) {
  if (!answer.ok || !(answer.headers.get('content-type') ?? '').startsWith('text/html')) return
  const etag = answer.headers.get('etag')
  const before = await caches.match(DOCUMENT)
  if (before?.headers.get('etag') === etag) return
  await caches.delete(KEPT)
  const cache = await caches.open(KEPT)
  const text = await answer.clone().text()
  await cache.put(DOCUMENT, answer)
  const names = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, name]) => name)
  await Promise.allSettled(names.filter((name) => PROGRAM.test(name)).map((name) => cache.add(name)))
}

async function keepProgram(answer) {
  if (answer.ok) await (await caches.open(KEPT)).put(new URL(answer.url).pathname, answer)
}
