import type { KyselyPlugin } from 'kysely'

interface WatchedChanges {
  readonly plugin: KyselyPlugin
  /** Whether anything but reading was asked for. */
  seen: boolean
}

/** Tells a transaction that only looked at things from one that changed some. */
export function watchChanges(): WatchedChanges {
  const watched: WatchedChanges = {
    seen: false,
    plugin: {
      transformQuery({ node }) {
        if (node.kind !== 'SelectQueryNode') watched.seen = true
        return node
      },
      transformResult: async ({ result }) => result,
    },
  }
  return watched
}
