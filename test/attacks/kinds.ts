/** A kind of attack, and the tests that try it. Those of other folders are what the suite holds anyway. */
export interface Kind {
  readonly name: string
  readonly files: readonly string[]
}

export const KINDS: readonly Kind[] = [
  { name: 'A hostile site in the operator’s browser', files: ['test/attacks/browser.test.ts'] },
  {
    name: 'Sessions, sign-in and redirects',
    files: [
      'test/api/account/session.test.ts',
      'src/http/session/next.test.ts',
      'src/edge/function/edge-cookies.test.ts',
    ],
  },
  {
    name: 'OAuth: PKCE, reuse of codes, mix-up, open redirects',
    files: ['test/attacks/oauth.test.ts', 'test/api/account/oauth.test.ts'],
  },
  {
    name: 'Accounts apart: foreign tokens, foreign teams, reserved names',
    files: ['test/api/walls.test.ts', 'test/api/domain/reserved-name.test.ts'],
  },
  {
    name: 'Request smuggling, malformed HTTP, Host tricks',
    files: ['test/attacks/http.test.ts', 'src/listener/listener-malformed.test.ts'],
  },
  {
    name: 'What is kept for everybody: cache poisoning, answers of other hosts',
    files: [
      'test/attacks/poisoning.test.ts',
      'src/edge/cache/edge-cache.test.ts',
      'src/edge/prerender/edge-prerender.test.ts',
    ],
  },
  {
    name: 'Memory and connections that a visitor or an account uses up',
    files: [
      'src/adapters/git-cli/read-batch.test.ts',
      'src/adapters/last-known-sqlite/last-known.test.ts',
      'src/core/access/network-of.test.ts',
      'src/core/access/source-counts.test.ts',
      'src/core/access/source-shares.test.ts',
      'src/core/git/tree/store-tree.test.ts',
      'src/core/git/tree/tree-files.test.ts',
      'test/api/git/git-hostile.test.ts',
      'src/edge/cache/tee.test.ts',
      'src/edge/fast/unsent.test.ts',
      'src/edge/file/compress-answer.test.ts',
      'src/edge/gather.test.ts',
      'src/edge/prerender/prerender-memory.test.ts',
      'src/edge/prerender/revalidations.test.ts',
      'src/edge/proxy/edge-proxy.test.ts',
      'src/edge/request/host.test.ts',
      'src/edge/respond.test.ts',
      'src/edge/site/site-cache.test.ts',
      'src/edge/visitor-memory.test.ts',
      'src/http/request/body-memory.test.ts',
      'src/listener/listener-connection-limit.test.ts',
      'src/process/api/working-requests.test.ts',
      'src/process/api/refusals.test.ts',
      'src/process/compose/serving/in-turns.test.ts',
      'src/process/compose/serving/last-known.test.ts',
      'src/process/tls/acme/acme-http.test.ts',
      'src/ssh/rate-limit.test.ts',
      'src/ssh/server.test.ts',
    ],
  },
  { name: 'HTTP/2 floods and malformed frames', files: ['src/listener/listener-http2.test.ts'] },
  {
    name: 'Malformed and oversized input to the API',
    files: [
      'test/api/bad-input.test.ts',
      'src/core/json-shape.test.ts',
      'src/http/git/read-delivery.test.ts',
    ],
  },
  {
    name: 'Outbound requests to private addresses, DNS rebinding',
    files: [
      'test/attacks/rebinding.test.ts',
      'src/adapters/outbound-http/outbound-http.test.ts',
      'src/adapters/resolver-dns/look-up.test.ts',
      'src/core/outbound/allowed-addresses.test.ts',
      'src/core/outbound/destinations.test.ts',
      'src/core/outbound/public-address.test.ts',
      'test/ports/sandbox/sandbox-network.test.ts',
    ],
  },
  {
    name: 'Builds: npm install, lifecycle scripts, caches of others',
    files: ['test/attacks/install.test.ts', 'src/builder/output/collect-hostile.test.ts'],
  },
  {
    name: 'Escapes from the sandbox',
    files: [
      'test/faults/runner-escape.test.ts',
      'test/ports/sandbox/sandbox-closed.test.ts',
      'test/ports/sandbox/sandbox-bounded.test.ts',
    ],
  },
  {
    name: 'Escapes from containers (Docker)',
    files: ['test/attacks/docker.test.ts', 'test/ports/runner/docker.test.ts'],
  },
  {
    name: 'A neighbour who takes the disk, the files or the API for themselves',
    files: ['test/attacks/disk.test.ts', 'test/attacks/large-create.test.ts'],
  },
  {
    name: 'Screenshots of hostile pages',
    files: ['test/attacks/screenshots.test.ts', 'test/faults/screenshots.test.ts'],
  },
  {
    name: 'DNS: malformed packets, amplification',
    files: ['test/attacks/amplification.test.ts', 'src/dns/responder.test.ts', 'test/dns/server.test.ts'],
  },
  { name: 'PostgreSQL and Redis: a hostile neighbour', files: ['test/attacks/stores.test.ts'] },
  {
    name: 'Backups in foreign hands',
    files: [
      'src/contract/backup/sealed-backup.test.ts',
      'test/attacks/backups.test.ts',
      'test/e2e/installation/backup.test.ts',
      'src/cli/operator/backup.test.ts',
    ],
  },
  {
    name: 'Archives that lie',
    files: [
      'test/attacks/archives.test.ts',
      'src/adapters/runner-process/program/unpack.test.ts',
      'src/dashboard/deploy/read-zip.test.ts',
    ],
  },
  {
    name: 'Patterns that take for ever',
    files: [
      'src/adapters/git-cli/run-git.test.ts',
      'src/builder/docker/docker-ignore.test.ts',
      'src/builder/environment/install/package-manager.test.ts',
      'src/contract/build/workspace.test.ts',
      'src/contract/glob/glob.test.ts',
      'src/core/detection/framework/source-text.test.ts',
      'src/core/git/push/push-rules.test.ts',
      'src/core/git/source/inspect.test.ts',
      'src/core/routing/match/match-output.test.ts',
      'src/core/routing/match/match-routes.test.ts',
      'test/slow-expressions.test.ts',
    ],
  },
  {
    name: 'A hostile repository or server against the command line',
    files: [
      'src/cli/account.test.ts',
      'src/cli/config/auth-file.test.ts',
      'src/cli/config/link-file.test.ts',
      'src/cli/deploy/git-notes.test.ts',
      'src/cli/deploy/source-folder.test.ts',
      'src/cli/open-browser.test.ts',
      'src/cli/output/plain-text.test.ts',
      'src/client/call/redact.test.ts',
      'src/client/deploy/collect-files.test.ts',
    ],
  },
  { name: 'Random input (fuzz)', files: ['test/fuzz/fuzz.test.ts'] },
]
