import { type HostKind, HostRefusal } from '#core/git/host/host-api.ts'
import type { HostPulls } from '#core/git/host/host-pulls.ts'
import type { PullEvent } from '#core/git/pull/pull.ts'
import {
  type Json,
  object,
  pullOfBitbucket,
  pullOfGithub,
  pullOfGitlab,
  soundPull,
  text,
} from '#core/git/pull/pull-payload.ts'
import { repositoryOf } from '#core/git/source/source.ts'
import { encoded, type HostCall, items } from './host-call.ts'

/** Pages that are looked at. */
const PAGES = 5
const MOST_NAMES = 1000

const HOSTS: Readonly<
  Record<
    HostKind,
    {
      readonly list: (repository: string, page: number) => string
      readonly listed: (answer: unknown) => readonly Json[]
    }
  >
> = {
  github: {
    list: (repository, page) => `/repos/${encoded(repository)}/pulls?state=open&per_page=100&page=${page}`,
    listed: items,
  },
  gitea: {
    list: (repository, page) => `/repos/${encoded(repository)}/pulls?state=open&limit=50&page=${page}`,
    listed: items,
  },
  gitlab: {
    list: (repository, page) =>
      `/projects/${encodeURIComponent(repository)}/merge_requests?state=opened&per_page=100&page=${page}`,
    listed: items,
  },
  bitbucket: {
    list: (repository, page) =>
      `/repositories/${encoded(repository)}/pullrequests?state=OPEN&pagelen=50&page=${page}`,
    listed: (answer) => items(object(answer).values),
  },
}

export function createHostPulls(call: HostCall): HostPulls {
  /** GitLab names the fork of a merge request by its id alone. */
  const names = new Map<string, string>()

  return {
    async open(access, signal) {
      const repository = repositoryOf(access)
      const { list, listed } = HOSTS[access.kind]

      async function nameOf(id: unknown): Promise<string> {
        const key = `${new URL(access.url).origin} ${id}`
        const known = names.get(key)
        if (known !== undefined) return known
        const path = `/projects/${encodeURIComponent(String(id))}`
        const name = await call(access, { method: 'GET', path }, signal).then(
          ({ body }) => text(object(body).path_with_namespace),
          (error: unknown) => {
            // One that the token does not see.
            if (error instanceof HostRefusal) return ''
            throw error
          },
        )
        if (names.size >= MOST_NAMES) names.clear()
        names.set(key, name)
        return name
      }

      async function read(pull: Json): Promise<PullEvent> {
        switch (access.kind) {
          case 'gitlab': {
            const { source_project_id: from, target_project_id: to } = pull
            return pullOfGitlab(pull, from === to || typeof from !== 'number' ? '' : await nameOf(from))
          }
          case 'bitbucket':
            return pullOfBitbucket(pull, 'open')
          default:
            return pullOfGithub(pull, 'open')
        }
      }

      const [pulls, others]: [PullEvent[], number[]] = [[], []]
      for (let page = 1; ; page++) {
        const { body, hasNext } = await call(access, { method: 'GET', path: list(repository, page) }, signal)
        for (const pull of listed(body)) {
          const event = await read(pull)
          // Such as one whose branch was deleted: the others are told of all the same.
          const sound = soundPull(event)
          if (sound) pulls.push(sound)
          else others.push(event.number)
        }
        if (!hasNext || page >= PAGES) return { pulls, others, isWhole: !hasNext }
      }
    },
  }
}
