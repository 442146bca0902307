import { type HostAccounts, type HostRepository, isRepositoryName } from '#core/git/host/host-accounts.ts'
import { type HostAccess, type HostKind, HostRefusal } from '#core/git/host/host-api.ts'
import { type Json, object, text } from '#core/git/pull/pull-payload.ts'
import { encoded, type HostCall, items } from './host-call.ts'

interface ListQuery {
  readonly search: string
  readonly page: number
  readonly userId: string
}

interface AccountWords {
  readonly who: (user: Json) => { readonly id: unknown; readonly login: string }
  readonly list: (access: HostAccess, query: ListQuery) => string
  readonly listed: (answer: unknown) => readonly Json[]
  /** Whether the host looks for the text itself; where it does not, its whole list is looked through here. */
  readonly searches: boolean
  readonly one: (name: string) => string
  readonly read: (repository: Json) => HostRepository
}

const PER_PAGE = 50
/** Pages that are looked through for one answer. */
const PAGES = 10

const time = (value: unknown): number | null => Date.parse(text(value)) || null

const query = (parameters: Readonly<Record<string, string | number | boolean>>): string =>
  new URLSearchParams(
    Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()

const github: AccountWords = {
  who: ({ id, login }) => ({ id, login: text(login) }),
  list: ({ isApp }, { page }) =>
    isApp === true
      ? `/installation/repositories?${query({ per_page: 100, page })}`
      : `/user/repos?${query({ per_page: 100, page, sort: 'pushed' })}`,
  // Those of an app come within an object.
  listed: (answer) => items(Array.isArray(answer) ? answer : object(answer).repositories),
  searches: false,
  one: (name) => `/repos/${encoded(name)}`,
  read: (one) => ({
    id: String(one.id),
    name: text(one.full_name),
    webUrl: text(one.html_url),
    defaultBranch: text(one.default_branch) || null,
    isPrivate: one.private === true,
    updatedAt: time(one.pushed_at ?? one.updated_at),
  }),
}

const HOSTS: Readonly<Record<HostKind, AccountWords>> = {
  github,
  gitea: {
    ...github,
    // Those that the user owns or contributes to: without `uid` it would be everything public.
    list: (_access, { search, page, userId }) =>
      `/repos/search?${query({ q: search, uid: userId, sort: 'updated', order: 'desc', limit: PER_PAGE, page })}`,
    listed: (answer) => items(object(answer).data),
    searches: true,
  },
  gitlab: {
    who: ({ id, username }) => ({ id, login: text(username) }),
    list: (_access, { search, page }) =>
      `/projects?${query({
        membership: true,
        archived: false,
        order_by: 'last_activity_at',
        per_page: PER_PAGE,
        page,
        ...(search === '' ? {} : { search, search_namespaces: true }),
      })}`,
    listed: items,
    searches: true,
    one: (name) => `/projects/${encodeURIComponent(name)}`,
    read: (one) => ({
      id: String(one.id),
      name: text(one.path_with_namespace),
      webUrl: text(one.web_url),
      defaultBranch: text(one.default_branch) || null,
      isPrivate: one.visibility !== 'public',
      updatedAt: time(one.last_activity_at),
    }),
  },
  bitbucket: {
    who: (user) => ({
      id: user.uuid,
      login: text(user.username) || text(user.nickname) || text(user.display_name),
    }),
    list: (_access, { search, page }) =>
      `/repositories?${query({
        role: 'member',
        sort: '-updated_on',
        pagelen: PER_PAGE,
        page,
        ...(search === '' ? {} : { q: `full_name ~ ${JSON.stringify(search)}` }),
      })}`,
    listed: (answer) => items(object(answer).values),
    searches: true,
    one: (name) => `/repositories/${encoded(name)}`,
    read: (one) => ({
      id: text(one.uuid),
      name: text(one.full_name),
      webUrl: text(object(object(one.links).html).href),
      defaultBranch: text(object(one.mainbranch).name) || null,
      isPrivate: one.is_private === true,
      updatedAt: time(one.updated_on),
    }),
  },
}

export function createHostAccounts(call: HostCall): HostAccounts {
  const repository: HostAccounts['repository'] = async (access, name, signal) => {
    const words = HOSTS[access.kind]
    try {
      const { body } = await call(access, { method: 'GET', path: words.one(name) }, signal)
      const found = words.read(object(body))
      return isRepositoryName(found.name) ? found : undefined
    } catch (error) {
      if (error instanceof HostRefusal && error.status === 404) return undefined
      throw error
    }
  }

  return {
    async who(access, signal) {
      const { body } = await call(access, { method: 'GET', path: '/user' }, signal)
      const { id, login } = HOSTS[access.kind].who(object(body))
      if (id === undefined || login === '')
        throw new HostRefusal(
          `${new URL(access.url).hostname} did not say whose token it is: it may be a host of another kind`,
          undefined,
        )
      return { id: String(id), login }
    },

    async repositories(access, { search, page: first, userId }, signal) {
      const words = HOSTS[access.kind]
      const wanted = search.toLowerCase()
      const found = new Map<string, HostRepository>()
      // A whole name is found at once, however many there are, and also where the host lists it late.
      if (first === 1 && isRepositoryName(search)) {
        const exact = await repository(access, search, signal)
        if (exact) found.set(exact.id, exact)
      }
      for (let page = first; ; page++) {
        const path = words.list(access, { search, page, userId })
        const { body, hasNext } = await call(access, { method: 'GET', path }, signal)
        for (const one of words.listed(body).map(words.read))
          if (isRepositoryName(one.name) && (words.searches || one.name.toLowerCase().includes(wanted)))
            found.set(one.id, one)
        const next = hasNext ? page + 1 : null
        if (next === null || found.size >= PER_PAGE || next - first >= PAGES)
          return { repositories: [...found.values()], next }
      }
    },

    repository,
  }
}
