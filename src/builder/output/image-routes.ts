import type { Route } from '#core/routing/route.ts'

/** Images of the site itself are given as they are, whatever size is asked for. */
const ORIGINAL: Route = {
  src: '^(?:/.*)?/_(?:next|vercel)/image/?$',
  has: [{ type: 'query', key: 'url', value: '(?<image>/[^/\\\\?#][^?#]*)' }],
  dest: '$image',
  continue: true,
}

/**
 * For frameworks that leave the sizes of images to the platform. It comes first and goes on, so that every rule about
 * the image itself holds as if it had been asked for by its own name.
 */
export const withImages = (routes: readonly Route[]): readonly Route[] => [ORIGINAL, ...routes]
