import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const TOKEN = 'hosted0token'
const page = { count: 1, next: null, prev: null }

/** Answers in the shapes that the documentation of the hosted API shows, with more fields than anything here reads. */
const ANSWERS: Readonly<Record<string, unknown>> = {
  '/v9/projects?limit=100': {
    projects: [
      {
        accountId: 'team_1',
        id: 'prj_1',
        name: 'site',
        framework: null,
        buildCommand: null,
        outputDirectory: null,
        rootDirectory: null,
        nodeVersion: '22.x',
        autoExposeSystemEnvs: true,
        directoryListing: false,
        serverlessFunctionRegion: 'iad1',
        speedInsights: { id: 'x' },
        link: { type: 'github', repo: 'site', productionBranch: 'main' },
        latestDeployments: [],
        targets: {},
        createdAt: 1,
        updatedAt: 2,
      },
    ],
    pagination: { count: 1, next: 1700000000000, prev: 1700000000001 },
  },
  '/v9/projects?limit=100&until=1700000000000': {
    projects: [{ id: 'prj_2', name: 'site-2', framework: 'unheard-of', nodeVersion: '12.x' }],
    pagination: page,
  },
  '/v9/projects/prj_1/env': {
    envs: [
      {
        id: 'a',
        key: 'API_URL',
        value: 'https://api.example.org',
        type: 'encrypted',
        decrypted: true,
        target: ['production', 'preview'],
        configurationId: null,
        contentHint: null,
        createdAt: 1,
        updatedAt: 1,
        createdBy: 'u',
        customEnvironmentIds: [],
      },
      { id: 'b', key: 'API_KEY', value: '', type: 'sensitive', target: ['production'] },
      { id: 'c', key: 'STAGED', value: 'x', type: 'encrypted', customEnvironmentIds: ['env_1'] },
    ],
  },
  '/v9/projects/prj_2/env': { envs: [] },
  '/v9/projects/prj_1/domains': {
    domains: [
      {
        name: 'site.vercel.app',
        apexName: 'vercel.app',
        projectId: 'prj_1',
        redirect: null,
        redirectStatusCode: null,
        gitBranch: null,
        verified: true,
      },
    ],
    pagination: page,
  },
  '/v9/projects/prj_2/domains': { domains: [], pagination: page },
  '/v5/domains': {
    domains: [
      {
        id: 'd1',
        name: 'example.org',
        serviceType: 'zeit.world',
        nameservers: ['ns1.vercel-dns.com'],
        intendedNameservers: ['ns1.vercel-dns.com'],
        verified: true,
        boughtAt: null,
        creator: { id: 'u', username: 'jo', email: 'jo@example.org' },
      },
    ],
    pagination: page,
  },
  '/v4/domains/example.org/records': {
    records: [
      { id: 'r1', slug: '', name: '', type: 'NS', value: 'ns1.vercel-dns.com', creator: 'system', ttl: 60 },
      { id: 'r2', name: '', type: 'MX', value: 'mail.example.org', mxPriority: 10, creator: 'u', ttl: 60 },
      { id: 'r3', name: 'www', type: 'HTTPS', value: '1 . alpn=h2', creator: 'u', ttl: 60 },
    ],
    pagination: page,
  },
  '/v4/aliases': {
    aliases: [
      {
        uid: 'al1',
        alias: 'site-git-main.vercel.app',
        deploymentId: 'dpl_1',
        projectId: 'prj_1',
        created: '2024-01-01T00:00:00.000Z',
        creator: { uid: 'u' },
      },
    ],
    pagination: page,
  },
  '/v1/webhooks': [
    {
      id: 'w1',
      url: 'https://example.org/hook',
      events: ['deployment.ready', 'budget.reached'],
      ownerId: 'u',
      projectIds: ['prj_1'],
      projectsMetadata: [{ id: 'prj_1', name: 'site', framework: null }],
      createdAt: 1,
      updatedAt: 1,
    },
  ],
  '/v6/deployments?projectId=prj_1': {
    deployments: [
      { uid: 'dpl_1', name: 'site', url: 'site-1a2b3c.vercel.app', state: 'READY', target: 'production' },
    ],
    pagination: page,
  },
  '/v6/deployments?projectId=prj_2': { deployments: [], pagination: page },
  '/v6/deployments/dpl_1/files': [
    {
      name: 'src',
      type: 'directory',
      mode: 16877,
      children: [
        { name: 'index.html', type: 'file', uid: 'f1', mode: 33188, contentType: 'text/html' },
        { name: 'latest.html', type: 'symlink', uid: 'f4', mode: 41471, symlink: 'index.html' },
      ],
    },
    {
      name: 'out',
      type: 'directory',
      mode: 16877,
      children: [
        { name: 'app.js', type: 'file', uid: 'f2', mode: 33188 },
        { name: 'api', type: 'lambda', uid: 'f3', mode: 33188 },
        { name: 'made.html', type: 'symlink', uid: 'f5', mode: 41471 },
      ],
    },
  ],
  '/v8/deployments/dpl_1/files/f1': { data: Buffer.from('<h1>hosted</h1>').toString('base64') },
}

interface Hosted {
  readonly url: string
  readonly token: string
  /** Its files cannot be read for a while. */
  breakFiles(broken: boolean): void
  close(): Promise<void>
}

/** The hosted API as far as an import reads it. */
export async function startHosted(): Promise<Hosted> {
  let isBroken = false
  const server = createServer((req, res) => {
    const { pathname, searchParams } = new URL(req.url ?? '', 'http://hosted')
    const answer = (status: number, body: unknown): void => {
      res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (req.headers.authorization !== `Bearer ${TOKEN}`)
      return answer(403, { error: { code: 'forbidden', message: 'Not authorized', invalidToken: true } })
    if (isBroken && pathname.includes('/files/'))
      return answer(404, { error: { code: 'not_found', message: 'File not found' } })
    const projectId = searchParams.get('projectId')
    const found =
      ANSWERS[pathname] ??
      ANSWERS[`${pathname}?projectId=${projectId}`] ??
      ANSWERS[`${pathname}?${searchParams}`]
    return found === undefined
      ? answer(404, { error: { code: 'not_found', message: `No ${req.url}` } })
      : answer(200, found)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: TOKEN,
    breakFiles(broken) {
      isBroken = broken
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}
