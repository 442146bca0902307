import type { Route } from '#core/routing/route.ts'

/** Images of the site itself are given as they are, whatever size is asked for. */
const ORIGINAL: Route = {
  src: '^(?:/.*)?/_(?:next|vercel)/image/?$',
  has: [{ type: 'query', key: 'url', value: '(?<image>/[^/\\\\?#][^?#]*)' }],
  dest: '$image',
  check: true,
}

/** For frameworks that leave the sizes of images to the platform. After the routes that come before the files. */
export function withImages(routes: readonly Route[]): readonly Route[] {
  const handle = routes.findIndex((route) => 'handle' in route)
  const at = handle === -1 ? routes.length : handle
  return [...routes.slice(0, at), ORIGINAL, ...routes.slice(at)]
}
