import type { CommitStatus, GitHostApi, HostKind } from '#core/git/host/host-api.ts'
import { object } from '#core/git/pull/pull-payload.ts'
import { repositoryOf } from '#core/git/source/source.ts'
import { encoded, type HostCall, items } from './host-call.ts'
import { reportDeployment } from './report-deployment.ts'

interface HostWords {
  readonly status: (
    repository: string,
    status: CommitStatus,
  ) => { readonly path: string; readonly body: object }
  /** Where the comments of a pull request are. */
  readonly comments: (repository: string, number: number) => string
  /** Where one of them is, and how it is changed. */
  readonly change: (
    repository: string,
    number: number,
    id: string,
  ) => { readonly method: 'PATCH' | 'PUT'; readonly path: string }
  readonly list: (answer: unknown) => readonly { readonly id: string; readonly text: string }[]
  readonly body: (text: string) => object
}

const github: HostWords = {
  status: (repository, { commit, state, context, description, url }) => ({
    path: `/repos/${encoded(repository)}/statuses/${commit}`,
    body: { state, context, description, target_url: url },
  }),
  comments: (repository, number) => `/repos/${encoded(repository)}/issues/${number}/comments`,
  change: (repository, _number, id) => ({
    method: 'PATCH',
    path: `/repos/${encoded(repository)}/issues/comments/${id}`,
  }),
  list: (answer) => items(answer).map(({ id, body }) => ({ id: String(id), text: String(body) })),
  body: (body) => ({ body }),
}

const HOSTS: Readonly<Record<HostKind, HostWords>> = {
  github,
  gitea: github,
  gitlab: {
    status: (repository, { commit, state, context, description, url }) => ({
      path: `/projects/${encodeURIComponent(repository)}/statuses/${commit}`,
      body: {
        state: { pending: 'running', success: 'success', failure: 'failed' }[state],
        name: context,
        description,
        target_url: url,
      },
    }),
    comments: (repository, number) =>
      `/projects/${encodeURIComponent(repository)}/merge_requests/${number}/notes`,
    change: (repository, number, id) => ({
      method: 'PUT',
      path: `/projects/${encodeURIComponent(repository)}/merge_requests/${number}/notes/${id}`,
    }),
    list: github.list,
    body: github.body,
  },
  bitbucket: {
    status: (repository, { commit, state, context, description, url }) => ({
      path: `/repositories/${encoded(repository)}/commit/${commit}/statuses/build`,
      body: {
        state: { pending: 'INPROGRESS', success: 'SUCCESSFUL', failure: 'FAILED' }[state],
        key: context.slice(0, 40),
        name: context,
        description,
        url,
      },
    }),
    comments: (repository, number) => `/repositories/${encoded(repository)}/pullrequests/${number}/comments`,
    change: (repository, number, id) => ({
      method: 'PUT',
      path: `/repositories/${encoded(repository)}/pullrequests/${number}/comments/${id}`,
    }),
    list: (answer) =>
      items(object(answer).values).map(({ id, content }) => ({
        id: String(id),
        text: String(object(content).raw),
      })),
    body: (raw) => ({ content: { raw } }),
  },
}

/** Comments of a pull request that are looked through for ours. */
const PAGES = 5
const PER_PAGE = 100

export function createGitHostApi(call: HostCall): GitHostApi {
  return {
    async setStatus(access, status, signal) {
      const { path, body } = HOSTS[access.kind].status(repositoryOf(access), status)
      await call(access, { method: 'POST', path, body }, signal)
    },

    setDeployment: (access, deployment, id, signal) => reportDeployment(call, access, deployment, id, signal),

    async comment(access, number, { mark, body: text }, signal) {
      const words = HOSTS[access.kind]
      const at = words.comments(repositoryOf(access), number)
      const body = words.body(text)
      for (let page = 1; page <= PAGES; page++) {
        const paging =
          access.kind === 'bitbucket' ? `pagelen=${PER_PAGE}` : `per_page=${PER_PAGE}&limit=${PER_PAGE}`
        const { body: answer } = await call(
          access,
          { method: 'GET', path: `${at}?${paging}&page=${page}` },
          signal,
        )
        const found = words.list(answer)
        const ours = found.find((comment) => comment.text.includes(mark))
        if (ours?.text.trim() === text.trim()) return
        if (ours) {
          await call(access, { ...words.change(repositoryOf(access), number, ours.id), body }, signal)
          return
        }
        if (found.length < PER_PAGE) break
      }
      await call(access, { method: 'POST', path: at, body }, signal)
    },
  }
}
