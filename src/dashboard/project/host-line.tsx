import { Link } from '@tanstack/react-router'
import { inspectProjectDomain } from '#contract/api/project-domain.ts'
import { useAccount } from '../api/account.tsx'
import { useLater } from '../api/query.ts'
import { Badge } from '../ui/badge.tsx'
import { OutLink } from '../ui/control/button.tsx'
import { addressOf, type Project } from './project.ts'

/** A host of production; one that visitors do not reach yet says so, and leads to what is left to do. */
export function HostLine({ project, host, isCustom }: { project: Project; host: string; isCustom: boolean }) {
  const { slug: account } = useAccount()
  const { data } = useLater(
    'project-domain',
    inspectProjectDomain,
    { params: { idOrName: project.id, domain: host } },
    { enabled: isCustom },
  )
  return (
    <span className="flex min-h-6 flex-wrap items-center gap-x-2">
      <OutLink href={addressOf(host)} className="break-all text-accent hover:underline">
        {host}
      </OutLink>
      {data?.ready === false && (
        <Link
          to="/a/$account/projects/$project/settings/domains"
          params={{ account, project: project.name }}
          className="hover:underline"
        >
          <Badge tone="warn">{data.verified ? 'DNS setup needed' : 'Not verified'}</Badge>
        </Link>
      )}
    </span>
  )
}
