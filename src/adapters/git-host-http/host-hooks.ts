import { type HostKind, HostRefusal } from '#core/git/host/host-api.ts'
import type { HostHooks } from '#core/git/host/host-hooks.ts'
import { object, text } from '#core/git/pull/pull-payload.ts'
import { encoded, type HostCall, items } from './host-call.ts'

interface HookWords {
  readonly at: (repository: string) => string
  readonly body: (hook: { readonly url: string; readonly secret: string }) => object
  readonly id: (hook: Readonly<Record<string, unknown>>) => string
  /** What makes it deliver something, below its own address; undefined where nothing does. */
  readonly test: string | undefined
}

const github: HookWords = {
  at: (repository) => `/repos/${encoded(repository)}/hooks`,
  body: ({ url, secret }) => ({
    name: 'web',
    active: true,
    events: ['push', 'pull_request'],
    config: { url, secret, content_type: 'json', insecure_ssl: '0' },
  }),
  id: ({ id }) => String(id ?? ''),
  test: '/pings',
}

const HOSTS: Readonly<Record<HostKind, HookWords>> = {
  github,
  gitea: {
    ...github,
    body: ({ url, secret }) => ({
      type: 'gitea',
      active: true,
      // The deletion of a branch is an event of its own.
      events: ['push', 'delete', 'pull_request', 'pull_request_sync'],
      config: { url, secret, content_type: 'json' },
    }),
    test: '/tests',
  },
  gitlab: {
    at: (repository) => `/projects/${encodeURIComponent(repository)}/hooks`,
    body: ({ url, secret }) => ({
      url,
      token: secret,
      push_events: true,
      merge_requests_events: true,
      enable_ssl_verification: true,
    }),
    id: github.id,
    test: '/test/push_events',
  },
  bitbucket: {
    at: (repository) => `/repositories/${encoded(repository)}/hooks`,
    body: ({ url, secret }) => ({
      description: 'Aloft',
      url,
      secret,
      active: true,
      events: [
        'repo:push',
        'pullrequest:created',
        'pullrequest:updated',
        'pullrequest:fulfilled',
        'pullrequest:rejected',
      ],
    }),
    id: ({ uuid }) => text(uuid),
    test: undefined,
  },
}

export function createHostHooks(call: HostCall): HostHooks {
  const remove: HostHooks['remove'] = async (access, repository, id, signal) => {
    const path = `${HOSTS[access.kind].at(repository)}/${encodeURIComponent(id)}`
    await call(access, { method: 'DELETE', path }, signal).catch((error: unknown) => {
      if (!(error instanceof HostRefusal) || error.status !== 404) throw error
    })
  }

  return {
    async create(access, repository, hook, signal) {
      const words = HOSTS[access.kind]
      const path = words.at(repository)
      const make = async () => {
        const { body } = await call(access, { method: 'POST', path, body: words.body(hook) }, signal)
        const id = words.id(object(body))
        if (id === '') throw new HostRefusal('the host did not say which webhook it made', undefined)
        return id
      }
      try {
        return await make()
      } catch (error) {
        // GitHub makes no second one for the same address: the first was left behind, and nobody knows its secret.
        if (!(error instanceof HostRefusal) || error.status !== 422 || access.kind !== 'github') throw error
        const { body } = await call(access, { method: 'GET', path: `${path}?per_page=100` }, signal)
        const same = items(body).find(({ config }) => object(config).url === hook.url)
        if (!same) throw error
        await remove(access, repository, words.id(same), signal)
        return make()
      }
    },

    async test(access, repository, id, signal) {
      const { at, test } = HOSTS[access.kind]
      if (test === undefined) return false
      const path = `${at(repository)}/${encodeURIComponent(id)}${test}`
      await call(access, { method: 'POST', path }, signal)
      return true
    },

    remove,
  }
}
