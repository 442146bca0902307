import { useQuery } from '@tanstack/react-query'
import type { CallReply } from '#client/client.ts'
import { inspectRepository } from '#contract/api/git-connection.ts'
import { useAccount } from '../api/account.tsx'
import { explain } from '../api/explain.ts'
import { Spinner } from '../ui/feedback/spinner.tsx'

type Inspection = CallReply<(typeof inspectRepository)['reply']>
export type InspectedFolder = Pick<Inspection['folders'][number], 'path' | 'framework'>

type NamedRepository =
  | { readonly connectionId: string; readonly repository: string }
  | { readonly url: string; readonly token: string }

/** What a repository holds, asked once for each way that it is named. */
export function useInspection(named: NamedRepository | undefined, branch: string | undefined) {
  const { id, client } = useAccount()
  const isNamed = named !== undefined && (!('url' in named) || named.url !== '')
  const body =
    named && 'url' in named ? { url: named.url, ...(named.token !== '' && { token: named.token }) } : named
  return useQuery({
    queryKey: [id, 'inspection', body ?? null, branch ?? null],
    queryFn: ({ signal }) =>
      client.call(inspectRepository, { body: { ...body, ...(branch !== undefined && { branch }) }, signal }),
    enabled: isNamed,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  })
}

/** How looking into the repository goes. What goes wrong stops nobody: it may only need a token. */
export const Inspected = ({ data, error, isFetching }: ReturnType<typeof useInspection>) => (
  <p role="status" className="mt-4 text-sm break-words text-soft">
    {isFetching ? (
      <span className="flex items-center gap-2">
        <Spinner /> Inspecting the repository…
      </span>
    ) : error !== null ? (
      <span className="text-warn">{explain(error)}</span>
    ) : (
      data !== undefined && (
        <>
          Branch {data.branch}, commit <code>{data.commit.slice(0, 7)}</code>
        </>
      )
    )}
  </p>
)
