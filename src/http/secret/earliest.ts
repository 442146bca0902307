import type { Secret } from '#core/secret/secret.ts'
import type { Renamed } from '#core/secret/secrets.ts'

export const uid = (s: Secret) => ({ uid: s.id })

export const renamed = (r: Renamed) => ({ uid: r.secret.id, oldName: r.oldName })
