import * as api from '#contract/api/ssh-key.ts'
import type { SshKey } from '#core/ssh-key/ssh-key.ts'
import type { SshKeys } from '#core/ssh-key/ssh-keys.ts'
import { type Route, route } from '../route.ts'

/** How the repositories of this installation are reached over SSH; undefined where they are not. */
export interface SshAddress {
  readonly host: string
  readonly port: number
  readonly hostKeyFingerprint: string
}

const shown = ({ userId, ...key }: SshKey) => key

export const sshKeyRoutes = (
  keys: SshKeys,
  sshAddress: () => Promise<SshAddress | undefined>,
): readonly Route[] => [
  route(api.listSshKeys, async (ctx) => ({
    keys: (await keys.list(ctx)).map(shown),
    server: (await sshAddress()) ?? null,
  })),
  route(api.addSshKey, async (ctx, { body }) => ({ key: shown(await keys.add(ctx, body)) })),
  route(api.deleteSshKey, async (ctx, { params }) => ({ key: shown(await keys.remove(ctx, params.id)) })),
]
