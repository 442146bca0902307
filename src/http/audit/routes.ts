import * as api from '#contract/api/audit.ts'
import { mapPage, PAGE_LIMIT } from '#contract/page.ts'
import type { AuditLog, KnownEntry } from '#core/audit/audit-log.ts'
import { type Route, route } from '../route.ts'

const shown = ({ entry, user, member }: KnownEntry) => {
  const { id, at, userId, via, action, target, ip, userAgent, requestId } = entry
  return {
    ...{ id, at },
    user: { id: userId, ...(user ? { username: user.username, email: user.email } : {}) },
    via: { ...via },
    ...{ action, target: { ...target } },
    ...(member && { member: { id: member.id, username: member.username, email: member.email } }),
    ...{ ip, userAgent, requestId },
  }
}

export const auditRoutes = (auditLog: AuditLog): readonly Route[] => [
  route(api.readAuditLog, async (ctx, { query: { userId, action, ...page } }) => {
    const found = await auditLog.list(ctx, { limit: PAGE_LIMIT.current, ...page }, { userId, action })
    return { entries: mapPage(found, shown), pagination: found.pagination }
  }),
]
