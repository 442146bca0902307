import { createHmac } from 'node:crypto'

const [before, after] = [
  '95790bf891e76fee5e1747ab589903a6a1f80f22',
  'da1560886d4f094c3e6c9ef40349f7d38b5d27d7',
]
const sign = (body: string, secret: string) => createHmac('sha256', secret).update(body).digest('hex')

type Headers = (body: string, secret: string, id: string) => Record<string, string>

/** A push as each host announces it: the shape that it publishes, and how it signs. */
export const HOST_WEBHOOKS: Readonly<
  Record<string, { readonly payload: object; readonly headers: Headers }>
> = {
  GitHub: {
    payload: {
      ref: 'refs/heads/main',
      before,
      after,
      created: false,
      deleted: false,
      forced: false,
      compare: 'https://github.com/octo/site/compare/95790bf891e7...da1560886d4f',
      repository: { id: 186853002, full_name: 'octo/site', private: false, default_branch: 'main' },
      pusher: { name: 'octo', email: 'octo@example.com' },
      sender: { login: 'octo', id: 21031067, type: 'User' },
      head_commit: { id: after, message: 'Update README.md', timestamp: '2019-05-15T15:20:41Z' },
      commits: [{ id: after, added: [], removed: [], modified: ['README.md'] }],
    },
    headers: (body, secret, id) => ({
      'user-agent': 'GitHub-Hookshot/044aadd',
      'x-github-event': 'push',
      'x-github-delivery': id,
      'x-hub-signature': `sha1=${createHmac('sha1', secret).update(body).digest('hex')}`,
      'x-hub-signature-256': `sha256=${sign(body, secret)}`,
    }),
  },
  GitLab: {
    payload: {
      object_kind: 'push',
      event_name: 'push',
      before,
      after,
      ref: 'refs/heads/main',
      checkout_sha: after,
      user_username: 'jsmith',
      project_id: 15,
      project: { id: 15, path_with_namespace: 'mike/diaspora', default_branch: 'main' },
      commits: [{ id: after, message: 'fixed readme', added: [], modified: ['README'], removed: [] }],
      total_commits_count: 1,
    },
    headers: (_body, secret, id) => ({
      'user-agent': 'GitLab/17.4.0',
      'x-gitlab-event': 'Push Hook',
      'x-gitlab-event-uuid': id,
      'x-gitlab-token': secret,
    }),
  },
  Gitea: {
    payload: {
      ref: 'refs/heads/main',
      before,
      after,
      compare_url: 'http://localhost:3000/gitea/webhooks/compare/bffeb74224...28e1879d02',
      commits: [{ id: after, message: 'Webhooks Yay!', timestamp: '2017-03-13T13:52:11-04:00' }],
      repository: { id: 140, full_name: 'gitea/webhooks', default_branch: 'main' },
      pusher: { id: 1, login: 'gitea' },
      sender: { id: 1, login: 'gitea' },
    },
    headers: (body, secret, id) => ({
      'x-gitea-delivery': id,
      'x-gitea-event': 'push',
      'x-gitea-signature': sign(body, secret),
      'x-gogs-signature': sign(body, secret),
      'x-github-delivery': id,
      'x-hub-signature-256': `sha256=${sign(body, secret)}`,
    }),
  },
  Bitbucket: {
    payload: {
      actor: { type: 'user', nickname: 'emmap1' },
      repository: { type: 'repository', full_name: 'team/site' },
      push: {
        changes: [
          {
            new: { type: 'branch', name: 'main', target: { type: 'commit', hash: after } },
            old: { type: 'branch', name: 'main', target: { type: 'commit', hash: before } },
            created: false,
            forced: false,
            closed: false,
          },
        ],
      },
    },
    headers: (body, secret, id) => ({
      'user-agent': 'Bitbucket-Webhooks/2.0',
      'x-event-key': 'repo:push',
      'x-request-uuid': id,
      'x-attempt-number': '1',
      'x-hub-signature': `sha256=${sign(body, secret)}`,
    }),
  },
}
